import type { ExperimentResult } from '@jurist/experiment/result'
import type { EstablishedItem, EstablishReport } from './establish-report.js'

/** What a report is made of. */
export interface EstablishParts
  extends Pick<EstablishReport, 'items' | 'repeat' | 'isolation' | 'skippedMembers' | 'written'> {
  /** The run that found, and the one that decided. */
  readonly results: readonly [ExperimentResult, ...ExperimentResult[]]
}

/** Whether every trial of a run has run. */
export function hasEnded({ status, counts }: ExperimentResult): boolean {
  return status === 'completed' && counts.notRun === 0
}

/** The report of the runs that establish. */
export function establishReport({ results, items, ...parts }: EstablishParts): EstablishReport {
  const [found] = results
  const complete = results.every(hasEnded)
  const count = (key: 'solvable' | 'trivial') => {
    const known = items.filter((item) => item[key] !== null)
    return { count: known.filter((item) => item[key] === true).length, of: known.length }
  }
  const report: Omit<EstablishReport, 'conclusion'> = {
    schemaVersion: 1,
    kind: 'establish',
    experiment: found.experimentName,
    runId: found.id,
    complete,
    items,
    solvable: count('solvable'),
    trivial: count('trivial'),
    flaky: { count: items.filter(({ flaky }) => flaky).length, of: items.length },
    durationMs: results.reduce((total, { durationMs }) => total + durationMs, 0),
    ...parts,
  }
  return Object.freeze({ ...report, conclusion: conclusionOf(items, complete) })
}

function conclusionOf(items: readonly EstablishedItem[], complete: boolean): EstablishReport['conclusion'] {
  if (items.some(hasProblem)) return 'problems'
  return complete && items.every(isKnown) ? 'sound' : 'nothing-said'
}

/** Whether an item cannot be used as it is. */
export function hasProblem({ solvable, trivial, flaky }: EstablishedItem): boolean {
  return solvable === false || trivial === true || flaky
}

/** Whether everything that could be tried decided something. */
function isKnown({ reference, idle }: EstablishedItem): boolean {
  return [reference, idle].every((trials) => trials === null || trials.undecided === 0)
}
