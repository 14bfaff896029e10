import { flatten } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '@jurist/experiment'
import { type ItemResult, reasonOf } from '@jurist/experiment/result'
import type { CanarySet, TestsLock } from '@jurist/workspace/commands'
import type { EstablishedItem, EstablishedTrials } from './establish-report.js'

/** The tests that the judges of a trial reported. */
interface TrialTests {
  readonly passed: ReadonlySet<string>
  readonly seen: ReadonlySet<string>
  /** The tool that ran the tests. */
  readonly tool: string
  readonly seconds: number
  /** Whether a judge demands the tests of a lock. */
  readonly expectsLock: boolean
}

/** The named tests of identical trials without any change and with the reference. */
interface FoundTests {
  readonly failToPass: readonly string[]
  readonly passToPass: readonly string[]
  readonly flaky: readonly string[]
}

/**
 * Returns the tests that the judges of a trial reported; `undefined` if there are none. If some judges demand the tests
 * of a lock, only these count, because the lock is for them.
 */
export function testsOf({ verdict }: ItemResult): TrialTests | undefined {
  if (verdict === null) return undefined
  const all = flatten(verdict).flatMap(({ kind, judgment }) => {
    const { tests, tool, ...metadata } = judgment.metadata
    if (kind !== 'judge' || !isPlainObject(tests)) return []
    const ids = (status: string) => (Array.isArray(tests[status]) ? (tests[status] as readonly string[]) : [])
    const seen = ['passed', 'failed', 'errored', 'skipped'].flatMap(ids)
    const elapsedMs = metadata['elapsedMs'] ?? judgment.elapsedMs
    return {
      passed: ids('passed'),
      seen,
      tool: typeof tool === 'string' ? tool : 'command',
      seconds: typeof elapsedMs === 'number' ? elapsedMs / 1000 : 0,
      expectsLock: tests.expectsLock === true,
    }
  })
  const expecting = all.filter(({ expectsLock }) => expectsLock)
  const counted = expecting.length > 0 ? expecting : all
  const [first] = counted
  if (first === undefined) return undefined
  return {
    passed: new Set(counted.flatMap(({ passed }) => passed)),
    seen: new Set(counted.flatMap(({ seen }) => seen)),
    tool: first.tool,
    seconds: counted.reduce((sum, { seconds }) => sum + seconds, 0),
    expectsLock: expecting.length > 0,
  }
}

/**
 * Sorts tests by their results: those that change from failing or missing to passing, those that pass in both cases,
 * and flaky ones, whose results differ between identical trials. Tests that pass in neither case, or only before, are
 * left out.
 */
function foundTests(idle: readonly TrialTests[], reference: readonly TrialTests[]): FoundTests {
  const ids = [...new Set([...reference, ...idle].flatMap(({ seen }) => [...seen]))].sort()
  const share = (trials: readonly TrialTests[], id: string) => trials.filter(({ passed }) => passed.has(id)).length
  const found = { failToPass: [] as string[], passToPass: [] as string[], flaky: [] as string[] }
  for (const id of ids) {
    const [before, after] = [share(idle, id), share(reference, id)]
    const isMixed = (before > 0 && before < idle.length) || (after > 0 && after < reference.length)
    if (isMixed) found.flaky.push(id)
    else if (after > 0) (before > 0 ? found.passToPass : found.failToPass).push(id)
  }
  return found
}

export interface ItemTrials {
  readonly reference: readonly ItemResult[]
  readonly idle: readonly ItemResult[]
}

/**
 * The trials with the right answer and without any change that the named tests and canaries judged; `null` if there is
 * no such trial.
 */
export interface DecidedTrial {
  readonly reference: ItemResult | null
  readonly idle: ItemResult | null
}

/** Keyed by item. Items for which nothing is known are missing. */
export type DecidedTrials = ReadonlyMap<string, DecidedTrial>

/** Returns the first trial of each kind. If identical trials have different results, the item is flaky anyway. */
export function decidedTrials(trials: ReadonlyMap<string, ItemTrials>): DecidedTrials {
  return new Map(
    [...trials].map(
      ([
        id,
        {
          reference: [reference = null],
          idle: [idle = null],
        },
      ]) => [id, { reference, idle }],
    ),
  )
}

