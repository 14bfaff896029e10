import { JuristError } from '@jurist/core'
import { isTap, readTap } from './tap.js'
import { distinctTests, type TestReport } from './test-report.js'

/**
 * The tests of a report: TAP.
 *
 * @throws `report-unsupported` for a format that is not known, `report-corrupt` for a report that cannot be believed
 *
 * @example
 * readTestReport('TAP version 13\nok 1 - adds\n1..1\n').tests // [{ id: 'adds', status: 'passed', … }]
 */
export function readTestReport(report: Uint8Array | string): TestReport {
  return parseReport(report, 'the report')
}

/** The tests of a report that stands at `path`, which the errors name. */
export function parseReport(report: Uint8Array | string, path: string): TestReport {
  const text = typeof report === 'string' ? report : textOf(report, path)
  if (isTap(text)) return Object.freeze({ format: 'tap', tests: distinctTests(readTap(text)) })
  throw new JuristError('report-unsupported', `${path} is in none of the known formats: TAP.`, { path })
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new JuristError('report-corrupt', `${path} is no UTF-8 text.`, { path })
  }
}

/** The report that a command printed among other things; `undefined` when it printed none. */
export function printedReport(output: string): TestReport | undefined {
  return isTap(output) ? parseReport(output, 'the output') : undefined
}
