import {
  type Check,
  error,
  fail,
  type JsonObject,
  type Judge,
  type Judgment,
  JuristError,
  numerical,
  pass,
  withInfo,
} from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  giveInfo,
  normalizePath,
  type OptionDescriptions,
  option,
} from '@jurist/core/internal'
import { escaped, shortened } from '../../quotation.js'
import { type CommandLine, checkedCommand, commandOption } from '../command-evidence.js'
import type { Prepare } from '../command-target.js'
import { breakOf } from '../crashed-run.js'
import { parseReport } from '../reports/read-test-report.js'
import { type TestCase, testCase } from '../reports/test-report.js'
import { failedFirst, limited, shownId, type TestRun } from '../test-judgment.js'
import { countTests, testNames } from '../test-names.js'
import { checkedTestOptions, type Overlay, type TestOptions, testRules } from '../test-options.js'
import { type Grade, testRunJudge } from '../test-run.js'
import { testCommand } from '../tests-pass.js'
import { logParserNames, logParsers } from './log-parsers.js'
import type { LogOrigin, LogParser, LogStatus, LogStatuses } from './log-status.js'

/** The tests of a log, or why it cannot be believed. */
interface ReadLog {
  readonly tests: readonly TestCase[]
  /** The reason why the log proves nothing about the tests. */
  readonly problem?: string
}

interface LogReading extends LogOrigin {
  readonly parser: string
  /** The exit code of the test command. Default: the one that the log records; `null` if it does not record one. */
  readonly exitCode?: number | null
  /** Whether the log is invalid without the lines that begin and end the results. */
  readonly needsMarkers: boolean
}