/** Whether canaries were found. A judgment without them is not equivalent. */
export function hasCanaries(tests: TestsLock | null): boolean {
  return tests?.canaries?.some(({ changes }) => changes.length > 0) === true
}

/**
 * Builds the findings about an item from its trials.
 *
 * @param lock the lock that decided in them. Without one, canaries were searched
 */
export function establishedItem(
  item: DatasetItem,
  { reference, idle }: ItemTrials,
  juryFingerprint: string,
  lock?: TestsLock,
): EstablishedItem {
  const found = lockOf(item, { reference, idle }, juryFingerprint)
  const tests = found === null || lock?.canaries === undefined ? found : { ...found, canaries: lock.canaries }
  const [solved, done] = [countsOf(reference), countsOf(idle)]
  return Object.freeze({
    itemId: item.id,
    reference: solved,
    idle: done,
    solvable: solved === null || solved.undecided > 0 ? null : solved.failed === 0,
    trivial: done === null || done.undecided > 0 ? null : done.passed > 0,
    flaky: isMixed(solved) || isMixed(done) || (tests?.flaky.length ?? 0) > 0,
    tests,
    lock: lockState(item, tests),
  })
}

function countsOf(trials: readonly ItemResult[]): EstablishedTrials | null {
  if (trials.length === 0) return null
  const passed = trials.filter((one) => one.passed === true).length
  const failed = trials.filter((one) => one.passed === false).length
  const other = trials.find((one) => one.passed !== true)
  return {
    trials: trials.length,
    passed,
    failed,
    undecided: trials.length - passed - failed,
    reason: other === undefined ? null : reasonOf(other),
  }
}

function isMixed(counts: EstablishedTrials | null): boolean {
  return counts !== null && counts.passed > 0 && counts.failed > 0
}

function lockOf({ hash }: DatasetItem, trials: ItemTrials, juryFingerprint: string): TestsLock | null {
  const reference = trials.reference.map(testsOf).filter((one) => one !== undefined)
  const idle = trials.idle.map(testsOf).filter((one) => one !== undefined)
  const [first] = reference
  if (first === undefined) return null
  const canaries = trials.reference.flatMap(canariesOf)
  return Object.freeze({
    ...foundTests(idle, reference),
    seconds: Math.round(median(reference) * 10) / 10,
    tool: first.tool,
    juryFingerprint,
    itemHash: hash,
    ...(canaries.length === 0 ? {} : { canaries }),
  })
}

function canariesOf({ verdict }: ItemResult): readonly CanarySet[] {
  if (verdict === null) return []
  return flatten(verdict).flatMap(({ kind, judgment }) => {
    const { canaries } = judgment.metadata
    return kind === 'judge' && isPlainObject(canaries) && Array.isArray(canaries['changes'])
      ? [canaries as unknown as CanarySet]
      : []
  })
}

function median(trials: readonly TrialTests[]): number {
  const sorted = trials.map(({ seconds }) => seconds).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function lockState({ testsLock, hash }: DatasetItem, tests: TestsLock | null): EstablishedItem['lock'] {
  if (testsLock === undefined) return null
  if (testsLock.itemHash !== hash) return 'stale'
  const names = ({ failToPass, passToPass }: TestsLock) =>
    JSON.stringify([[...failToPass].sort(), [...passToPass].sort()])
  const isSame = tests !== null && names(tests) === names(testsLock)
  return isSame && mayKeepCanaries(testsLock.canaries, tests.canaries) ? 'same' : 'differs'
}

/**
 * Whether a lock has canaries for each judge that has some now. Which ones are found is random, so only their number
 * counts.
 */
function mayKeepCanaries(locked: TestsLock['canaries'] = [], found: TestsLock['canaries'] = []): boolean {
  const count = (sets: readonly CanarySet[], judge: string) =>
    sets.find((one) => one.judge === judge)?.changes.length ?? 0
  return found.every(({ judge, changes }) => Math.min(changes.length, 1) <= count(locked, judge))
}
