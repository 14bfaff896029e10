import { type Check, type CommandResult, fail, type JsonObject, type Judgment, numerical, pass } from '@jurist/core'
import { escaped, shortened } from '../quotation.js'
import type { CommandEvidence, CommandLine } from './command-evidence.js'
import { breakOf, unreportedJudgment } from './crashed-run.js'
import { withFirstErrorLine } from './first-error-line.js'
import type { PrintedSummary } from './printed-summary.js'
import { distinctTests, type TestCase } from './reports/test-report.js'
import {
  type Canaries,
  canariesOf,
  countTests,
  excused,
  executed,
  type TestNames,
  testNames,
  unloadedSuites,
} from './test-names.js'
import type { TestOptions } from './test-options.js'

const maxChecks = 500

export function failedFirst(checks: readonly Check[]): readonly Check[] {
  return [...checks].sort((one, other) => Number(one.passed) - Number(other.passed))
}

/** Returns as many checks as fit into a judgment, and how many are left out. */
export function limited(checks: readonly Check[]): { readonly checks: readonly Check[]; readonly omitted: JsonObject } {
  const more = checks.length - maxChecks
  return { checks: checks.slice(0, maxChecks), omitted: more > 0 ? { omittedChecks: more } : {} }
}

/** Formats an id for a judgment. */
export function shownId(id: string): string {
  const shown = shortened(escaped(id))
  return shown.trim() === '' ? '(unnamed)' : shown
}

const maxOthers = 100

/** The result of a test run: how its command ended, and the tests of its reports, if there are any. */
export interface TestRun {
  readonly command: CommandLine
  readonly evidence: CommandEvidence
  readonly report: { readonly format: string; readonly tests: readonly TestCase[] } | undefined
  /** Printed summaries that replace a report. */
  readonly summaries: readonly PrintedSummary[]
  /** Whether a run without a report counts as having run no test. */
  readonly demandsReport: boolean
  /** The reason why the runner did not come to its end, according to its output. */
  readonly unended?: string | undefined
  readonly metadata: JsonObject
}

/** The ids that alone decide; empty if every test does. */
export function demandedIds({ mustPass = [], mustStayPassing = [] }: TestOptions): readonly string[] {
  return [...new Set([...mustPass, ...mustStayPassing])]
}

/**
 * Judges a test run. Sets of ids decide alone. Without them, every test, the exit code and the number of tests decide.
 */
export function testJudgment(run: TestRun, options: TestOptions): Judgment {
  const canaries = canariesOf(run.report?.tests ?? [], options.mustFail ?? [])
  const judgment = judgmentBeside(canaries, run, options)
  return { ...judgment, checks: [...judgment.checks, ...canaries.kept] }
}

/** Judges the tests other than canaries. Without its canaries, a run is not believed. */
function judgmentBeside(canaries: Canaries, run: TestRun, options: TestOptions): Judgment {
  const { evidence, report } = run
  const { minTests } = options
  const { others, missed } = canaries
  const demanded = demandedIds(options)
  const metadata: JsonObject = {
    ...evidence.metadata,
    ...run.metadata,
    report: report?.format ?? null,
    ...(report === undefined ? {} : countTests(others)),
  }
  if (evidence.result.status === 'timed-out')
    return fail(evidence.check.message, { score: numerical(0), checks: [evidence.check], metadata })
  const problem = report && (breakOf(evidence.result, evidence.check.passed, report.tests) ?? run.unended)
  const unexplained = problem === undefined && report && unexplainedEnd(evidence.check, report.tests)
  const broken = [...(problem === undefined ? [] : [failedCheck('run_complete', problem)]), ...missed]
  if (demanded.length > 0) {
    const doubts = unexplained ? [unexplained, ...missed] : broken
    return demandedJudgment({ demanded, tests: others, broken: doubts, result: evidence.shown, metadata })
  }
  if (report !== undefined)
    return completeJudgment({
      evidence: excused(evidence, canaries),
      report: { ...report, tests: others },
      broken,
      minTests: minTests ?? 1,
      metadata,
    })
  // Printed counts do not name tests.
  if (missed.length > 0) return unreportedJudgment({ ...run, summaries: [], minTests: minTests || 1, metadata })
  return unreportedJudgment({ ...run, minTests, metadata })
}

