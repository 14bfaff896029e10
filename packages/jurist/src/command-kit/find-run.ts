import { basename, dirname, resolve } from 'node:path'
import { resolveBaseline } from '@jurist/experiment/compare'
import { isMeasurement, isRunId } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { unknownAmong } from '../config/problems.js'
import { type Results, resultsIn } from './results-store.js'

const shortestPrefix = 8

/**
 * Finds the run that a string refers to: an id, a unique prefix of one, `latest`, `<experiment>`,
 * `<experiment>@latest`, `<experiment>@<variant>`, `latest@<variant>`, a variant of the newest session,
 * `<experiment>@baseline`, any of these with `~1` for the run before it, or the path of a run's directory or of a bundle with one run.
 *
 * @param kinds the kinds that `latest` may select. Default: a run of agents or a calibration
 * @throws `usage-invalid` with similar runs
 */
export async function findRun(
  results: Results,
  text: string,
  cwd: string = process.cwd(),
  kinds: readonly RunResult['kind'][] = ['agent', 'judge'],
): Promise<RunResult> {
  const { store } = await resultsHolding(results, text, cwd)
  if (isBundle(text)) {
    const path = resolve(cwd, text)
    const { openBundle, onlyRun } = await import('../bundle/read-bundle.js')
    return (await store.overview(onlyRun(path, await openBundle(path)).id)) ?? notFound(text, results)
  }
  if (text.includes('/')) {
    const name = basename(resolve(cwd, text))
    return (isRunId(name) ? await store.overview(name) : undefined) ?? notFound(text, results)
  }
  if (isRunId(text)) return (await store.overview(text)) ?? notFound(text, results)
  const entries = await entriesOf(results)
  const [, later, back] = /^(.+)~(\d{1,6})$/.exec(text) ?? []
  if (later !== undefined) return before(results, entries, await findRun(results, later, cwd, kinds), Number(back))
  // The name of an experiment selects only a run that measures something.
  const own = entries.filter(({ kind }) => isMeasurement(kind))
  const [experiment = '', which] = text.split('@')
  if (experiment === 'latest') {
    const latest = own.find(({ kind }) => kinds.includes(kind)) ?? noLatest(entries, kinds, results)
    const runs = which === undefined ? [latest] : togetherWith(latest, own)
    return loaded(results, (await chosen(results, runs, which)) ?? notAmong(runs, which), text)
  }
  const runs = own.filter(({ experimentName }) => experimentName === experiment)
  if (runs.length > 0) return loaded(results, (await chosen(results, runs, which)) ?? notAmong(runs, which), text)
  if (which !== undefined) notAmongExperiments(own, experiment, results)
  const variant = variantOfNewestSession(own, text)
  return variant === undefined ? byPrefix(results, entries, text) : loaded(results, variant.id, text)
}

/** Returns the runs of a run's session, or all runs of its experiment if it has no session. */
function togetherWith({ experimentName, session }: RunEntry, entries: readonly RunEntry[]): readonly RunEntry[] {
  return entries.filter((one) => one.experimentName === experimentName && (session === null || one.session === session))
}

/** Returns the run of a variant in the newest session. */
function variantOfNewestSession(entries: readonly RunEntry[], variant: string): RunEntry | undefined {
  const newest = entries.find(({ session }) => session !== null)
  return newest && togetherWith(newest, entries).find((one) => one.variant === variant)
}

/** Returns the run of the same experiment, variant and kind that is this number of runs older. */
function before(results: Results, entries: readonly RunEntry[], run: RunResult, back: number): Promise<RunResult> {
  const { experimentName, variant, kind } = run
  const alike = entries.filter(
    (one) => one.experimentName === experimentName && one.variant === variant && one.kind === kind,
  )
  const found = alike[alike.findIndex(({ id }) => id === run.id) + back]
  if (found !== undefined) return loaded(results, found.id, found.id)
  const runs = alike.length === 1 ? 'is the only run' : `is one of ${alike.length} runs`
  throw usageInvalid(
    'run',
    `No run is ${back} before ${run.id}, which ${runs} of ${name(run)}. All: ${commandLine('list')}`,
  )
}

function name({ experimentName, variant }: RunResult): string {
  return variant === null ? `"${experimentName}"` : `"${experimentName}@${variant}"`
}

