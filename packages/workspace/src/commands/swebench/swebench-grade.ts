import { type Judge, type Judgment, JuristError, withInfo } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  giveInfo,
  normalizePath,
  type OptionDescriptions,
  option,
} from '@jurist/core/internal'
import { type CommandLine, checkedCommand, commandOption } from '../command-evidence.js'
import { parseReport } from '../reports/read-test-report.js'
import { checkedTestOptions, type Overlay, type TestOptions, testRules } from '../test-options.js'
import { testRunJudge } from '../test-run.js'
import { gradedJudgment, gradeOf } from './graded-run.js'
import { logParserNames } from './log-parsers.js'
import { believed, readLog } from './read-log.js'

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
  const { failToPass, passToPass = [], parser, failOnly, instanceId, version, ...running } = options
  const checked = checkedTestOptions('swebenchGrade', running)
  const grade = gradeOf({ failToPass, passToPass, parser, failOnly, instanceId, version, exitCode: running.exitCode })
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
  const { failToPass, passToPass = [], log, report, parser = 'pytest', failOnly = false, instanceId, version } = options
  const path = log ?? report ?? ''
  const judge: Judge = async ({ workspace }): Promise<Judgment> => {
    const bytes = await workspace.readBytes(path, { maxBytes: maxLogBytes })
    const demands = { failToPass, passToPass, failOnly, otherSpellings: log === undefined }
    if (log === undefined) {
      const { tests, format } = parseReport(bytes, path)
      const read = believed(tests, '', null)
      return gradedJudgment({ read, log: '', demands, metadata: { reportFile: path, report: format } })
    }
    const text = new TextDecoder().decode(bytes)
    const read = readLog(text, { parser, instanceId, version, needsMarkers: true })
    return gradedJudgment({ read, log: text, demands, metadata: { log, parser } })
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
