import { fail, numerical } from '@jurist/core'
import type { CommandLine, ExitCodes } from '../command-evidence.js'
import type { Prepare } from '../command-target.js'
import { breakOf } from '../crashed-run.js'
import type { TestRun } from '../test-judgment.js'
import type { Grade } from '../test-run.js'
import { testCommand } from '../tests-pass.js'
import { type Graded, gradedJudgment } from './graded-run.js'
import { believed, type ReadLog, readLog } from './read-log.js'

/** What a run of tests is graded with. */
interface Grading {
  readonly failToPass: readonly string[]
  readonly passToPass: readonly string[]
  /** Absent: the report of the run. */
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

/** How a command is run and graded by the rules of SWE-bench. */
export function gradeOf(grading: Grading): RunGrading {
  const { parser, failToPass, passToPass, failOnly = false } = grading
  const demands = { failToPass, passToPass, failOnly, otherSpellings: parser === undefined }
  return {
    // A parser reads what the command prints by itself.
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

/** What was read, unless the run broke off: code under test may end it after it printed results of its own. */
function unbroken(read: ReadLog, { evidence: { result, check } }: TestRun): ReadLog {
  const isBad = read.tests.some(({ status }) => status === 'failed' || status === 'errored')
  const problem = read.problem === undefined ? breakOf(result, check.passed || isBad, undefined) : undefined
  return problem === undefined ? read : { tests: [], problem }
}

function plainCommand(command: CommandLine): Prepare {
  return async () => ({ command, metadata: {}, env: { PYTHONUNBUFFERED: '1' } })
}
