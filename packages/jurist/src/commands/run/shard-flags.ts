import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isPlainObject, option } from '@jurist/core/internal'
import type { ShardOptions } from '@jurist/experiment/internal'
import { type FlagValues, flag, type Parse, type ReportProblem, usageInvalid } from '@jurist/experiment/plugin'
import { parseOrUndefined } from '@jurist/kit/json'
import type { Host } from '../../command-kit/host.js'
import { fileEndingIn } from '../../command-kit/subcommand.js'

type Place = Pick<ShardOptions, 'index' | 'count'>

/** The variables in which a system with parallel jobs numbers the current job. */
interface Announced {
  readonly index: string
  readonly count: string
  /** The index of the first job: a number, or the variable that contains it. */
  readonly first: number | string
  /** The variable with the difference between two indexes. Default: 1. */
  readonly step?: string
}

const announced: readonly Announced[] = [
  { index: 'CI_NODE_INDEX', count: 'CI_NODE_TOTAL', first: 1 },
  { index: 'BUILDKITE_PARALLEL_JOB', count: 'BUILDKITE_PARALLEL_JOB_COUNT', first: 0 },
  { index: 'CIRCLE_NODE_INDEX', count: 'CIRCLE_NODE_TOTAL', first: 0 },
  {
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    first: 'SLURM_ARRAY_TASK_MIN',
    step: 'SLURM_ARRAY_TASK_STEP',
  },
  { index: 'JOB_COMPLETION_INDEX', count: 'JURIST_SHARDS', first: 0 },
]

/** `3/10`, or `auto`. */
const shardPlace: Parse<Place> = (given, name) => {
  if (given === 'auto') return automatic(name, process.env)
  const place = placeIn(given)
  if (place !== undefined) return place
  throw usageInvalid(name, `${name} must be a shard such as 3/10, from 1/10 to 10/10, or auto (got "${given}").`)
}

function placeIn(given: string): Place | undefined {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(given) ?? []
  return placeOf(Number(index), Number(count))
}

function placeOf(index: number, count: number): Place | undefined {
  const isPlace = Number.isSafeInteger(index) && Number.isSafeInteger(count) && index >= 1 && index <= count
  return isPlace ? { index, count } : undefined
}

function automatic(flag: string, env: NodeJS.ProcessEnv): Place {
  const own = env['JURIST_SHARD'] ?? ''
  if (own !== '') {
    const place = placeIn(own)
    if (place !== undefined) return place
    throw usageInvalid(flag, `${flag} auto: JURIST_SHARD must be a shard such as 3/10 (got "${own}").`)
  }
  const found = announced.find(({ index }) => (env[index] ?? '') !== '')
  if (found !== undefined) return announcedPlace(flag, env, found)
  const names = announced.map(({ index, count }) => `${index} and ${count}`).join('; ')
  throw usageInvalid(
    flag,
    `${flag} auto: no variable contains the number of this shard. Set JURIST_SHARD=3/10, or run where one of these pairs is set: ${names}.`,
  )
}

function announcedPlace(flag: string, env: NodeJS.ProcessEnv, { index, count, first, step }: Announced): Place {
  const numberIn = (name: string) => (/^\d{1,9}$/.test(env[name] ?? '') ? Number(env[name]) : Number.NaN)
  const from = typeof first === 'number' ? first : numberIn(first)
  const distance = step === undefined || (env[step] ?? '') === '' ? 1 : numberIn(step)
  const place = placeOf((numberIn(index) - from) / distance + 1, numberIn(count))
  if (place !== undefined) return place
  const names = [index, count, ...(typeof first === 'string' ? [first] : []), ...(step === undefined ? [] : [step])]
  const values = names.map((name) => `${name}=${env[name] ?? ''}`).join(' ')
  throw usageInvalid(flag, `${flag} auto: ${values} name no shard. Set JURIST_SHARD=3/10.`)
}

const kept = { onResume: 'kept' } as const

/** The flags of `jurist run` that select a part of its trials. */
export const shardFlags = {
  shard: flag(
    '--shard <i/n>',
    'run part i of n of the trials, to be merged (jurist store merge); auto: from the variables of GitLab, Buildkite, CircleCI, SLURM or Kubernetes',
    shardPlace,
    kept,
  ),
  durations: flag(
    '--durations <file>',
    'durations that jurist store merge wrote: shards take about the same time; with --distributed the longest trials start first',
    fileEndingIn('.json'),
    { ...kept, isRare: true },
  ),
} as const

type ShardFlags = FlagValues<typeof shardFlags>

/** Reports flags that exclude `--shard`, and the one that needs it. */
export function checkShardFlags(
  { shard, durations, ...flags }: ShardFlags & Readonly<Record<'watch' | 'widen' | 'distributed', boolean>>,
  problem: ReportProblem,
): void {
  if (durations !== undefined && shard === undefined && !flags.distributed)
    problem('--durations', '--durations needs --shard or --distributed. Add one.')
  if (shard === undefined) return
  if (flags.watch) problem('--watch', 'Use --watch or --shard, not both.')
  if (flags.widen) problem('--widen', 'Use --widen or --shard, not both: each shard plans the whole.')
  if (flags.distributed) problem('--distributed', 'Use --distributed or --shard, not both: workers share all trials.')
}

/**
 * Returns the part of the trials that the flags select; `undefined` for all.
 *
 * @throws `usage-invalid` for durations that cannot be read
 */
export async function shardOptions(host: Host, { shard, durations }: ShardFlags): Promise<ShardOptions | undefined> {
  return shard && { ...shard, ...(await durationsOf(host, { durations })) }
}

/** Returns the durations in the file of `--durations`. */
export async function durationsOf(
  { cwd }: Host,
  { durations }: Pick<ShardFlags, 'durations'>,
): Promise<Pick<ShardOptions, 'durations'>> {
  return durations === undefined ? {} : { durations: await readDurations(resolve(cwd, durations), durations) }
}

async function readDurations(path: string, shown: string): Promise<NonNullable<ShardOptions['durations']>> {
  const wrong = (problem: string): never => {
    const remedy = 'It must be a JSON object of milliseconds by item id, as jurist store merge --durations writes it.'
    throw usageInvalid('--durations', `--durations: ${shown} ${problem}. ${remedy}`)
  }
  const text = await readFile(path, 'utf8').catch(() => wrong('cannot be read'))
  const value = parseOrUndefined(text)
  if (value === undefined) return wrong('is not JSON')
  if (!isPlainObject(value)) return wrong('is not an object')
  const bad = Object.keys(value).filter((id) => !option.positive.holds(value[id]))
  if (bad.length > 0) wrong(`has no duration for ${bad.map((id) => JSON.stringify(id)).join(', ')}`)
  return value as NonNullable<ShardOptions['durations']>
}
