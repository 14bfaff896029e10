import { comparedTrials, pairwiseTests, type VariantFigures, variantFigures } from '@jurist/experiment/internal/results'
import { usageInvalid } from '../config/problems.js'
import { type SessionFigures, sessionReport } from '../terminal/session-report.js'
import { type FoundSession, findSessions } from './find-session.js'
import type { Host } from './host.js'
import type { Results } from './results-store.js'

/**
 * Prints the sessions with this name: their variants, and the tests of every two of them.
 *
 * @param wanted a flag that shows trials, of which a session has none of its own
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
    throw usageInvalid(wanted, `"${name}" is a session. Name one of its runs: jurist show ${run}`)
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
  for (const { id } of runs) {
    const run = await store.overview(id)
    if (run === undefined) continue
    variants.push(variantFigures(run))
    trials.push(comparedTrials(run))
  }
  return { session, experimentName, variants, pairs: pairwiseTests(trials) }
}
