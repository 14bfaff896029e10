import type { JsonObject, JudgmentContext } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { isPlainObject, option } from '@jurist/core/internal'
import type { CanarySet } from './canaries/canary-plan.js'
import { distinctTests, type TestCase } from './reports/test-report.js'

/**
 * Which named tests tell a solution of an item from the workspace that it begins with: `tests.lock.json` beside `item.json`.
 * `jurist establish --write` makes it.
 */
export interface TestsLock {
  /** Ids of tests that fail, or do not exist, before and pass with the reference. */
  readonly failToPass: readonly string[]
  /** Ids of tests that pass before and with the reference. */
  readonly passToPass: readonly string[]
  /** Ids of tests that ended differently in equal runs. They decide nothing. */
  readonly flaky: readonly string[]
  /** How long the tests take with the reference. */
  readonly seconds: number
  /** What ran the tests, such as `npm` or `pytest`. */
  readonly tool: string
  /** Of the jury that ran them. */
  readonly juryFingerprint: string
  /** SHA-256 of the item. */
  readonly itemHash: string
  /** Tests that fail when their expectation is changed, for each judge that lays tests over the work. */
  readonly canaries?: readonly CanarySet[]
}

/** The key of the lock in the metadata of a context. Agents cannot set it. */
const lockKey = 'testsLock'
/** The key that asks for the status of every test in the metadata of the judgment. Agents cannot set it. */
const recordKey = 'recordTests'

/** The canaries that the lock of the item has for a judge; `undefined` without one. */
export function lockedCanaries({ metadata }: JudgmentContext, judge: string): CanarySet | undefined {
  const lock = metadata[lockKey]
  if (!isPlainObject(lock) || !Array.isArray(lock.canaries)) return undefined
  return (lock.canaries as readonly CanarySet[]).find((set) => set.judge === judge)
}

/** Whether canaries are to be found: in the first of the trials that establish an item, which has its reference. */
export function findsCanaries({ metadata, reference }: JudgmentContext): boolean {
  return (
    metadata[recordKey] === true &&
    metadata[lockKey] === undefined &&
    metadata['repetition'] === 1 &&
    reference !== undefined
  )
}

/** The ids that a lock demands. */
export interface LockedTests {
  readonly mustPass: readonly string[]
  readonly mustStayPassing: readonly string[]
}

/**
 * The tests that the lock of the item demands; `undefined` while they are being established.
 *
 * @throws `not-found` without a lock
 */
export function lockedTests({ metadata }: JudgmentContext): LockedTests | undefined {
  const lock = metadata[lockKey]
  if (isPlainObject(lock) && option.strings.holds(lock.failToPass) && option.strings.holds(lock.passToPass)) {
    const { failToPass, passToPass } = lock as unknown as TestsLock
    return { mustPass: failToPass, mustStayPassing: passToPass }
  }
  if (metadata[recordKey] === true) return undefined
  const message = 'The item has no tests.lock.json, which "expect" asks for. Make it with jurist establish --write.'
  throw new JuristError('not-found', message, { path: 'tests.lock.json' })
}

/** The status of every test, where the context asks for it. */
export function recordedTests(
  { metadata }: JudgmentContext,
  tests: readonly TestCase[],
  expectsLock: boolean,
): JsonObject {
  if (metadata[recordKey] !== true) return {}
  const ids: Record<TestCase['status'], string[]> = { passed: [], failed: [], errored: [], skipped: [] }
  for (const { id, status } of distinctTests(tests)) ids[status].push(id)
  return { tests: { ...ids, expectsLock } }
}
