import { stripVTControlCharacters } from 'node:util'

/** No line that a runner prints about itself is longer. */
const maxLineLength = 1_000

/**
 * The lines of an output that have more than one character, without ends of line and control sequences. A line is cut after 1,000 characters, so that what
 * reads it takes a bounded time, whatever the code under test prints.
 */
export function* printedLines(output: string): Generator<string> {
  for (let start = 0; start <= output.length; ) {
    const found = output.indexOf('\n', start)
    const end = found < 0 ? output.length : found
    const raw = output.slice(start, Math.min(end, start + maxLineLength))
    const line = /[\u001b\u009b]/.test(raw) ? stripVTControlCharacters(raw) : raw
    if (line.length > 1) yield line.endsWith('\r') ? line.slice(0, -1) : line
    start = end + 1
  }
}
