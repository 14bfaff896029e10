import type { DatasetItem } from '@jurist/experiment'
import { type ItemResult, reasonOf } from '@jurist/experiment/result'
import type { TestsLock } from '@jurist/workspace/commands'
import type { EstablishedItem, EstablishedTrials } from './establish-report.js'
import { foundTests, type TrialTests, testsOf } from './named-tests.js'

/** The trials of an item by what was done in them. */
export interface ItemTrials {
  readonly reference: readonly ItemResult[]
  readonly idle: readonly ItemResult[]
}

/** What the trials of an item say about it. */
export function establishedItem(
  item: DatasetItem,
  { reference, idle }: ItemTrials,
  juryFingerprint: string,
): EstablishedItem {
  const tests = lockOf(item, { reference, idle }, juryFingerprint)
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
  return Object.freeze({
    ...foundTests(idle, reference),
    seconds: Math.round(median(reference) * 10) / 10,
    tool: first.tool,
    juryFingerprint,
    itemHash: hash,
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
  return tests !== null && names(tests) === names(testsLock) ? 'same' : 'differs'
}
