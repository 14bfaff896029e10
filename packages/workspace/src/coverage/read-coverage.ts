import { JuristError } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import type { CoverageReport } from './coverage-report.js'
import { readReport } from './read-report.js'

/** So much at once that what a reader holds of it stays small. */
const pieceLength = 262_144

/**
 * Reads a report of JaCoCo (XML), Istanbul (final or summary), LCOV or Cobertura; its content says which it is.
 *
 * @param report the bytes or the text of the file
 * @param options `format`: what it must be; default any
 * @throws `report-corrupt` for what cannot be believed, `report-unsupported` for another format
 *
 * @example
 * const { line } = await readCoverage(await readFile('coverage/lcov.info'))
 * console.log(line.percent)
 */
export async function readCoverage(
  report: Uint8Array | string,
  options?: { readonly format?: CoverageReport['format'] },
): Promise<CoverageReport> {
  const { format } = checkOptions('readCoverage', options, {
    format: option.oneOf('jacoco', 'istanbul', 'lcov', 'cobertura'),
  })
  if (typeof report !== 'string' && !(report instanceof Uint8Array))
    throw new JuristError('option-invalid', 'readCoverage: "report" must be the bytes or the text of a report.', {
      option: 'report',
    })
  return readReport({ path: '', chunks: piecesOf(report) }, format)
}

/** The parts of a report that is held as a whole. */
export function* piecesOf(report: Uint8Array | string): Generator<Uint8Array | string> {
  for (let at = 0; at < report.length; at += pieceLength)
    yield typeof report === 'string' ? report.slice(at, at + pieceLength) : report.subarray(at, at + pieceLength)
}
