import type { ExperimentResult } from '@jurist/experiment/result'
import type { TestsLock } from '@jurist/workspace/commands'

/** The results of an item's trials with its reference, or without any change. */
export interface EstablishedTrials {
  /** The number of trials that ran. */
  readonly trials: number
  readonly passed: number
  readonly failed: number
  /** The number of trials without a decision. */
  readonly undecided: number
  /** The reason of the first trial that did not pass; `null` if all passed. */
  readonly reason: string | null
}

/** The findings about one item. */
export interface EstablishedItem {
  readonly itemId: string
  /** `null` if the item has no right answer. */
  readonly reference: EstablishedTrials | null
  /** The trials without any change; `null` if they did not run, because no change is the right answer. */
  readonly idle: EstablishedTrials | null
  /** Whether the reference passes every time; `null` if it could not be tried. */
  readonly solvable: boolean | null
  /** Whether the item passes without any change; `null` if that could not be tried. */
  readonly trivial: boolean | null
  /** Whether identical trials had different results. */
  readonly flaky: boolean
  /** The named tests; `null` if no judge reports tests. */
  readonly tests: TestsLock | null
  /** How its `tests.lock.json` compares with the tests found now; `null` if there is no such file. */
  readonly lock: 'same' | 'differs' | 'stale' | null
}

/** The result of `establish`, as plain data. */
export interface EstablishReport {
  readonly schemaVersion: 1
  readonly kind: 'establish'
  readonly experiment: string
  readonly runId: string
  /** Whether every trial ran. */
  readonly complete: boolean
  /** The number of trials per item with the reference, and of those without any change. */
  readonly repeat: number
  readonly isolation: string
  /** The hosts that commands may reach; absent without an allow-list. */
  readonly network?: readonly string[]
  readonly items: readonly EstablishedItem[]
  /** Numbers of items; `of` counts those for which it could be tried. */
  readonly solvable: { readonly count: number; readonly of: number }
  readonly trivial: { readonly count: number; readonly of: number }
  readonly flaky: { readonly count: number; readonly of: number }
  /** Jury members that were left out because they cost money. */
  readonly skippedMembers: readonly string[]
  /** The lock files that were written, relative to the dataset. */
  readonly written: readonly string[]
  readonly durationMs: number
  /** `problems`: an item is unsolvable, trivial or flaky. `nothing-said`: trials did not run or had no decision. */
  readonly conclusion: 'sound' | 'problems' | 'nothing-said'
}

interface EstablishParts
  extends Pick<EstablishReport, 'items' | 'repeat' | 'isolation' | 'network' | 'skippedMembers' | 'written'> {
  /** The run that searched for tests, and the run in which they decided. */
  readonly results: readonly [ExperimentResult, ...ExperimentResult[]]
}

/**
 * The number of an item's canaries that count against guessing; `undefined` if no judge adds tests to the workspace, or
 * if all of them disable canaries.
 */
export function countedCanaries({ tests }: EstablishedItem): number | undefined {
  const sets = tests?.canaries
  return sets && sum(sets.map(({ changes }) => changes.filter(({ counts }) => counts).length))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/**
 * With three canaries, code that cannot distinguish right expectations from changed ones is caught with a probability
 * of at least seven in eight.
 */
export const enoughCanaries = 3

export function hasEnded({ status, counts }: ExperimentResult): boolean {
  return status === 'completed' && counts.notRun === 0
}

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

/** Whether every trial had a decision. */
function isKnown({ reference, idle }: EstablishedItem): boolean {
  return [reference, idle].every((trials) => trials === null || trials.undecided === 0)
}
