import type { Readable } from 'node:stream'

/** What was kept of a stream. */
export interface Captured {
  readonly text: string
  readonly truncated: boolean
}

/** Keeps the first and the last half of what comes; memory stays within the cap, whatever is printed. */
export function captureOutput(stream: Readable | null, maxBytes: number): () => Captured {
  const head: Buffer[] = []
  const tail: Buffer[] = []
  const headCap = Math.ceil(maxBytes / 2)
  const tailCap = maxBytes - headCap
  let [headBytes, tailBytes, total] = [0, 0, 0]
  stream?.on('data', (chunk: Buffer) => {
    total += chunk.length
    const forHead = Math.min(chunk.length, headCap - headBytes)
    if (forHead > 0) head.push(chunk.subarray(0, forHead))
    headBytes += forHead
    if (forHead === chunk.length) return
    tail.push(chunk.subarray(forHead))
    tailBytes += chunk.length - forHead
    for (let first = tail[0]; first !== undefined && tailBytes - first.length >= tailCap; first = tail[0]) {
      tailBytes -= first.length
      tail.shift()
    }
  })
  return () => {
    const first = Buffer.concat(head)
    const rest = Buffer.concat(tail)
    if (total <= maxBytes) return { text: Buffer.concat([first, rest]).toString('utf8'), truncated: false }
    const start = wholeStart(first)
    const end = wholeEnd(tailCap === 0 ? Buffer.alloc(0) : rest.subarray(-tailCap))
    const omitted = total - start.length - end.length
    const [before, after] = [start.toString('utf8'), end.toString('utf8')]
    const gap = before === '' || before.endsWith('\n') ? '' : '\n'
    return { text: `${before}${gap}… ${omitted} bytes omitted …\n${after}`, truncated: true }
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Without a UTF-8 sequence that the cut tore at the end. */
function wholeStart(bytes: Buffer): Buffer {
  let start = bytes.length - 1
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1
  const lead = bytes[start] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return length > 1 && start >= 0 && start + length > bytes.length ? bytes.subarray(0, start) : bytes
}

/** Without the end of a UTF-8 sequence that the cut tore at the start. */
function wholeEnd(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return bytes.subarray(start)
}
