import { stripVTControlCharacters } from 'node:util'
import type { CommandResult } from '@jurist/core'
import type { TestCase } from './reports/test-report.js'

/** What a runner prints when the process of the tests went before it should. */
const crashes: readonly RegExp[] = [
  // Surefire.
  /^\[ERROR\].*(?:The forked VM terminated without|There was an error in the forked process)/m,
  /^\[ERROR\] Crashed tests:/m,
  // Gradle.
  /Process 'Gradle Test Executor \d+' finished with|Test process encountered an unexpected problem/,
]

/** Runners that say when they begin and when they end. */
const courses: readonly { readonly name: string; readonly begin: RegExp; readonly end: RegExp }[] = [
  { name: 'Maven', begin: /^\[INFO\] Scanning for projects\.\.\./m, end: /^\[\w+\] BUILD (?:SUCCESS|FAILURE)\b/m },
  { name: 'pytest', begin: /^=+ test session starts =+$/m, end: /^=+ .*\bin [\d.]+ ?s(?:econds)?\b.* =+$/m },
]

/** The highest code that a program ends with by itself; those above stand for signals and for what was not found. */
const mostOwnCode = 125

/**
 * Why the report of a run cannot be believed: the run broke off, or its runner counted fewer tests. `undefined` when
 * nothing speaks against it. Code that shares a process with the runner can make it print anything, so this is no proof.
 */
export function breakOf(
  result: CommandResult,
  isExpectedCode: boolean,
  tests: readonly TestCase[],
): string | undefined {
  const { status, exitCode, signal } = result
  if (status === 'killed') return `the run was killed by ${signal ?? 'a signal'}`
  const failed = tests.filter((test) => test.status === 'failed' || test.status === 'errored').length
  // Mocha ends with the number of failed tests.
  const isOwnCode = isExpectedCode || exitCode === null || exitCode <= mostOwnCode || exitCode === Math.min(failed, 255)
  if (!isOwnCode) return `the run broke off with exit code ${exitCode}`
  const output = stripVTControlCharacters(`${result.stdout}\n${result.stderr}`)
  if (crashes.some((crash) => crash.test(output))) return 'the process of the tests went before they were over'
  const course = courses.find(({ begin, end }) => begin.test(output) && !end.test(output))
  if (course !== undefined) return `${course.name} began and did not come to its end`
  const counted = countedBy(output)
  const passed = tests.filter((test) => test.status === 'passed').length
  if (counted === undefined || passed <= counted) return undefined
  return `the report says that ${passed} tests passed, but the runner counted ${counted}`
}

/** How many tests can have passed by the summary that Surefire or pytest prints; `undefined` without one. */
function countedBy(output: string): number | undefined {
  const surefire = [
    ...output.matchAll(
      /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(?:, Flakes: \d+)?$/gm,
    ),
  ]
  if (surefire.length > 0) return sum(surefire.map(([, run]) => run))
  const [, summary] = /^=+ (.*\bin [\d.]+ ?s(?:econds)?\b.*) =+$/m.exec(output) ?? []
  if (summary === undefined) return undefined
  return sum([...summary.matchAll(/(\d+) (?:x?passed|xfailed|failed|errors?|skipped)\b/g)].map(([, count]) => count))
}

function sum(counts: readonly (string | undefined)[]): number {
  return counts.reduce((total, count) => total + Number(count), 0)
}
