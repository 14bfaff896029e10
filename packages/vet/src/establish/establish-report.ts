import type { ExperimentResult } from '@jurist/experiment/result'
import type { TestsLock } from '@jurist/workspace/commands'

/** The trials of an item with its reference, or with nothing done. */
export interface EstablishedTrials {
  /** How many ran. */
  readonly trials: number
  readonly passed: number
  readonly failed: number
  /** Trials that decided nothing. */
  readonly undecided: number
  /** Why the first that did not pass did not; `null`: all passed. */
  readonly reason: string | null
}

/** What is known of one item. */
export interface EstablishedItem {
  readonly itemId: string
  /** `null`: the item has no right answer to try. */
  readonly reference: EstablishedTrials | null
  /** With nothing done; `null`: not tried, since nothing is the right answer. */
  readonly idle: EstablishedTrials | null
  /** Whether the reference passes, each time; `null`: it could not be tried. */
  readonly solvable: boolean | null
  /** Whether nothing at all passes; `null`: it could not be tried. */
  readonly trivial: boolean | null
  /** Whether equal trials ended differently. */
  readonly flaky: boolean
  /** The named tests; `null`: no judge reports any. */
  readonly tests: TestsLock | null
  /** How its `tests.lock.json` differs from what was found now; `null`: it has none. */
  readonly lock: 'same' | 'differs' | 'stale' | null
}

/** The result of `establish`: plain data. */
export interface EstablishReport {
  readonly schemaVersion: 1
  readonly kind: 'establish'
  readonly experiment: string
  readonly runId: string
  /** Whether every trial ran. */
  readonly complete: boolean
  /** How often the reference and nothing were tried on each item. */
  readonly repeat: number
  readonly isolation: string
  readonly items: readonly EstablishedItem[]
  /** Counts of items; `of` is those where it could be tried. */
  readonly solvable: { readonly count: number; readonly of: number }
  readonly trivial: { readonly count: number; readonly of: number }
  readonly flaky: { readonly count: number; readonly of: number }
  /** Members that were left out since they cost money. */
  readonly skippedMembers: readonly string[]
  /** The lock files that were written, relative to the dataset. */
  readonly written: readonly string[]
  readonly durationMs: number
  /** `problems`: an item is not solvable, trivial or flaky. `nothing-said`: trials decided nothing or did not run. */
  readonly conclusion: 'sound' | 'problems' | 'nothing-said'
}

/** What a report is made of. */
interface EstablishParts
  extends Pick<EstablishReport, 'items' | 'repeat' | 'isolation' | 'skippedMembers' | 'written'> {
  /** The run that found, and the one that decided. */
  readonly results: readonly [ExperimentResult, ...ExperimentResult[]]
}

/** How many canaries of an item count against guessing; `undefined`: no judge lays tests over the work, or all leave them out. */
export function countedCanaries({ tests }: EstablishedItem): number | undefined {
  const sets = tests?.canaries
  return sets && sum(sets.map(({ changes }) => changes.filter(({ counts }) => counts).length))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Code that cannot tell right expectations from changed ones passes fewer of them with at least one chance in eight. */
export const enoughCanaries = 3

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
