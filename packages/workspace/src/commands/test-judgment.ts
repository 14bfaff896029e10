import type { Check, JsonObject, Judgment } from '@jurist/core'
import { fail, numerical, pass } from '@jurist/core'
import { escaped, shortened } from '../files/quotation.js'
import type { CommandEvidence } from './command-evidence.js'
import type { TestCase } from './reports/test-report.js'
import { breakOf } from './run-break.js'
import { countTests, executed } from './test-counts.js'
import type { TestOptions } from './test-options.js'

const maxChecks = 500
const maxOthers = 100

/** What a test run left: how its command ended, and the tests of its reports; none when nothing was reported. */
export interface TestRun {
  readonly evidence: CommandEvidence
  readonly report: { readonly format: string; readonly tests: readonly TestCase[] } | undefined
  /** What is known of the tool. */
  readonly metadata: JsonObject
}

/** The judgment on a test run. Sets of ids decide alone; else every test, the exit code and the number of tests do. */
export function testJudgment(run: TestRun, { mustPass = [], mustStayPassing = [], minTests }: TestOptions): Judgment {
  const { evidence, report } = run
  const demanded = [...new Set([...mustPass, ...mustStayPassing])]
  const metadata: JsonObject = {
    ...evidence.metadata,
    ...run.metadata,
    report: report?.format ?? null,
    ...(report === undefined ? {} : countTests(report.tests)),
  }
  if (evidence.result.status === 'timed-out')
    return fail(evidence.check.message, { score: numerical(0), checks: [evidence.check], metadata })
  const problem = report && breakOf(evidence.result, evidence.check.passed, report.tests)
  const broken = problem === undefined ? [] : [failedCheck('run_complete', problem)]
  if (demanded.length > 0) return demandedJudgment(demanded, report?.tests ?? [], broken, metadata)
  if (report === undefined) return unreportedJudgment(evidence.check, minTests, metadata)
  return completeJudgment([evidence.check, ...broken], report.tests, minTests ?? 1, metadata)
}

/** Every test counts. */
function completeJudgment(
  run: readonly Check[],
  tests: readonly TestCase[],
  minTests: number,
  metadata: JsonObject,
): Judgment {
  const counts = countTests(tests)
  const [ran, bad] = [executed(counts), counts.failed + counts.errored]
  const tooFew: readonly Check[] =
    ran >= minTests ? [] : [failedCheck('tests_executed', `${ran} tests ran, expected at least ${minTests}`)]
  const problems = [
    ...[...run, ...tooFew].filter(({ passed }) => !passed).map(({ message }) => message),
    ...(bad === 0 ? [] : [`${bad} of ${ran} tests failed`]),
  ]
  const { checks, omitted } = limited(failedFirst(tests.map(checkOf)))
  const extras = {
    score: numerical(ran === 0 ? Number(problems.length === 0) : counts.passed / ran),
    checks: [...run, ...tooFew, ...checks],
    metadata: { ...metadata, ...omitted },
  }
  return problems.length === 0 ? pass(`${ran} of ${ran} tests passed`, extras) : fail(problems.join('; '), extras)
}

/** Without a report the exit code decides, unless somebody asked for a number of tests. */
function unreportedJudgment(execution: Check, minTests: number | undefined, metadata: JsonObject): Judgment {
  const wanted = minTests ?? 0
  const checks = [
    execution,
    ...(wanted === 0 ? [] : [failedCheck('tests_executed', `no report says that ${wanted} tests ran`)]),
  ]
  const failed = checks.filter(({ passed }) => !passed)
  const extras = { score: numerical(failed.length === 0 ? 1 : 0), checks, metadata }
  if (failed.length > 0) return fail(failed.map(({ message }) => message).join('; '), extras)
  return pass(`${execution.message}; there is no report of tests`, extras)
}

/** Only the demanded tests count: each must be there and have passed, in a report that can be believed. */
function demandedJudgment(
  demanded: readonly string[],
  tests: readonly TestCase[],
  broken: readonly Check[],
  metadata: JsonObject,
): Judgment {
  const byId = new Map(tests.map((test) => [test.id, test]))
  const all = demanded.map((id) => demandedCheck(id, byId.get(id)))
  const passed = all.filter((check) => check.passed).length
  const isDemanded = new Set(demanded)
  const others = tests.filter((test) => isBad(test) && !isDemanded.has(test.id)).map(({ id }) => shownId(id))
  const { checks, omitted } = limited(failedFirst(all))
  const otherFailures = {
    otherFailures: others.slice(0, maxOthers),
    ...(others.length > maxOthers ? { otherFailuresTotal: others.length } : {}),
  }
  const extras = {
    score: numerical(broken.length > 0 ? 0 : passed / all.length),
    checks: [...broken, ...checks],
    metadata: { ...metadata, ...omitted, ...otherFailures },
  }
  const reasoning = `${passed} of ${all.length} required tests passed`
  if (broken.length > 0) return fail(broken.map(({ message }) => message).join('; '), extras)
  if (passed === all.length) return pass(reasoning, extras)
  return fail(tests.length === 0 ? `${reasoning}: no test was reported` : reasoning, extras)
}

function demandedCheck(id: string, test: TestCase | undefined): Check {
  if (test !== undefined && test.status !== 'skipped') return checkOf(test)
  return failedCheck(shownId(id), shortened(`${escaped(id)} was not run`))
}

function checkOf(test: TestCase): Check {
  const { status, message } = test
  const detail = message === '' ? status : `${status}: ${escaped(message)}`
  return { name: shownId(test.id), passed: !isBad(test), message: shortened(detail) }
}

function isBad({ status }: TestCase): boolean {
  return status === 'failed' || status === 'errored'
}

function failedCheck(name: string, message: string): Check {
  return { name, passed: false, message }
}

function failedFirst(checks: readonly Check[]): readonly Check[] {
  return [...checks].sort((one, other) => Number(one.passed) - Number(other.passed))
}

function limited(checks: readonly Check[]): { readonly checks: readonly Check[]; readonly omitted: JsonObject } {
  const more = checks.length - maxChecks
  return { checks: checks.slice(0, maxChecks), omitted: more > 0 ? { omittedChecks: more } : {} }
}

/** An id as it may stand in a judgment. */
function shownId(id: string): string {
  const shown = shortened(escaped(id))
  return shown.trim() === '' ? '(unnamed)' : shown
}
