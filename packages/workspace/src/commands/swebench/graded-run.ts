import { type Check, error, fail, type JsonObject, type Judgment, JuristError, numerical, pass } from '@jurist/core'
import { escaped, shortened } from '../../quotation.js'
import type { CommandLine, ExitCodes } from '../command-evidence.js'
import type { Prepare } from '../command-target.js'
import { breakOf } from '../crashed-run.js'
import type { TestCase } from '../reports/test-report.js'
import { failedFirst, limited, shownId, type TestRun } from '../test-judgment.js'
import { countTests, testNames } from '../test-names.js'
import type { Grade } from '../test-run.js'
import { testCommand } from '../tests-pass.js'
import { believed, type ReadLog, readLog } from './read-log.js'

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

interface Graded {
  readonly read: ReadLog
  readonly log: string
  readonly demands: Demands
  readonly metadata: JsonObject
}

/** Judges a log by the tests that an instance requires. */
export function gradedJudgment({ read, log, demands, metadata }: Graded): Judgment {
  const { problem, tests } = read
  if (problem !== undefined) return withoutResults(problem, log, metadata)
  const { status, rates, failToPass, passToPass } = resolutionOf(tests, demands)
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

interface Grading {
  readonly failToPass: readonly string[]
  readonly passToPass: readonly string[]
  /** If absent, the report of the run is graded. */
  readonly parser: string | undefined
  readonly failOnly: boolean | undefined
  readonly instanceId: string | undefined
  readonly version: string | undefined
  readonly exitCode: ExitCodes | undefined
}

interface RunGrading {
  readonly prepare: (command: CommandLine) => Prepare
  readonly grade: Grade
}

/** Defines how a command is run and graded by the rules of SWE-bench. */
export function gradeOf(grading: Grading): RunGrading {
  const { parser, failToPass, passToPass, failOnly = false } = grading
  const demands = { failToPass, passToPass, failOnly, otherSpellings: parser === undefined }
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
      const graded: Graded = { read, log, demands, metadata: { ...metadata, report: format } }
      return { run: { ...run, report: { format, tests: read.tests } }, judgment: gradedJudgment(graded) }
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

interface Demands {
  /** Ids of tests that failed before and must pass. */
  readonly failToPass: readonly string[]
  /** Ids of tests that passed before and must still pass. */
  readonly passToPass: readonly string[]
  /** Whether the log names only failed tests, so that all others have passed. */
  readonly failOnly: boolean
  /** Whether ids may be spelled as tools spell them, not only as in the report. */
  readonly otherSpellings: boolean
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

function resolutionOf(tests: readonly TestCase[], demands: Demands): Resolution {
  const find = finderOf(tests, demands)
  const demanded = (ids: readonly string[], mayBeSkipped: boolean) =>
    ids.map((id): Demanded => {
      const test = find(id)
      return { id, test, passed: isRight(test, demands, mayBeSkipped) }
    })
  const failToPass = demanded(demands.failToPass, false)
  const passToPass = demanded(demands.passToPass, true)
  const rates = { failToPass: share(failToPass), passToPass: share(passToPass) }
  return { status: statusOf(rates), failToPass, passToPass, rates }
}

function isRight(test: TestCase | undefined, { failOnly }: Demands, mayBeSkipped: boolean): boolean {
  if (failOnly) return test?.status !== 'failed'
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

function finderOf(
  tests: readonly TestCase[],
  { failOnly, otherSpellings }: Demands,
): (id: string) => TestCase | undefined {
  const byId = new Map(tests.map((test) => [test.id, test]))
  const names = otherSpellings ? testNames(tests) : undefined
  return (id) => {
    const exact = byId.get(id)
    if (exact !== undefined || failOnly) return exact
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
