import { flatten } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ItemResult } from '@jurist/experiment/result'

/** The tests that the judges of a trial reported. */
export interface TrialTests {
  readonly passed: ReadonlySet<string>
  readonly seen: ReadonlySet<string>
  /** What ran them. */
  readonly tool: string
  readonly seconds: number
  /** Whether a judge demands the tests of a lock. */
  readonly expectsLock: boolean
}

/** The named tests of equal trials, with nothing done and with the reference. */
export interface FoundTests {
  readonly failToPass: readonly string[]
  readonly passToPass: readonly string[]
  readonly flaky: readonly string[]
}

/**
 * What the judges of a trial reported of their tests; `undefined` when none did. Where some demand the tests of a lock, the
 * others do not count: the lock is for those.
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
 * Sorts tests by how they end: from failing, or missing, to passing; passing both times; and flaky, which end differently in
 * equal trials. Tests that pass in neither, or only before, are in no list.
 */
export function foundTests(idle: readonly TrialTests[], reference: readonly TrialTests[]): FoundTests {
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
