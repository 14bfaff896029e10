import { isPlainObject } from '@jurist/core/internal'
import {
  comparedTrials,
  isOfSession,
  liftHeadline,
  liftNotes,
  liftOf,
  type PairTest,
  pairwiseTests,
  paretoFront,
  readUndecidedJudges,
  resultWithItems,
  testsCannotFailText,
  type UndecidedJudge,
  undecidedJudges,
  type VariantFigures,
  variantFigures,
} from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { RunReader } from './run-reader.js'

/** Several runs side by side: the variants of a session, or chosen runs. */
export interface SessionDocument {
  /** `null` for chosen runs. */
  readonly session: string | null
  /** `null` if the runs belong to several experiments. */
  readonly experimentName: string | null
  readonly variants: readonly VariantFigures[]
  /** The warnings about trials whose tests passed whatever they expected, by run. */
  readonly testsCannotFail: readonly { readonly run: string; readonly text: string }[]
  /** The judges that decided too little, by run. */
  readonly undecidedJudges: readonly { readonly run: string; readonly judges: readonly UndecidedJudge[] }[]
  /** The conclusion of a study of a skill, as `jurist lift` prints it; `null`: the runs are not such a study, or have not ended. */
  readonly lift: readonly string[] | null
  /** Each pair of runs, by their indexes. */
  readonly pairs: readonly PairTest[]
  /** The indexes of the variants that no other one beats in both cost per trial and pass rate, the cheapest first. */
  readonly front: readonly number[]
}

/** How many runs are shown together: 30 runs have 435 pairs. */
const mostRuns = 30

/** Reads the newest run of each variant of a session; `undefined` for an unknown session. */
export async function sessionDocument(
  experimentName: string,
  session: string,
  reader: RunReader,
): Promise<SessionDocument | undefined> {
  const entries = await reader.entries()
  const variants = new Map<string | null, RunEntry>()
  for (const entry of entries)
    if (isOf(entry, experimentName, session) && !variants.has(entry.variant)) variants.set(entry.variant, entry)
  const runs = [...variants.values()].toReversed()
  return runs.length === 0 ? undefined : { ...(await comparisonOfRuns(runs, reader)), session }
}

/** A run that was judged again does not replace the run that it was judged from. */
function isOf(entry: RunEntry, experimentName: string, session: string): boolean {
  const { excluded, kind } = entry
  return entry.experimentName === experimentName && entry.session === session && excluded === null && isOfSession(kind)
}

/** Reads chosen runs in the order of choosing; `undefined` if one is unknown. */
export async function togetherDocument(
  ids: readonly string[],
  reader: RunReader,
): Promise<SessionDocument | undefined> {
  const entries = await reader.entries()
  const runs = [...new Set(ids)].map((id) => entries.find((entry) => entry.id === id))
  const known = runs.filter((run) => run !== undefined)
  return known.length < runs.length || known.length === 0 ? undefined : comparisonOfRuns(known, reader)
}

async function comparisonOfRuns(entries: readonly RunEntry[], reader: RunReader): Promise<SessionDocument> {
  const runs = entries.slice(0, mostRuns)
  const ids = runs.map(({ id }) => id)
  const { variants, pairs, undecided, testsCannotFail } =
    (await reader.combined(ids, 'session', { part: partOf, of: testedParts })) ?? none
  const read = async ({ id, variant }: RunEntry) => {
    const run = await reader.run(id)
    return { run: variant ?? id, judges: run === undefined ? [] : await readUndecidedJudges(run) }
  }
  const silent = runs.filter(({ id }) => undecided.includes(id))
  const names = new Set(runs.map(({ experimentName }) => experimentName))
  return {
    session: null,
    experimentName: names.size === 1 ? (runs[0]?.experimentName ?? null) : null,
    variants,
    testsCannotFail,
    undecidedJudges: await Promise.all(silent.map(read)),
    lift: await liftSentences(runs, reader),
    pairs,
    front: paretoFront(variants.map(({ costPerTrialUsd, passRate }) => ({ costUsd: costPerTrialUsd, passRate }))),
  }
}

async function liftSentences(entries: readonly RunEntry[], reader: RunReader): Promise<readonly string[] | null> {
  const ended = entries.filter(({ kind, status }) => kind === 'lift' && status !== 'running')
  if (entries.length !== 2 || ended.length !== 2) return null
  const runs = await Promise.all(entries.map(({ id }) => reader.run(id)))
  const [one, other] = runs.flatMap((run) => run ?? [])
  if (one === undefined || other === undefined) return null
  // The arm with nothing, or with the earlier version, comes first, whichever run began earlier.
  const [without, withIt] = one.variant === 'with' || one.variant === 'after' ? [other, one] : [one, other]
  const facts = without.metadata['lift']
  const planned = isPlainObject(facts) ? facts['planned'] : undefined
  const lift = liftOf(await resultWithItems(without), await resultWithItems(withIt), Number(planned ?? 0))
  return [
    liftHeadline(lift),
    ...liftNotes(
      lift,
      [without, withIt].map(({ variant }) => variant ?? ''),
    ),
  ]
}

const none = { variants: [], pairs: [], undecided: [] as readonly string[], testsCannotFail: [] } as const

/** The part of a run that is kept while the others are read. */
function partOf(run: RunResult) {
  return {
    figures: variantFigures(run),
    trials: comparedTrials(run),
    isUndecided: undecidedJudges(run, []).length > 0,
    cannotFail: testsCannotFailText(run),
  }
}

function testedParts(parts: readonly ReturnType<typeof partOf>[]) {
  return {
    variants: parts.map(({ figures }) => figures),
    pairs: pairwiseTests(parts.map(({ trials }) => trials)),
    testsCannotFail: parts.flatMap(({ figures, cannotFail }) =>
      cannotFail === '' ? [] : { run: figures.variant ?? figures.id, text: cannotFail },
    ),
    undecided: parts.flatMap(({ figures, isUndecided }) => (isUndecided ? [figures.id] : [])),
  }
}
