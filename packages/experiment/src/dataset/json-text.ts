import { jsonFault } from './json-fault.js'

/** What reading a JSON text gave: its value, or what is wrong with it and where (line and column count from 1). */
export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly line: number; readonly column: number }

/**
 * Reads a JSON text, skipping a leading byte order mark. The messages of `JSON.parse` differ between engines and have no
 * line, so a fault is looked for again by ourselves.
 */
export function parseJson(text: string): JsonReading {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    return { ok: true, value: JSON.parse(source) }
  } catch {
    const { offset, problem } = jsonFault(source)
    const lineStart = source.lastIndexOf('\n', offset - 1) + 1
    const line = source.slice(0, lineStart).split('\n').length
    return { ok: false, problem, line, column: [...source.slice(lineStart, offset)].length + 1 }
  }
}
