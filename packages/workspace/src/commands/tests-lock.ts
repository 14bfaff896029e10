import type { JsonObject, JudgmentContext } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { isPlainObject, option } from '@jurist/core/internal'
import type { CanarySet } from './canaries/canary-plan.js'
import { distinctTests, type TestCase } from './reports/test-report.js'

/**
 * The named tests that distinguish a solution of an item from its initial state: `tests.lock.json` next to `item.json`.
 * `jurist vet establish --write` creates it.
 */
export interface TestsLock {
  /** Ids of tests that fail or do not exist in the initial state, and pass with the reference. */
  readonly failToPass: readonly string[]
  /** Ids of tests that pass in the initial state and with the reference. */
  readonly passToPass: readonly string[]
  /** Ids of tests with different results in equal runs. They decide nothing. */
  readonly flaky: readonly string[]
  /** How long the tests take with the reference, in seconds. */
  readonly seconds: number
  /** The tool that ran the tests, such as `npm` or `pytest`. */
  readonly tool: string
  /** The fingerprint of the jury that ran them. */
  readonly juryFingerprint: string
  /** The SHA-256 hash of the item. */
  readonly itemHash: string
  /** Tests that fail if their expectation is changed, for each judge that lays tests over the work. */
  readonly canaries?: readonly CanarySet[]
}

/** The key of the lock in the metadata of a context. Agents cannot set it. */
const lockKey = 'testsLock'
/**
 * The key in the metadata of a context that requests the status of every test in the metadata of the judgment. Agents
 * cannot set it.
 */
const recordKey = 'recordTests'

/** Returns the canaries that the lock of the item has for a judge; `undefined` without any. */
export function lockedCanaries({ metadata }: JudgmentContext, judge: string): CanarySet | undefined {
  const lock = metadata[lockKey]
  if (!isPlainObject(lock) || !Array.isArray(lock.canaries)) return undefined
  return (lock.canaries as readonly CanarySet[]).find((set) => set.judge === judge)
}

/** Whether to find canaries: in the first of the trials that establish an item, which has its reference. */
export function findsCanaries({ metadata, reference }: JudgmentContext): boolean {
  return (
    metadata[recordKey] === true &&
    metadata[lockKey] === undefined &&
    metadata['repetition'] === 1 &&
    reference !== undefined
  )
}

export interface LockedTests {
  readonly mustPass: readonly string[]
  readonly mustStayPassing: readonly string[]
}

/**
 * Returns the tests that the lock of the item requires; `undefined` while they are being established.
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
  const message = 'The item has no tests.lock.json, which "expect" asks for. Make it with jurist vet establish --write.'
  throw new JuristError('not-found', message, { path: 'tests.lock.json' })
}

/** Returns the status of every test, if the context requests it. */
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
