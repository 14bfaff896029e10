import { constants, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { TextDecoder } from 'node:util'
import { JuristError, type Workspace } from '@jurist/core'
import { checkOptions, failureOf, option, optionInvalid } from '@jurist/core/internal'
import { locate } from '../containment.js'
import { decoderOf, notEncoded } from '../encoding.js'
import { directoryOf } from '../workspace-settings.js'
import { type CoverageReport, corrupt, ReportFault, type ReportReader, unsupported } from './coverage-report.js'
import { formatNames, formatTitles, readerOf } from './find-coverage.js'

/** The length of one piece, small enough for every reader to keep. */
const pieceLength = 262_144

/**
 * Reads a report of JaCoCo (XML), Istanbul (final or summary), LCOV, Cobertura or Clover. The content determines the
 * format.
 *
 * @param report the bytes of the file, or its content as a string
 * @param options `format`: the required format; default: any
 * @throws `report-corrupt` for a report that cannot be believed, `report-unsupported` for another format
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { readCoverage } from '@jurist/workspace/coverage'
 *
 * const { line } = await readCoverage(await readFile('coverage/lcov.info'))
 * console.log(line.percent)
 */
export async function readCoverage(
  report: Uint8Array | string,
  options?: { readonly format?: CoverageReport['format'] },
): Promise<CoverageReport> {
  const { format } = checkOptions('readCoverage', options, {
    format: option.oneOf(...formatNames),
  })
  if (typeof report !== 'string' && !(report instanceof Uint8Array))
    optionInvalid('report', 'readCoverage: "report" must be a report, as bytes or as a string.')
  return readReport({ path: '', chunks: piecesOf(report) }, format)
}

/** Yields the pieces of a report that is in memory. */
function* piecesOf(report: Uint8Array | string): Generator<Uint8Array | string> {
  for (let at = 0; at < report.length; at += pieceLength)
    yield typeof report === 'string' ? report.slice(at, at + pieceLength) : report.subarray(at, at + pieceLength)
}

export interface ReportSource {
  /** Its name in error messages; empty for contents without a file. */
  readonly path: string
  readonly chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>
}

/**
 * Reads a report piece by piece. The content determines the format.
 *
 * @param format refuses any other
 * @throws `report-corrupt`, `report-unsupported`
 */
export async function readReport(source: ReportSource, format?: CoverageReport['format']): Promise<CoverageReport> {
  try {
    const report = await read(source)
    if (format === undefined || report.format === format) return report
    return unsupported(`its format is ${report.format}, expected ${format}`)
  } catch (caught) {
    // If a parser runs out of stack or memory, the report is at fault.
    const thrown =
      caught instanceof RangeError ? new ReportFault('report-corrupt', 'it is too deep or too large') : caught
    if (!(thrown instanceof ReportFault)) throw thrown
    const { path } = source
    const name = path === '' ? 'The coverage report' : `The coverage report ${JSON.stringify(path)}`
    const remedy = thrown.code === 'report-corrupt' ? 'Let the build write it again.' : `Write ${formatTitles}.`
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
      reader = (await readerOf(head)) ?? unsupported('it is neither XML nor JSON nor LCOV')
      reader.write(head)
    } else reader.write(text)
  }
  return reader === undefined ? corrupt('it is empty') : reader.end()
}

async function* textOf(chunks: ReportSource['chunks']): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let isFirst = true
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return decoder?.decode(chunk, { stream: chunk !== undefined }) ?? ''
    } catch {
      return corrupt(decoder === undefined ? '' : notEncoded(decoder))
    }
  }
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') yield isFirst && chunk.startsWith('\ufeff') ? chunk.slice(1) : chunk
    else {
      decoder ??= decoderFor(chunk)
      yield decoded(chunk)
    }
    isFirst = false
  }
  yield decoded()
}

function decoderFor(chunk: Uint8Array): TextDecoder {
  try {
    return decoderOf(chunk)
  } catch (thrown) {
    return corrupt(failureOf(thrown).message)
  }
}

/** The largest report that is read: 200 MiB. */
const maxReportBytes = 209_715_200
const chunkBytes = 262_144

/**
 * Yields the content of a report, piece by piece. A file of a directory is never in memory as a whole; any other
 * workspace returns it in one piece.
 *
 * @throws `too-large` above 200 MiB, `aborted` when the signal fires, and errors of reading a workspace
 */
export async function* chunksOf(
  workspace: Workspace,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array | string> {
  const place = placeOf(workspace, path)
  if (place === undefined) yield* piecesOf(await workspace.readBytes(path, { maxBytes: maxReportBytes }))
  else yield* readInChunks(place, path, signal)
}

/** Returns the modification time of a file in milliseconds since 1970; `undefined` without a directory. */
export function writtenAtMs(workspace: Workspace, path: string): number | undefined {
  const place = placeOf(workspace, path)
  return place === undefined ? undefined : statSync(place, { throwIfNoEntry: false })?.mtimeMs
}

function placeOf(workspace: Workspace, path: string): string | undefined {
  const directory = directoryOf(workspace)
  if (directory === undefined) return undefined
  const { absolute, exists } = locate(directory, path)
  return exists ? absolute : undefined
}

async function* readInChunks(place: string, path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  // A FIFO would block; a link here was created after the path was resolved.
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    await refuseUnlessReadable(file, path)
    const buffer = Buffer.allocUnsafe(chunkBytes)
    let total = 0
    for (;;) {
      if (signal?.aborted)
        throw new JuristError('aborted', 'Reading the report was stopped.', { reason: String(signal.reason) })
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, null)
      if (bytesRead === 0) return
      total += bytesRead
      if (total > maxReportBytes) tooLarge(path)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function refuseUnlessReadable(file: FileHandle, path: string): Promise<void> {
  const stats = await file.stat()
  if (!stats.isFile()) throw new JuristError('not-a-file', `${path} is not a regular file.`, { path })
  if (stats.size > maxReportBytes) tooLarge(path)
}

function tooLarge(path: string): never {
  throw new JuristError('too-large', `${path} has more than the ${maxReportBytes} bytes that are read of a report.`, {
    path,
    maxBytes: maxReportBytes,
  })
}