/** What decides on the tests of a run or a log. */
interface Grading extends LogOrigin {
  /** Ids of tests that failed before and must pass. */
  readonly failToPass: readonly string[]
  /** Ids of tests that passed before and must still pass. */
  readonly passToPass?: readonly string[] | undefined
  /** If absent, a report is graded, whose ids may be spelled as tools spell them. */
  readonly parser?: string | undefined
  /** Whether the log names only failed tests, so that all others have passed. */
  readonly failOnly?: boolean | undefined
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
function believed(tests: readonly TestCase[], log: string, exitCode: number | null): ReadLog {
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

/** The problem of the machine in a log without results. */
interface LogTrouble {
  readonly reason: string
  /** `environment`: no change of a source causes it. `ambiguous`: a wrong change may. */
  readonly tier: 'environment' | 'ambiguous'
}

/** In order of precedence. */
const signatures: readonly (LogTrouble & { readonly pattern: RegExp })[] = [
  {
    reason: 'browser_launch_failed',
    tier: 'environment',
    pattern: /Failed to launch|Failed to connect to the bus/,
  },
  {
    reason: 'display_unavailable',
    tier: 'environment',
    pattern: /cannot open display|Missing X server|unable to open X display/,
  },
  { reason: 'out_of_memory', tier: 'environment', pattern: /Cannot allocate memory|OutOfMemoryError|^Killed$/m },
  {
    reason: 'container_unavailable',
    tier: 'environment',
    pattern: /Error response from daemon|Cannot connect to the Docker daemon/,
  },
  {
    reason: 'network_unreachable',
    tier: 'environment',
    pattern: /Could not resolve host|Temporary failure in name resolution/,
  },
  {
    reason: 'missing_module',
    tier: 'ambiguous',
    pattern: /Cannot find module|MODULE_NOT_FOUND|ModuleNotFoundError/,
  },
  { reason: 'no_tests_collected', tier: 'ambiguous', pattern: /no tests ran|collected 0 items/ },
  { reason: 'tests_timed_out', tier: 'ambiguous', pattern: /Timeout error: \d+ seconds exceeded/ },
]

/** Finds the problem of the machine that may have kept the tests from running; `undefined` if the log shows none. */
function logTrouble(log: string): LogTrouble | undefined {
  const found = signatures.find(({ pattern }) => pattern.test(log))
  return found && { reason: found.reason, tier: found.tier }
}

/** Judges a log by the tests that an instance requires. */
function gradedJudgment({ problem, tests }: ReadLog, log: string, grading: Grading, metadata: JsonObject): Judgment {
  if (problem !== undefined) return withoutResults(problem, log, metadata)
  const { status, rates, failToPass, passToPass } = resolutionOf(tests, grading)
  const all = [...failToPass, ...passToPass]
  const right = all.filter(({ passed }) => passed).length
  const { checks, omitted } = limited(failedFirst(all.map(checkOf)))
  const extras = {
    score: numerical(all.length === 0 ? 1 : right / all.length),
    checks,
    metadata: { ...metadata, ...countTests(tests), ...omitted, resolution: status, rates: { ...rates } },
  }
  const said = `${status}: ${countOf(failToPass)} FAIL_TO_PASS and ${countOf(passToPass)} PASS_TO_PASS tests are right`
  return status === 'RESOLVED_FULL' ? pass(said, extras) : fail(said, extras)
}

/** If the machine is to blame, nothing is known about the work, so the result is an error and never a failure. */
function withoutResults(problem: string, log: string, metadata: JsonObject): Judgment {
  const trouble = logTrouble(log)
  const known = { ...metadata, resolution: 'RESOLVED_NO', ...(trouble && { trouble: { ...trouble } }) }
  if (trouble?.tier === 'environment') {
    const reasoning = `${problem}; the log shows ${trouble.reason}`
    return error(reasoning, new JuristError('environment-unfit', reasoning, { problem: trouble.reason }), {
      metadata: known,
    })
  }
  const said = trouble === undefined ? problem : `${problem}; the log shows ${trouble.reason}`
  const checks = [{ name: 'log_valid', passed: false, message: said }]
  return fail(said, { score: numerical(0), checks, metadata: known })
}

function checkOf({ id, passed, test }: Demanded): Check {
  const said = test === undefined ? 'is not in the log' : test.status
  const detail = test?.message === undefined || test.message === '' ? said : `${said}: ${test.message}`
  return { name: shownId(id), passed, message: shortened(escaped(detail.replace(/\s*\n\s*/g, ' '))) }
}

function countOf(tests: readonly Demanded[]): string {
  return `${tests.filter(({ passed }) => passed).length} of ${tests.length}`
}

/** Defines how a command is run and graded by the rules of SWE-bench. */
function gradeOf(grading: Grading): { readonly prepare: (command: CommandLine) => Prepare; readonly grade: Grade } {
  const { parser } = grading
  return {
    // A parser reads the unchanged output of the command.
    prepare: (command) => (parser === undefined ? testCommand(command) : plainCommand(command)),
    grade(run) {
      const { result, check } = run.evidence
      const metadata = { ...run.evidence.metadata, ...run.metadata, parser: parser ?? null }
      if (result.status === 'timed-out') {
        const extras = { score: numerical(0), checks: [check], metadata: { ...metadata, resolution: 'RESOLVED_NO' } }
        return { run, judgment: fail(check.message, extras) }
      }
      const log = `${result.stdout}\n${result.stderr}`
      const read = unbroken(readRun(run, log, grading), run)
      const format = parser === undefined ? (run.report?.format ?? 'none') : `log of ${parser}`
      const judgment = gradedJudgment(read, log, grading, { ...metadata, report: format })
      return { run: { ...run, report: { format, tests: read.tests } }, judgment }
    },
  }
}

function readRun({ evidence, report }: TestRun, log: string, { parser, instanceId, version }: Grading): ReadLog {
  const exitCode = evidence.check.passed ? 0 : (evidence.result.exitCode ?? -1)
  if (parser === undefined) return believed(report?.tests ?? [], log, exitCode)
  return readLog(log, { parser, instanceId, version, exitCode, needsMarkers: false })
}

/** Rejects a run that was cut short: code under test may end it after it printed its own results. */
function unbroken(read: ReadLog, { evidence: { result, check } }: TestRun): ReadLog {
  const isBad = read.tests.some(({ status }) => status === 'failed' || status === 'errored')
  const problem = read.problem === undefined ? breakOf(result, check.passed || isBad, undefined) : undefined
  return problem === undefined ? read : { tests: [], problem }
}

function plainCommand(command: CommandLine): Prepare {
  return async () => ({ command, metadata: {}, env: { PYTHONUNBUFFERED: '1' } })
}

interface Demanded {
  readonly id: string
  readonly passed: boolean
  /** The test as the log names it; `undefined` if it does not. */
  readonly test: TestCase | undefined
}

interface Resolution {
  readonly status: 'RESOLVED_FULL' | 'RESOLVED_PARTIAL' | 'RESOLVED_NO'
  readonly failToPass: readonly Demanded[]
  readonly passToPass: readonly Demanded[]
  /** The shares of the tests with the right result; 1 if no test is required. */
  readonly rates: { readonly failToPass: number; readonly passToPass: number }
}

function resolutionOf(tests: readonly TestCase[], grading: Grading): Resolution {
  const find = finderOf(tests, grading)
  const demanded = (ids: readonly string[], mayBeSkipped: boolean) =>
    ids.map((id): Demanded => {
      const test = find(id)
      return { id, test, passed: isRight(test, grading, mayBeSkipped) }
    })
  const failToPass = demanded(grading.failToPass, false)
  const passToPass = demanded(grading.passToPass ?? [], true)
  const rates = { failToPass: share(failToPass), passToPass: share(passToPass) }
  return { status: statusOf(rates), failToPass, passToPass, rates }
}

function isRight(test: TestCase | undefined, { failOnly }: Grading, mayBeSkipped: boolean): boolean {
  if (failOnly === true) return test?.status !== 'failed'
  return test?.status === 'passed' || (mayBeSkipped && test?.status === 'skipped')
}

function share(all: readonly Demanded[]): number {
  return all.length === 0 ? 1 : all.filter(({ passed }) => passed).length / all.length
}

/** Partly resolved means that a part of the bug is gone and nothing else broke. */
function statusOf({ failToPass, passToPass }: Resolution['rates']): Resolution['status'] {
  if (passToPass !== 1 || failToPass === 0) return 'RESOLVED_NO'
  return failToPass === 1 ? 'RESOLVED_FULL' : 'RESOLVED_PARTIAL'
}

function finderOf(tests: readonly TestCase[], { failOnly, parser }: Grading): (id: string) => TestCase | undefined {
  const byId = new Map(tests.map((test) => [test.id, test]))
  const names = parser === undefined ? testNames(tests) : undefined
  return (id) => {
    const exact = byId.get(id)
    if (exact !== undefined || failOnly === true) return exact
    const spelled = names?.find(id) ?? []
    // If an id means several tests, all of them must have the right result.
    return truncated(id, tests) ?? spelled.find(({ status }) => status !== 'passed') ?? spelled[0]
  }
}

/**
 * Some datasets cut ids within their parameters. Such an id means every test that begins with it, if all of them have
 * the same status.
 */
function truncated(id: string, tests: readonly TestCase[]): TestCase | undefined {
  const count = (bracket: string) => id.split(bracket).length
  if (count('[') <= count(']')) return undefined
  const candidates = tests.filter((test) => test.id.startsWith(id))
  const outcomes = new Set(candidates.map(({ status }) => status === 'passed'))
  return outcomes.size === 1 ? candidates[0] : undefined
}

/** Options for running the tests of an instance. */
export type RunningOptions = Pick<
  TestOptions,
  'overlay' | 'reports' | 'cwd' | 'env' | 'timeoutMs' | 'cpuMs' | 'exitCode' | 'isolate'
>

/** Options of `swebenchGrade`. */
export interface SwebenchOptions extends RunningOptions {
  /**
   * `FAIL_TO_PASS` of the instance. Each test must have passed, or failed as expected. A test that the log does not
   * name fails.
   */
  readonly failToPass: readonly string[]
  /** `PASS_TO_PASS` of the instance. Each test must have passed, failed as expected, or been skipped. Default: none. */
  readonly passToPass?: readonly string[]
  /** The path in the workspace of a log that the harness of SWE-bench recorded, `test_output.txt`. Nothing runs. */
  readonly log?: string
  /** The path in the workspace of a recorded report: JUnit, TAP, or the JSON of Jest or Go. Nothing runs. */
  readonly report?: string
  /** The command that runs the tests, if nothing was recorded. */
  readonly command?: CommandLine
  /**
   * The parser that finds tests in a log or in the output of the command: `log_parser` of the instance, without
   * `parse_log_`. Default: `pytest` for a log; for a command, its report, as `testsPass` finds it.
   */
  readonly parser?: string
  /** Whether the log names only failed tests, so that all others have passed. Default `false`. */
  readonly failOnly?: boolean
  /** `instance_id`, which a few parsers need. */
  readonly instanceId?: string
  /** `version` of the instance, which a few parsers need. */
  readonly version?: string
}

const rules: OptionDescriptions<SwebenchOptions> = {
  failToPass: described(option.strings, 'Tests that must have passed, or failed as expected: `FAIL_TO_PASS`.'),
  passToPass: described(option.strings, 'Tests that must not fail, and may be skipped: `PASS_TO_PASS`.'),
  log: described(option.string, 'A recorded log in the workspace, `test_output.txt`. Nothing runs.'),
  report: {
    ...described(option.string, 'A recorded report in the workspace, such as `junit.xml`. Nothing runs.'),
    isInside: true,
  },
  command: commandOption,
  parser: described(
    option.oneOf(...logParserNames),
    'How the log names tests: `log_parser` without `parse_log_`. Default: pytest for a log, the report of a command.',
  ),
  failOnly: described(option.boolean, 'Whether the log names failed tests only.', false),
  instanceId: described(option.string, 'The `instance_id`, which a few parsers need.'),
  version: described(option.string, 'The `version` of the instance.'),
  overlay: described(testRules.overlay, 'Tests of the reference that are laid over a copy of the workspace.'),
  reports: testRules.reports,
  cwd: testRules.cwd,
  env: testRules.env,
  timeoutMs: testRules.timeoutMs,
  cpuMs: testRules.cpuMs,
  exitCode: testRules.exitCode,
  isolate: testRules.isolate,
}

/**
 * Passes when an instance of SWE-bench is resolved, by the rules of its harness: every test of `failToPass` passed, and
 * none of `passToPass` failed. It grades a recorded log or report, or runs a command and grades its report or its
 * output. The score is the share of the tests with the right result. `metadata.resolution` is `RESOLVED_FULL`,
 * `RESOLVED_PARTIAL` or `RESOLVED_NO`.
 *
 * A log without results, or with an exit code that they do not explain, fails. If it shows that the machine was to
 * blame, such as a lack of memory, the judgment is an ERROR, `environment-unfit`.
 *
 * @throws `option-invalid`, also unless exactly one of `log`, `report` and `command` is given
 *
 * @example
 * import { swebenchGrade } from '@jurist/workspace/commands'
 *
 * swebenchGrade({ failToPass: ['tests/test_a.py::test_b'], passToPass: [], log: 'test_output.txt', parser: 'pytest' })
 */
export function swebenchGrade(options: SwebenchOptions): Judge {
  const { failToPass, log, report, command, ...given } = checkOptions('swebenchGrade', options, rules)
  if (failToPass === undefined)
    throw invalid('failToPass', 'needs "failToPass", the ids of tests that the work must make pass')
  if ([log, report, command].filter((one) => one !== undefined).length !== 1)
    throw invalid(
      'log',
      'needs one of "log", the path of a recorded log, "report", that of a report, and "command", which runs the tests',
    )
  const grading = { ...given, failToPass }
  if (log !== undefined) return recordedJudge({ ...grading, log: normalizePath(log) })
  if (report !== undefined) return recordedJudge({ ...grading, report: normalizePath(report) })
  return runningJudge(grading, checkedCommand('swebenchGrade', command ?? []))
}

function invalid(name: string, problem: string): JuristError<'option-invalid'> {
  return new JuristError('option-invalid', `swebenchGrade ${problem}.`, { option: name })
}

function runningJudge(options: Omit<SwebenchOptions, 'log' | 'report' | 'command'>, command: CommandLine): Judge {
  const { failToPass, passToPass, parser, failOnly, instanceId, version, ...running } = options
  const checked = checkedTestOptions('swebenchGrade', running)
  const grade = gradeOf({ failToPass, passToPass, parser, failOnly, instanceId, version })
  const judge = testRunJudge(
    { name: 'swebenchGrade', tool: 'command', words: command, prepare: grade.prepare(command), grade: grade.grade },
    checked,
  )
  return giveInfo(judge, {
    options: { ...options, command, overlay: options.overlay && { ...options.overlay, from: undefined } },
  })
}

/** The largest log that is read. */
const maxLogBytes = 100 * 1024 * 1024

function recordedJudge(options: Omit<SwebenchOptions, 'command'>): Judge {
  const { log, report, parser = 'pytest', instanceId, version } = options
  const path = log ?? report ?? ''
  const judge: Judge = async ({ workspace }): Promise<Judgment> => {
    const bytes = await workspace.readBytes(path, { maxBytes: maxLogBytes })
    if (log === undefined) {
      const { tests, format } = parseReport(bytes, path)
      const grading = { ...options, parser: undefined }
      return gradedJudgment(believed(tests, '', null), '', grading, { reportFile: path, report: format })
    }
    const text = new TextDecoder().decode(bytes)
    const read = readLog(text, { parser, instanceId, version, needsMarkers: true })
    return gradedJudgment(read, text, { ...options, parser }, { log, parser })
  }
  return withInfo(judge, { name: 'swebenchGrade', options: { ...options } })
}

interface DescribedGrade extends Omit<SwebenchOptions, 'overlay'> {
  readonly overlay?: Omit<Overlay, 'from'> & { readonly from?: string }
}

describeJudge<DescribedGrade>(swebenchGrade, {
  passes: 'an instance of SWE-bench is resolved, by the rules of its harness',
  options: rules,
  required: ['failToPass'],
  make: async ({ overlay, ...options }, config) => {
    const { from, ...laid } = overlay ?? {}
    const over = overlay && { overlay: from === undefined ? overlay : { ...laid, from: await config.workspace(from) } }
    return swebenchGrade({ ...options, ...over } as SwebenchOptions)
  },
})
