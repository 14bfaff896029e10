import { JuristError } from '@jurist/core'
import type { CoverageReport, ReportReader } from './coverage-report.js'
import { istanbulReader } from './istanbul.js'
import { lcovReader } from './lcov.js'
import { corrupt, ReportFault, unsupported } from './report-fault.js'
import { xmlReader } from './xml-report.js'

/** Where a report comes from. */
export interface ReportSource {
  /** How errors call it; empty when it is no file. */
  readonly path: string
  readonly chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>
}

/**
 * Reads a report piece by piece; its format is what its content says.
 *
 * @param format refuses any other
 * @throws `report-corrupt`, `report-unsupported`
 */
export async function readReport(source: ReportSource, format?: CoverageReport['format']): Promise<CoverageReport> {
  try {
    const report = await read(source)
    if (format === undefined || report.format === format) return report
    return unsupported(`its format is ${report.format}, not ${format}`)
  } catch (caught) {
    // A parser that runs out of stack or memory says so of the report.
    const thrown =
      caught instanceof RangeError ? new ReportFault('report-corrupt', 'it is too deep or too large') : caught
    if (!(thrown instanceof ReportFault)) throw thrown
    const { path } = source
    const name = path === '' ? 'The coverage report' : `The coverage report ${JSON.stringify(path)}`
    const remedy =
      thrown.code === 'report-corrupt'
        ? 'Let the build write it again.'
        : 'Write JaCoCo XML, Istanbul JSON, LCOV or Cobertura.'
    throw new JuristError(thrown.code, `${name} cannot be used: ${thrown.message}. ${remedy}`, { path })
  }
}

async function read({ chunks }: ReportSource): Promise<CoverageReport> {
  let reader: ReportReader | undefined
  let head = ''
  for await (const text of textOf(chunks)) {
    if (reader === undefined) {
      head += text
      if (head.trim() === '') continue
      reader = await readerFor(head)
      reader.write(head)
    } else reader.write(text)
  }
  return reader === undefined ? corrupt('it is empty') : reader.end()
}

/** What a report begins with tells its format. */
async function readerFor(head: string): Promise<ReportReader> {
  const [first] = head.trimStart()
  if (first === '<') return xmlReader()
  if (first === '{') return istanbulReader()
  if (/^(?:TN|SF):/m.test(head)) return lcovReader()
  return unsupported('it is neither XML nor JSON nor LCOV')
}

async function* textOf(chunks: ReportSource['chunks']): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  const decoded = (chunk?: Uint8Array | string): string => {
    if (typeof chunk === 'string') return isFirst && chunk.startsWith('\ufeff') ? chunk.slice(1) : chunk
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      return corrupt('it is no UTF-8 text')
    }
  }
  for await (const chunk of chunks) {
    yield decoded(chunk)
    isFirst = false
  }
  yield decoded()
}
