import {
  comparedTrials,
  isOfSession,
  type PairTest,
  pairwiseTests,
  paretoFront,
  readUndecidedJudges,
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
  /** Every two runs, by their indexes. */
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
    pairs,
    front: paretoFront(variants.map(({ costPerTrialUsd, passRate }) => ({ costUsd: costPerTrialUsd, passRate }))),
  }
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