/** A run that fails has a reason: without a failed test in its report, the report is not complete. */
function unexplainedEnd({ passed, message }: Check, tests: readonly TestCase[]): Check | undefined {
  if (passed || tests.length === 0 || tests.some(isBad)) return undefined
  return failedCheck('run_complete', `${message}, but the report names no failed test`)
}

interface Complete {
  readonly evidence: CommandEvidence
  readonly report: NonNullable<TestRun['report']>
  readonly broken: readonly Check[]
  readonly minTests: number
  readonly metadata: JsonObject
}

/** Judges by every test. */
function completeJudgment({ evidence, report, broken, minTests, metadata }: Complete): Judgment {
  const { tests } = report
  const run = [evidence.check, ...broken]
  const counts = countTests(tests)
  const [ran, bad] = [executed(counts), counts.failed + counts.errored]
  const tooFew: readonly Check[] =
    ran >= minTests ? [] : [failedCheck('tests_executed', `${ran} tests ran, expected at least ${minTests}`)]
  const isUnexplained = !evidence.check.passed && bad === 0
  const problems = [
    ...(isUnexplained ? [withFirstErrorLine(evidence.check.message, evidence.shown)] : []),
    ...[...(isUnexplained ? broken : run), ...tooFew].filter(({ passed }) => !passed).map(({ message }) => message),
    ...(bad === 0 ? [] : [`${bad} of ${ran} tests failed`]),
  ]
  // Files that did not load, or a run that was cut short, have more tests than the report contains.
  const isPart = broken.length > 0 || isUnexplained || unloadedSuites(report.format, tests).length > 0
  const known = Math.max(ran, minTests)
  const { checks, omitted } = limited(failedFirst(tests.map(checkOf)))
  const extras = {
    score: numerical(isPart ? 0 : known === 0 ? Number(problems.length === 0) : counts.passed / known),
    checks: [...run, ...tooFew, ...checks],
    metadata: { ...metadata, ...omitted },
  }
  if (problems.length === 0) return pass(`${ran} of ${ran} tests passed`, extras)
  return fail(problems.join('; '), extras)
}

interface Demanded {
  readonly demanded: readonly string[]
  readonly tests: readonly TestCase[]
  readonly broken: readonly Check[]
  readonly result: CommandResult
  readonly metadata: JsonObject
}

/** Judges only by the required tests: each must exist and have passed, in a report that can be believed. */
function demandedJudgment({ demanded, tests, broken, result, metadata }: Demanded): Judgment {
  const names = testNames(tests)
  const all = demanded.map((id) => demandedCheck(id, names))
  const passed = all.filter((check) => check.passed).length
  const isDemanded = new Set(demanded.flatMap((id) => names.find(id).map((test) => test.id)))
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
  return fail(tests.length === 0 ? withFirstErrorLine(`${reasoning}: no test was reported`, result) : reasoning, extras)
}

function demandedCheck(id: string, names: TestNames): Check {
  const found = names.find(id)
  // If an id means several tests, the worst decides, as for tests with the same id.
  const [test] = distinctTests(found.map((one) => ({ ...one, id })))
  if (test !== undefined && test.status !== 'skipped') return checkOf(test)
  const nearest = found.length === 0 ? names.nearest(id) : undefined
  const hint = nearest === undefined ? '' : `; the nearest that is reported: ${escaped(nearest)}`
  return failedCheck(shownId(id), shortened(`${escaped(id)} was not run${hint}`))
}

function checkOf(test: TestCase): Check {
  const { status, message } = test
  // A difference of values keeps its lines. Blank ones are dropped.
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  const detail =
    lines.length === 0
      ? status
      : `${status}: ${lines.map((line) => escaped(line.trimEnd().replaceAll('\t', '  '))).join('\n')}`
  return { name: shownId(test.id), passed: !isBad(test), message: shortened(detail) }
}

function isBad({ status }: TestCase): boolean {
  return status === 'failed' || status === 'errored'
}

function failedCheck(name: string, message: string): Check {
  return { name, passed: false, message }
}
