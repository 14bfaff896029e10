import { type TestCase, testCase } from '../reports/test-report.js'
import { logParsers } from './log-parsers.js'
import type { LogOrigin, LogParser, LogStatus, LogStatuses } from './log-status.js'

/** The tests of a log, or why it cannot be believed. */
export interface ReadLog {
  readonly tests: readonly TestCase[]
  /** The reason why the log proves nothing about the tests. */
  readonly problem?: string
}

export interface LogReading extends LogOrigin {
  readonly parser: string
  /** The exit code of the test command. Default: the one that the log records; `null` if it does not record one. */
  readonly exitCode?: number | null
  /** Whether the log is invalid without the lines that begin and end the results. */
  readonly needsMarkers: boolean
}

/** Lines that the evaluation scripts of SWE-bench print. */
const marks = {
  begin: '>>>>> Start Test Output',
  end: '>>>>> End Test Output',
  exitCode: '>>>>> Test Exit Code',
} as const

/** Lines that mean that nothing was tested. */
const stops: readonly (readonly [line: string, problem: string])[] = [
  ['>>>>> Patch Apply Failed', 'the patch could not be applied'],
  ['>>>>> Reset Failed', 'the repository could not be reset'],
  ['>>>>> Tests Errored', 'the tests could not be run'],
  ['>>>>> Tests Timed Out', 'the tests took too long'],
]

/**
 * Summaries that runners print when tests ran; every count is above zero. Runners that name only failed tests print
 * nothing else if all of them passed. Counts are limited in length: a log that contains only digits must not take long.
 */
const suiteRan: readonly RegExp[] = [
  /Executed [1-9]\d* of \d+/,
  /TOTAL: [1-9]\d* (?:SUCCESS|FAILED)/,
  /[1-9]\d{0,9} passing/,
  /Tests:\s+[1-9]/,
  /Test Suites:\s+(?:\d+ \w+, )*[1-9]\d* total/,
  /^# tests [1-9]/m,
  /[1-9]\d{0,9} specs?, \d+ failures?/,
  /': ok$/m,
]

/** The exit code of the test command in a log. */
function recordedExitCode(log: string): number | null {
  const found = />>>>> Test Exit Code:\s*(-?\d+)/.exec(log)?.[1]
  return found === undefined ? null : Number(found)
}

/** Reads the tests of a log by the rules of SWE-bench's harness. */
export function readLog(log: string, reading: LogReading): ReadLog {
  const stopped = stops.find(([line]) => log.includes(line))
  if (stopped !== undefined) return { tests: [], problem: stopped[1] }
  const isMarked = log.includes(marks.begin) && log.includes(marks.end)
  if (!isMarked && reading.needsMarkers)
    return { tests: [], problem: `the log lacks the line "${marks.begin}" or "${marks.end}"` }
  const parser = logParsers[reading.parser] ?? noTests
  const between = isMarked ? parser(betweenMarks(log), reading) : new Map<string, LogStatus>()
  const tests = testsOf(between.size > 0 ? between : parser(log, reading))
  return believed(tests, log, reading.exitCode === undefined ? recordedExitCode(log) : reading.exitCode)
}

/** Returns the tests, unless nothing shows that they ran, or the exit code means that one of them must have failed. */
export function believed(tests: readonly TestCase[], log: string, exitCode: number | null): ReadLog {
  if (tests.length === 0 && !suiteRan.some((evidence) => evidence.test(log)))
    return { tests, problem: 'no result of a test, and nothing shows that tests ran' }
  const isBad = tests.some(({ status }) => status === 'failed' || status === 'errored')
  if (exitCode !== null && exitCode !== 0 && tests.length > 0 && !isBad)
    return { tests: [], problem: `the tests ended with exit code ${exitCode}, but none is reported as failed` }
  return { tests }
}

const noTests: LogParser = () => new Map()

function betweenMarks(log: string): string {
  return log.split(marks.begin, 2)[1]?.split(marks.end, 1)[0] ?? ''
}

const statuses: Readonly<Record<LogStatus, TestCase['status']>> = {
  PASSED: 'passed',
  XFAIL: 'passed',
  FAILED: 'failed',
  ERROR: 'errored',
  SKIPPED: 'skipped',
}

function testsOf(found: LogStatuses): readonly TestCase[] {
  return [...found].map(([name, status]) =>
    testCase(name, statuses[status], status === 'XFAIL' ? 'failed, as it is expected to' : ''),
  )
}
