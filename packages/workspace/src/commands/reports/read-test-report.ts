import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { decoded } from '../../encoding.js'
import { printedLines } from '../printed-summary.js'
import { isGo, readCargo, readGo, readJest } from './json-reports.js'
import { readJUnit } from './junit.js'
import { readTap } from './tap.js'
import { distinctTests, type TestCase, type TestReport } from './test-report.js'

/**
 * The tests of a report. The content decides the format: JUnit XML, the JSON of Jest and Vitest, the events of
 * `go test -json`, TAP, what `cargo test` prints.
 *
 * @throws `report-unsupported` for any other format, `report-corrupt` for a report that cannot be believed
 *
 * @example
 * import { readTestReport } from '@jurist/workspace/commands'
 *
 * readTestReport('TAP version 13\nok 1 - adds\n1..1\n').tests // [{ id: 'adds', status: 'passed', … }]
 */
export function readTestReport(report: Uint8Array | string): TestReport {
  return parseReport(report, 'The report')
}

/** The tests of the report at `path`, which the errors name. */
export function parseReport(report: Uint8Array | string, path: string): TestReport {
  try {
    const found = testsOf(typeof report === 'string' ? report.replace(/^\ufeff/, '') : decoded(report))
    if (found !== undefined) return Object.freeze({ format: found.format, tests: distinctTests(found.tests) })
  } catch (thrown) {
    const problem = failureOf(thrown).message.replace(/\.+$/, '').slice(0, 200)
    throw new JuristError('report-corrupt', `${path} cannot be trusted: ${problem}.`, { path }, { cause: thrown })
  }
  const known =
    'JUnit XML, the JSON of Jest or Vitest, the events of "go test -json", TAP and the output of "cargo test"'
  throw new JuristError('report-unsupported', `${path} is not a test report. Known formats: ${known}.`, { path })
}

/** The report that a command printed among other things; `undefined` when it printed none. */
export function printedReport(output: string): TestReport | undefined {
  const tap = found('tap', readTap(output, 'output'))
  if (tap === undefined && isGo(output)) return parseReport(output, 'The output')
  const printed = tap ?? found('cargo', readCargo(printedLines(output)))
  return printed && { format: printed.format, tests: distinctTests(printed.tests) }
}

interface Found {
  readonly format: TestReport['format']
  readonly tests: readonly TestCase[]
}

function testsOf(text: string): Found | undefined {
  switch (text.trimStart()[0]) {
    case undefined:
      throw new Error('it is empty')
    case '<':
      return found('junit', readJUnit(text.trimStart()))
    case '{':
      return isGo(text) ? found('go', readGo(text)) : found('jest', readJest(JSON.parse(text)))
    default: {
      const tap = found('tap', readTap(text, 'report'))
      if (tap !== undefined) return tap
      return isGo(text) ? found('go', readGo(text)) : found('cargo', readCargo(printedLines(text)))
    }
  }
}

function found(format: TestReport['format'], tests: readonly TestCase[] | undefined): Found | undefined {
  return tests === undefined ? undefined : { format, tests }
}
