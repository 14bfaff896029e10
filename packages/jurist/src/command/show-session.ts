import {
  comparedTrials,
  isMeasurement,
  pairwiseTests,
  readUndecidedJudges,
  testsCannotFailText,
  type VariantFigures,
  variantFigures,
} from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/called-as'
import { usageInvalid } from '../config/problems.js'
import { type SessionFigures, sessionReport } from '../terminal/session-report.js'
import type { Host } from './host.js'
import type { Results } from './results-store.js'

/** The runs of a session of one experiment, oldest first: the newest one of each variant. */
interface FoundSession {
  readonly session: string
  readonly experimentName: string
  readonly runs: readonly RunEntry[]
}

/**
 * The sessions with this name, one for each experiment that has one. A name that an experiment has too is that of the
 * experiment.
 */
async function findSessions({ store }: Results, name: string): Promise<readonly FoundSession[]> {
  const byExperiment = new Map<string, Map<string, RunEntry>>()
  for await (const entry of store.list({ includeExcluded: true, order: 'oldest' })) {
    if (entry.experimentName === name) return []
    if (entry.session !== name || entry.excluded !== null || !isMeasurement(entry.kind)) continue
    const variants = byExperiment.get(entry.experimentName) ?? new Map<string, RunEntry>()
    byExperiment.set(entry.experimentName, variants.set(entry.variant ?? '', entry))
  }
  return [...byExperiment].map(([experimentName, variants]) => ({
    session: name,
    experimentName,
    runs: [...variants.values()],
  }))
}

/**
 * Prints the sessions with this name: their variants, and the tests of every two of them.
 *
 * @param wanted a flag that shows trials, which a session does not have itself
 * @returns whether there is such a session
 */
export async function showSession(
  host: Host,
  results: Results,
  name: string,
  { isJson, wanted }: { readonly isJson: boolean; readonly wanted: string | undefined },
): Promise<boolean> {
  const sessions = await findSessions(results, name)
  const [first] = sessions
  if (first === undefined) return false
  if (wanted !== undefined) {
    const run = first.runs[0]?.id ?? '<run>'
    throw usageInvalid(wanted, `"${name}" is a session. Name one of its runs: ${commandLine('show', run)}`)
  }
  const figures: SessionFigures[] = []
  for (const session of sessions) figures.push(await figuresOf(results, session))
  if (isJson) host.json(figures.length === 1 ? figures[0] : figures)
  else for (const one of figures) host.terminal.out(`${sessionReport(one, host.terminal)}\n`)
  return true
}

/** The runs are read one after the other, and only what is compared is kept of each. */
async function figuresOf({ store }: Results, { session, experimentName, runs }: FoundSession): Promise<SessionFigures> {
  const variants: VariantFigures[] = []
  const trials: ReturnType<typeof comparedTrials>[] = []
  const undecidedJudges: SessionFigures['undecidedJudges'][number][] = []
  const testsCannotFail: SessionFigures['testsCannotFail'][number][] = []
  for (const { id } of runs) {
    const run = await store.overview(id)
    if (run === undefined) continue
    variants.push(variantFigures(run))
    trials.push(comparedTrials(run))
    const text = testsCannotFailText(run)
    if (text !== '') testsCannotFail.push({ run: run.variant ?? id, text })
    const judges = await readUndecidedJudges(run)
    if (judges.length > 0) undecidedJudges.push({ run: run.variant ?? id, judges })
  }
  return { session, experimentName, testsCannotFail, undecidedJudges, variants, pairs: pairwiseTests(trials) }
}
