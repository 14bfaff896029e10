import type { TestCase } from './reports/test-report.js'

/** A class or a module whose tests never began, as reports of JUnit name it. */
const junitSuite = /^[^#]*$|#$|#(?:initializationError|executionError)$|^unittest\.loader\._FailedTest#/

/**
 * The tests of a report that are none: a file that could not be loaded, a class that could not be set up, a plan that was
 * not met. The tests in them are not in the report, so nobody knows how many there are.
 */
export function unloadedSuites(format: string, tests: readonly TestCase[]): readonly TestCase[] {
  // Only JUnit says of a test that it errored; the others say it of what stands around tests.
  const isSuite = ({ id }: TestCase) => !format.includes('junit') || junitSuite.test(id)
  return tests.filter((test) => test.status === 'errored' && isSuite(test))
}
