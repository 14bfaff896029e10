import type { TestCase } from './reports/test-report.js'

/** How many tests ended how. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  readonly total: number
}

/** The tests counted by status. */
export function countTests(tests: readonly TestCase[]): TestCounts {
  const count = (status: TestCase['status']) => tests.filter((test) => test.status === status).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    errored: count('errored'),
    skipped: count('skipped'),
    total: tests.length,
  }
}

/** How many tests ran: all but the skipped ones. */
export function executed({ passed, failed, errored }: TestCounts): number {
  return passed + failed + errored
}
