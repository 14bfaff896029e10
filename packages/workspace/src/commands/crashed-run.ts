import { type Check, type CommandResult, fail, type JsonObject, type Judgment, numerical, pass } from '@jurist/core'
import { type CommandEvidence, type CommandLine, displayed } from './command-evidence.js'
import { withFirstErrorLine } from './first-error-line.js'
import { type PrintedSummary, printedLines, printedSummaries } from './printed-summary.js'
import type { TestCase } from './reports/test-report.js'

export interface UnreportedRun {
  readonly evidence: CommandEvidence
  /** Printed summaries that replace a report. */
  readonly summaries: readonly PrintedSummary[]
  readonly minTests: number | undefined
  /** Whether a run without a report counts as having run no test. */
  readonly demandsReport: boolean
  readonly metadata: JsonObject
}

/** The counts that runners printed decide. Without them, the exit code does, unless a report is required. */
export function unreportedJudgment(run: UnreportedRun): Judgment {
  const { evidence, summaries, minTests, demandsReport } = run
  const problem = breakOf(evidence.result, evidence.check.passed, undefined)
  const broken = problem === undefined ? [] : [{ name: 'run_complete', passed: false, message: problem }]
  if (summaries.length > 0) return summaryJudgment(run, broken)
  const wanted = minTests ?? Number(demandsReport)
  const checks = [
    evidence.check,
    ...broken,
    ...(wanted === 0 ? [] : [unproven(wanted, minTests === undefined && evidence.check.passed)]),
  ]
  const failed = checks.filter(({ passed }) => !passed)
  const extras = { score: numerical(failed.length === 0 ? 1 : 0), checks, metadata: run.metadata }
  if (failed.length > 0) return fail(reasons(failed, evidence), extras)
  return pass(`${evidence.check.message}; there is no report of tests`, extras)
}

function unproven(wanted: number, mayLift: boolean): Check {
  const said = `no report says that ${wanted === 1 ? 'a test' : `${wanted} tests`} ran`
  const remedy = 'name the report with "reports", or give minTests: 0 to let the exit code decide'
  return { name: 'tests_executed', passed: false, message: mayLift ? `${said}; ${remedy}` : said }
}

function summaryJudgment({ evidence, summaries, minTests = 1, metadata }: UnreportedRun, broken: readonly Check[]) {
  const sum = (count: 'passed' | 'failed' | 'skipped') =>
    summaries.reduce((total, summary) => total + summary[count], 0)
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')]
  const ran = passed + failed
  const said = `${summaries.map(({ runner }) => runner).join(', ')} printed that`
  const checks = [
    evidence.check,
    ...broken,
    ...(failed === 0 ? [] : [failedCheck('tests_passed', `${said} ${failed} of ${ran} tests failed`)]),
    ...(ran >= minTests
      ? []
      : [failedCheck('tests_executed', `${said} ${ran} tests ran, expected at least ${minTests}`)]),
  ]
  const bad = checks.filter((check) => !check.passed)
  const extras = {
    score: numerical(ran === 0 ? Number(bad.length === 0) : passed / ran),
    checks,
    metadata: { ...metadata, report: 'summary', passed, failed, errored: 0, skipped, total: ran + skipped },
  }
  return bad.length > 0 ? fail(reasons(bad, evidence), extras) : pass(`${said} ${ran} of ${ran} tests passed`, extras)
}

function failedCheck(name: string, message: string): Check {
  return { name, passed: false, message }
}

/** The failed checks and, if the command failed, its own explanation. */
function reasons(failed: readonly Check[], { check, shown }: CommandEvidence): string {
  const reasonOf = (one: Check) => (one === check ? withFirstErrorLine(one.message, shown) : one.message)
  return failed.map(reasonOf).join('; ')
}

/** Messages of runners whose test process ended too early. */
const crashes: readonly RegExp[] = [
  // Surefire.
  /^\[ERROR\].*(?:The forked VM terminated without|There was an error in the forked process)/,
  /^\[ERROR\] Crashed tests:/,
  // Gradle.
  /Process 'Gradle Test Executor \d+' finished with|Test process encountered an unexpected problem/,
]

/** The messages with which a runner begins, ends and fails. */
interface Course {
  readonly name: string
  readonly begins: (line: string) => boolean
  readonly ends: (line: string) => boolean
}
const courses: readonly Course[] = [
  {
    name: 'Maven',
    begins: (line) => line.startsWith('[INFO] Scanning for projects...'),
    ends: (line) => /^\[\w+\] BUILD (?:SUCCESS|FAILURE)\b/.test(line),
  },
  {
    name: 'pytest',
    begins: (line) => /^=+ test session starts =+$/.test(line),
    ends: (line) => line.startsWith('=') && line.endsWith('=') && / in [\d.]+ ?s(?:econds)?\b/.test(line),
  },
]
const failedBuild = /^(?:\[\w+\] BUILD FAILURE|BUILD FAILED in )\b/

