import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { type MergePlan, mergePlan, type StoredShard, storeMerged } from '@jurist/distributed/internal'
import { itemDurations, noteRuns } from '@jurist/experiment/internal'
import { type AllowAbstain, baselineVariant, isRunId, type RunOverview } from '@jurist/experiment/internal/results'
import { type FlagValues, flag, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { fileStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { groupBy } from '@jurist/kit/group-by'
import { safeLine } from '@jurist/kit/terminal'
import { openBundle } from '../../bundle/read-bundle.js'
import { type CopyEnd, copyRun } from '../../command-kit/copy-results.js'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { findRun } from '../../command-kit/find-run.js'
import {
  checkReporters,
  gateFlags,
  outputFiles,
  outputFlags,
  resultReporters,
  thresholdsIn,
} from '../../command-kit/gate-flags.js'
import { type Host, resultsNamed } from '../../command-kit/host.js'
import { checkWritable, copyEndOf, type Results, resultsOf } from '../../command-kit/results-store.js'
import { defined, fileEndingIn, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { concludeRuns } from '../run/conclude-runs.js'
import type { Performed } from '../run/run-output.js'

const flags = {
  into: flag(
    '--into <results>',
    'a results directory or postgres://… for the merged runs (default: that of the config)',
    text,
  ),
  allowMissing: toggle(
    '--allow-missing',
    'merge although shards are missing or unfinished: jurist run --resume runs the rest',
  ),
  durations: flag(
    '--durations <file>',
    'write how long the trials of each item take, for jurist run --shard --durations',
    fileEndingIn('.json'),
  ),
  ...gateFlags,
  ...outputFlags(resultReporters),
} as const

type MergeFlags = FlagValues<typeof flags>

export const merge: Subcommand = subcommand({
  arguments: [['<place...>', 'results directories, or bundles, with the runs of jurist run --shard']],
  flags,
  examples: [
    'store merge shards/* --threshold 80% --reporter junit=report.xml',
    'store merge results --durations durations.json',
  ],
  note: 'The shards stay where they are. One run is made of each experiment, variant and session.',
  check({ reporter }, problem) {
    checkReporters(reporter, resultReporters, problem)
  },
  async run(called, [places], given) {
    const host = given.into === undefined ? called : resultsNamed(called, given.into)
    const results = await resultsOf(host)
    const outputs = outputFiles(given)
    await checkTargets(host, results, given, outputs)
    const merged = await mergeAll(host, places, given, results)
    const runs = merged.map(({ run }) => run)
    await noteSessions(results, merged)
    for (const { run, missing } of merged) reportMissing(host, missing, run)
    if (given.durations !== undefined) await writeDurations(host, given.durations, runs)
    const thresholds = { ...(await host.configIfAny())?.config.thresholds, ...thresholdsIn(given) }
    const read = { failOn: given.failOn, reporter: given.reporter, outputs }
    const performed = performedIn(runs)
    return concludeRuns(host, { performed, results, thresholds, read, unwritten: [], interrupted: [] })
  },
})

/** Checks that everything can be written before anything is. */
async function checkTargets(host: Host, results: Results, { durations }: MergeFlags, outputs: readonly string[]) {
  if (copyEndOf(results) === undefined) noPlace(results)
  await checkWritable(results)
  for (const name of outputs) await checkOutputFile(host, '--output', name)
  if (durations !== undefined) await checkOutputFile(host, '--durations', durations)
}

function noPlace({ shown }: Results): never {
  throw usageInvalid(
    '--into',
    `Shards are merged into a directory or a database, and the results are in ${shown}. Add --into <dir>.`,
  )
}

interface Merged {
  readonly run: RunOverview
  readonly items: readonly string[]
  readonly missing: readonly string[]
}

/** Merges all shards. Afterwards, none of them is in memory. */
async function mergeAll(host: Host, places: readonly string[], given: MergeFlags, results: Results) {
  const shards = await shardsIn(places, host)
  const groups = shardGroups(shards)
  if (!given.allowMissing) refuseMixedSessions(groups)
  const plans = groups.map((runs) => mergePlan(runs, { allowMissing: given.allowMissing }))
  const gates = defined({
    baseline: await baselineOf(results, given.baseline, host),
    allowAbstain: given.allowAbstain,
  })
  const merged: Merged[] = []
  for (const plan of plans) {
    const run = await storePlan(host, withGates(plan, gates), shards, results)
    merged.push({ run, items: plan.record.itemOrder ?? [], missing: plan.missing })
  }
  return merged
}

/** `latest` and a variant are resolved for each merged run. Any other name refers to an existing run. */
async function baselineOf(results: Results, given: string | undefined, { cwd }: Host): Promise<string | undefined> {
  const isResolvedLater = given === undefined || given === 'latest' || baselineVariant(given) !== undefined
  return isResolvedLater ? given : (await findRun(results, given, cwd, ['agent'])).id
}

interface Gates {
  readonly baseline?: string
  readonly allowAbstain?: AllowAbstain
}

/** Applies the gates from flags to the plan. */
function withGates(plan: MergePlan, { allowAbstain, ...gates }: Gates): MergePlan {
  const { record } = plan
  const configuration = { ...record.configuration, ...defined({ allowAbstain }) }
  return { ...plan, record: { ...record, ...gates, configuration } }
}

async function storePlan(host: Host, plan: MergePlan, shards: readonly StoredShard[], results: Results) {
  const places = new Map(shards.map((shard) => [shard.run.id, shard]))
  const own = plan.shards.flatMap(({ id }) => places.get(id) ?? [])
  const { directory } = results
  if (directory !== undefined) return await storeMerged(plan, directory, { shards: own, base: directory })
  const end = copyEndOf(results)
  if (end === undefined) return noPlace(results)
  // The merged run is first written to files, which are then copied to the database as in `jurist store copy`.
  const between = await mkdtemp(join(tmpdir(), 'jurist-merge-'))
  try {
    const base = join((await host.configIfAny())?.directory ?? host.cwd, 'results')
    const { id } = await storeMerged(plan, between, { shards: own, base })
    return await intoDatabase({ store: fileStore(between), directory: between, base }, end, id, host)
  } finally {
    await rm(between, { recursive: true, force: true })
  }
}

async function intoDatabase(from: CopyEnd, to: CopyEnd, id: string, { note }: Host): Promise<RunOverview> {
  for await (const entry of from.store.list()) {
    const { notKept } = await copyRun(from, to, entry)
    for (const problem of notKept) note(`warning: ${safeLine(problem)}: it is not kept`)
  }
  const run = await to.store.overview(id)
  if (run !== undefined) return run
  throw new JuristError('store-failed', `Run ${id} was stored and no longer exists. Merge again.`, { path: id })
}

/** Records the runs of each session in it, with all its variants. */
async function noteSessions({ store }: Results, merged: readonly Merged[]) {
  const inSession = merged.filter(({ run }) => run.session !== null)
  const sessions = groupBy(inSession, ({ run }) => JSON.stringify([run.experimentName, run.session]))
  for (const members of sessions.values()) {
    const runs = members.map(({ run }) => run)
    await noteRuns(store, runs, members[0]?.items ?? [])
  }
}

function reportMissing(host: Host, missing: readonly string[], run: RunOverview): void {
  if (missing.length === 0) return
  for (const line of missing) host.note(`warning: ${line}`)
  const { id, experimentName, counts } = run
  const line = host.terminal.command('run', experimentName, '--resume', id)
  host.note(`Run ${id} has ${counts.run} of ${counts.planned} trials. Run the others: ${line}`)
}

async function writeDurations(host: Host, file: string, runs: readonly RunOverview[]): Promise<void> {
  await writeOutput(host, file, `${JSON.stringify(itemDurations(runs), undefined, 2)}\n`)
  host.note(`wrote ${file}`)
}

/** Groups the runs for reports: those of a session belong together. */
function performedIn(runs: readonly RunOverview[]): readonly Performed[] {
  const groups = groupBy(runs, ({ id, experimentName, session }) => {
    return session === null ? id : JSON.stringify([experimentName, session])
  })
  return [...groups.values()].map((results) => ({
    ...{ experiment: { name: results[0]?.experimentName ?? '' }, session: results[0]?.session ?? null, results },
    ...{ broken: [], left: [] },
  }))
}

/** The shards of one run, which has one experiment, variant and session. */
type ShardGroup = readonly RunOverview[]

/** Groups shards by experiment, variant and session. */
function shardGroups(shards: readonly StoredShard[]): readonly ShardGroup[] {
  const runs = shards.map(({ run }) => run)
  return by(runs, ({ experimentName, variant, session }) => [experimentName, variant, session])
}

function by(runs: readonly RunOverview[], keyOf: (run: RunOverview) => unknown): readonly ShardGroup[] {
  const groups = groupBy(runs, (run) => JSON.stringify(keyOf(run)))
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members)
}

/**
 * Shards of several sessions belong to several runs. If one of these runs is incomplete, the name of a session is
 * probably wrong.
 *
 * @throws `usage-invalid` with the shards of each session
 */
function refuseMixedSessions(groups: readonly ShardGroup[]): void {
  const ofVariants = by(groups.flat(), ({ experimentName, variant }) => [experimentName, variant])
  const lines = ofVariants.flatMap((runs) => {
    const sessions = by(runs, ({ session }) => session)
    return sessions.length > 1 && !sessions.every(isWhole) ? sessions.map(lineOf) : []
  })
  if (lines.length === 0) return
  throw usageInvalid(
    'place',
    `The shards are of several sessions, so they do not make one run:\n${lines.join('\n')}\nName the shards of one session, or all shards of each: run --session NAME gives shards one session. To merge what is there: --allow-missing`,
  )
}

function isWhole(runs: ShardGroup): boolean {
  return indexesOf(runs).length === runs[0]?.shard?.count
}

function indexesOf(runs: ShardGroup): readonly number[] {
  return [...new Set(runs.flatMap(({ shard }) => shard?.index ?? []))].sort((a, b) => a - b)
}

function lineOf(runs: ShardGroup): string {
  const [{ experimentName, variant, session, shard } = {}] = runs as readonly Partial<RunOverview>[]
  const name = [experimentName, variant].filter((word) => typeof word === 'string').join(' ')
  const shards = indexesOf(runs).map((index) => `${index}/${shard?.count}`)
  return `  ${safeLine(`${name}, session ${session}: shard ${shards.join(', ')}`)}`
}

interface Looking {
  readonly cwd: string
  readonly note: (line: string) => void
}

/**
 * Returns the shards in results directories, directories of runs, and bundles. Other runs are left out.
 *
 * @throws `usage-invalid` with every place without a shard, and for a damaged bundle
 */
async function shardsIn(places: readonly string[], looking: Looking): Promise<readonly StoredShard[]> {
  const found: StoredShard[] = []
  const problems: string[] = []
  // Parsing some shards overlaps with reading others.
  for (let start = 0; start < places.length; start += atOnce)
    for (const place of await Promise.allSettled(
      places.slice(start, start + atOnce).map((place) => shardsAt(place, looking)),
    ))
      if (place.status === 'fulfilled') found.push(...place.value)
      else if (JuristError.is(place.reason, 'usage-invalid')) problems.push(place.reason.message)
      else throw place.reason
  if (problems.length > 0) throw usageInvalid('place', problems.join('\n'))
  return found
}

const atOnce = 4

async function shardsAt(place: string, { cwd, note }: Looking): Promise<readonly StoredShard[]> {
  const path = resolve(cwd, place)
  const { directory, only } = await directoryOf(place, path)
  const store = fileStore(directory, { onWarning: (message) => note(`warning: ${message}`) })
  const shards: StoredShard[] = []
  for await (const { id, shard } of store.list({ order: 'oldest' })) {
    if (shard === undefined || (only !== undefined && only !== id)) continue
    const run = await store.overview(id)
    if (run !== undefined) shards.push({ run, directory })
  }
  if (shards.length > 0) return shards
  throw usageInvalid(
    'place',
    `${place} has no shard. Make one: ${commandLine('run', '--shard', '1/10', '--results', place)}`,
  )
}

/** Returns the results directory at a place. `only` is the run whose directory the place is. */
async function directoryOf(
  place: string,
  path: string,
): Promise<{ readonly directory: string; readonly only?: string }> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true && /\.(tgz|tar\.gz)$/.test(path))
    return { directory: (await openBundle(path)).directory }
  if (found?.isDirectory() !== true) {
    const wanted = 'a results directory, or a bundle that ends in .tgz or .tar.gz'
    if (place.includes('://'))
      throw usageInvalid(
        'place',
        `Results in a database are copied first: ${commandLine('store', 'copy', 'postgres://HOST/NAME', 'DIR')}`,
      )
    throw usageInvalid(
      'place',
      found === undefined ? `${place} does not exist. Name ${wanted}.` : `${place} is not ${wanted}.`,
    )
  }
  const name = basename(path)
  const isRun = isRunId(name) && (await readdir(path)).includes('run.json')
  return isRun ? { directory: dirname(dirname(path)), only: name } : { directory: path }
}
