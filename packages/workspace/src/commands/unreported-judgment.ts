import type { Check, JsonObject, Judgment } from '@jurist/core'
import { fail, numerical, pass } from '@jurist/core'
import type { CommandEvidence } from './command-evidence.js'
import type { PrintedSummary } from './printed-summary.js'
import { breakOf } from './run-break.js'
import { withTellingLine } from './telling-line.js'

/** A run of tests that left no report. */
export interface UnreportedRun {
  readonly evidence: CommandEvidence
  /** What runners printed about themselves, where that counts in place of a report. */
  readonly summaries: readonly PrintedSummary[]
  readonly minTests: number | undefined
  /** Whether a run without a report ran no test. */
  readonly demandsReport: boolean
  readonly metadata: JsonObject
}

/** The counts that runners printed decide; without them the exit code does, unless a report is demanded. */
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

/** What failed; with it, where the command failed, what the command says of it. */
function reasons(failed: readonly Check[], { check, result }: CommandEvidence): string {
  const reasonOf = (one: Check) => (one === check ? withTellingLine(one.message, result) : one.message)
  return failed.map(reasonOf).join('; ')
}