/** Reports that no run qualifies as `latest`. */
function noLatest(entries: readonly RunEntry[], kinds: readonly RunResult['kind'][], { shown }: Results): never {
  const [newest] = entries
  if (newest === undefined) throw usageInvalid('run', `No run in ${shown}. Make one: ${commandLine('run')}`)
  const wanted = kinds.includes('judge') ? 'run of an agent or calibration' : 'run of an agent'
  const named = `${newest.id} (${newest.experimentName}, kind ${newest.kind})`
  throw usageInvalid(
    'run',
    `"latest" is the newest ${wanted}, and ${shown} has none. Name another run, such as ${named}. All: ${commandLine('list')}`,
  )
}

/** Reports that the experiment has runs, but not this one. */
function notAmong(runs: readonly RunEntry[], which = ''): never {
  const name = runs[0]?.experimentName ?? ''
  if (which === 'baseline')
    throw usageInvalid(
      'run',
      `The latest run of "${name}" names no baseline. Name one: ${commandLine('run', '--baseline', 'RUN')}`,
    )
  const variants = [...new Set(runs.flatMap(({ variant }) => variant ?? []))]
  throw usageInvalid('run', `No run of "${name}" has the variant "${which}".${unknownAmong(which, variants)}`)
}

function notAmongExperiments(runs: readonly RunEntry[], name: string, { shown }: Results): never {
  const known = [...new Set(runs.map(({ experimentName }) => experimentName))]
  throw usageInvalid('run', `No run of "${name}" in ${shown}.${unknownAmong(name, known, 'There are runs of')}`)
}

async function chosen(
  { store }: Results,
  runs: readonly RunEntry[],
  which: string | undefined,
): Promise<string | undefined> {
  if (which === undefined || which === 'latest') return runs[0]?.id
  if (which !== 'baseline') return runs.find(({ variant }) => variant === which)?.id
  const latest = runs[0] === undefined ? undefined : await store.overview(runs[0].id)
  if (latest === undefined || latest.baseline === null) return undefined
  return (await resolveBaseline(store, latest))?.id
}

async function byPrefix(results: Results, entries: readonly RunEntry[], text: string): Promise<RunResult> {
  const fitting = entries.filter(({ id }) => id.startsWith(text))
  if (fitting.length === 0) return notFound(text, results)
  if (text.length >= shortestPrefix && fitting.length === 1) return loaded(results, fitting[0]?.id, text)
  const list = fitting.slice(0, 10).map(({ id, experimentName }) => `${id} (${experimentName})`)
  const advice = text.length < shortestPrefix ? `Give at least ${shortestPrefix} characters` : 'Give more characters'
  const runs = fitting.length === 1 ? '1 run' : `${fitting.length} runs`
  throw usageInvalid('run', `"${text}" fits ${runs}. ${advice}. Latest: ${list.join(', ')}.`)
}

async function loaded(results: Results, id: string | undefined, text: string): Promise<RunResult> {
  return (id === undefined ? undefined : await results.store.overview(id)) ?? notFound(text, results)
}

async function entriesOf({ store }: Results): Promise<readonly RunEntry[]> {
  const entries: RunEntry[] = []
  for await (const entry of store.list()) entries.push(entry)
  return entries
}

async function notFound(text: string, results: Results): Promise<never> {
  const entries = await entriesOf(results)
  const latest = entries.slice(0, 5).map(({ id, experimentName }) => `${id} (${experimentName})`)
  const hint =
    latest.length === 0
      ? `There are no runs yet. Make one: ${commandLine('run')}`
      : `Latest: ${latest.join(', ')}. All: ${commandLine('list')}`
  const known = [...new Set(entries.map(({ experimentName }) => experimentName))]
  const ofVariant = entries.filter(({ variant }) => variant === text).map((one) => `${one.experimentName}@${text}`)
  const meant =
    ofVariant.length === 0
      ? didYouMean(text, [...known, 'latest'])
      : ` Did you mean ${[...new Set(ofVariant)].map((name) => `"${name}"`).join(' or ')}?`
  throw usageInvalid('run', `No run "${text}" in ${results.shown}.${meant} ${hint}`)
}

/**
 * Returns the results that contain a run: those of the directory or bundle that the string is a path of, otherwise the
 * given ones.
 */
export async function resultsHolding(results: Results, text: string, cwd: string): Promise<Results> {
  if (isBundle(text)) {
    const { openBundle } = await import('../bundle/read-bundle.js')
    const { directory } = await openBundle(resolve(cwd, text))
    return resultsIn(directory, text)
  }
  if (!text.includes('/') || !isRunId(basename(resolve(cwd, text)))) return results
  const directory = dirname(dirname(resolve(cwd, text)))
  return resultsIn(directory, directory)
}

export function isBundle(text: string): boolean {
  return text.endsWith('.tgz')
}