/** The runners whose printed counts are compared with a report. */
const compared = new Set(['Maven', 'pytest', 'Jest', 'Vitest'])

/** The highest exit code that a program chooses itself. Higher ones mean signals and programs that were not found. */
const mostOwnCode = 125

/**
 * Explains why a run or its report cannot be believed: the run was cut short, or its runner printed other counts.
 * Returns `undefined` without such a contradiction. This is not proof, since code in the process of the runner can make
 * it print anything.
 */
export function breakOf(
  result: CommandResult,
  isExpectedCode: boolean,
  tests: readonly TestCase[] | undefined,
): string | undefined {
  const { status, exitCode, signal } = result
  if (status === 'killed') return `the run was killed by ${signal ?? 'a signal'}`
  const failed = tests?.filter((test) => test.status === 'failed' || test.status === 'errored').length ?? 0
  // The exit code of Mocha is the number of failed tests.
  const isOwnCode = isExpectedCode || exitCode === null || exitCode <= mostOwnCode || exitCode === Math.min(failed, 255)
  if (!isOwnCode) return `the run broke off with exit code ${exitCode}`
  const output = `${result.stdout}\n${result.stderr}`
  const course = courseOf(output)
  if (course.problem !== undefined) return course.problem
  if (tests === undefined) return undefined
  if (course.isFailedBuild && failed === 0) return 'the build failed, but the report names no failed test'
  const passed = tests.filter((test) => test.status === 'passed').length
  return contradiction(
    { passed, failed },
    printedSummaries(output).filter(({ runner }) => compared.has(runner)),
  )
}

const pytestCall =
  /(?:^|[;&|(]\s*|\brun\s+|\bexec\s+|\s-m\s+|^\w+=\S*\s+|\s\w+=\S*\s+)(?:[^\s;&|]*\/)?(?:pytest|py\.test)(?=$|[\s;&|)])(.*)/s

/** The arguments of pytest in a command that runs it. */
function pytestWords(command: CommandLine): readonly string[] | undefined {
  const line = typeof command === 'string' ? command : displayed(command)
  return pytestCall.exec(line)?.[1]?.split(/\s+/)
}

/**
 * Returns the variable that makes pytest print its counts at the end, however quiet the command makes it.
 *
 * @param given the options of pytest in this variable
 */
export function askingPytest(command: CommandLine, given: string | undefined): { readonly [name: string]: string } {
  const quiet = (pytestWords(command) ?? []).filter((word) => /^(?:-[a-z]*q[a-z]*|--quiet)$/i.test(word))
  const letters = quiet.reduce((sum, word) => sum + (word === '--quiet' ? 1 : word.split('q').length - 1), 0)
  if (letters === 0) return {}
  return { PYTEST_ADDOPTS: [...(given ? [given] : []), `-${'v'.repeat(letters)}`].join(' ') }
}

/**
 * Explains why a run of pytest cannot be believed, whatever its report contains: it did not print its counts. Since
 * pytest captures the output of tests, code that writes a report and ends the process prints no such end.
 */
export function unendedRun(command: CommandLine, { stdout, stderr }: CommandResult): string | undefined {
  const words = pytestWords(command)
  if (words === undefined || words.includes('no:terminal')) return undefined
  if (printedSummaries(`${stdout}\n${stderr}`).some(({ runner }) => runner === 'pytest')) return undefined
  return 'pytest did not print what it counted, so it did not finish (if its settings keep it quiet, remove "-qq" there)'
}

/** Whether the process of the tests ended too early, or a runner began and did not end. */
function courseOf(output: string): { readonly problem: string | undefined; readonly isFailedBuild: boolean } {
  const begun = new Set<Course>()
  const ended = new Set<Course>()
  let isCrashed = false
  let isFailedBuild = false
  for (const line of printedLines(output)) {
    isCrashed ||= crashes.some((crash) => crash.test(line))
    isFailedBuild ||= failedBuild.test(line)
    for (const course of courses) {
      if (course.begins(line)) begun.add(course)
      if (course.ends(line)) ended.add(course)
    }
  }
  const lost = courses.find((course) => begun.has(course) && !ended.has(course))
  const unfinished = lost && `${lost.name} began and did not finish`
  return { problem: isCrashed ? 'the process of the tests exited before they finished' : unfinished, isFailedBuild }
}

/**
 * A report may contain less than what was printed, since tests with the same id count once, but never more passed
 * tests.
 */
function contradiction(
  report: { readonly passed: number; readonly failed: number },
  summaries: readonly PrintedSummary[],
): string | undefined {
  const sum = (count: 'passed' | 'failed') => summaries.reduce((total, summary) => total + summary[count], 0)
  if (summaries.length === 0) return undefined
  if (report.passed > sum('passed'))
    return `the report says that ${report.passed} tests passed, but the runner counted ${sum('passed')}`
  if (report.failed === 0 && sum('failed') > 0)
    return `the report names no failed test, but the runner counted ${sum('failed')}`
  return undefined
}
