import type { FileHandle } from 'node:fs/promises'
import type { ItemResult } from '../result/records.js'
import type { LinePart, LinePlace } from '../result/trial-figures.js'

/** How a file is read part by part. It is open only while it is read: there may be more files than a process can open. */
export interface PartReading {
  readonly open: () => Promise<FileHandle>
  /** About how many bytes a part has; a longer line is a separate part. */
  readonly partBytes: number
  /** Called when the file is shorter than it was. */
  readonly changed: () => never
}

/** Reads the lines at the given places of a file, in their order. */
export async function* partsOfFile(places: readonly LinePlace[], reading: PartReading): AsyncGenerator<LinePart> {
  let buffer = Buffer.alloc(0)
  for (let start = 0; start < places.length; ) {
    const wanted = places.slice(start, partEnd(places, start, reading.partBytes))
    start += wanted.length
    const { spans, lines, length } = layOut(wanted)
    if (buffer.length < length) buffer = Buffer.allocUnsafe(Math.max(length, reading.partBytes))
    const file = await reading.open()
    try {
      const read = await Promise.all(spans.map(({ offset, length, at }) => file.read(buffer, at, length, offset)))
      if (read.some(({ bytesRead }, index) => bytesRead < (spans[index]?.length ?? 0))) reading.changed()
    } finally {
      await file.close()
    }
    yield { bytes: buffer.subarray(0, length), lines }
  }
}

function partEnd(places: readonly LinePlace[], start: number, partBytes: number): number {
  let end = start
  for (let bytes = 0; end < places.length; end += 1) {
    bytes += places[end]?.length ?? 0
    if (bytes > partBytes && end > start) break
  }
  return end
}

/** A piece of a file, and where it is put. */
interface Span extends LinePlace {
  readonly at: number
}

/**
 * Plans which parts of the file to read, and where the lines are in them. Concurrent trials end in another order than
 * that of the dataset, so lines that are close together are read together, with everything between them.
 */
function layOut(wanted: readonly LinePlace[]) {
  let [begin, end, bytes] = [Number.POSITIVE_INFINITY, 0, 0]
  for (const { offset, length } of wanted) {
    begin = Math.min(begin, offset)
    end = Math.max(end, offset + length)
    bytes += length
  }
  const length = end - begin
  if (length <= 2 * bytes) {
    const lines = wanted.map((place) => ({ offset: place.offset - begin, length: place.length }))
    return { spans: [{ offset: begin, length, at: 0 }], lines, length }
  }
  const spans: Span[] = []
  let at = 0
  for (const place of wanted) {
    spans.push({ ...place, at })
    at += place.length
  }
  return { spans, lines: spans.map((span) => ({ offset: span.at, length: span.length })), length: at }
}

const itemsAtOnce = 1_000

/** The lines of trials that are in memory. All of them together could exceed the largest buffer. */
export function* partsOfItems(items: readonly ItemResult[]): Generator<LinePart> {
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    const texts = items.slice(start, start + itemsAtOnce).map((item) => Buffer.from(JSON.stringify(item)))
    let offset = 0
    const lines = texts.map(({ length }) => {
      offset += length
      return { offset: offset - length, length }
    })
    yield { bytes: Buffer.concat(texts), lines }
  }
}
