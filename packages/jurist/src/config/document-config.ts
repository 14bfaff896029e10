import { readFile } from 'node:fs/promises'
import type { Place } from '@jurist/core/internal'
import { configInvalid } from './problems.js'

/** A YAML or JSON config as it was read, and where in the file a part of it stands. */
export interface ConfigDocument {
  readonly value: unknown
  /** ` (line 3, column 5)` of the nearest part that is there. */
  readonly at: (place: Place) => string
}

/**
 * Reads a YAML or JSON file.
 *
 * @throws `config-invalid` naming every fault of the syntax with line and column
 */
export async function readDocument(file: string): Promise<ConfigDocument> {
  const { parseDocument, LineCounter, isNode, isPair, isMap } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, prettyErrors: false })
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return ` (line ${line}, column ${col})`
  }
  if (document.errors.length > 0)
    throw configInvalid(
      file,
      document.errors.map(({ message, pos }) => ({
        path: where(pos[0]).trim(),
        problem: `${message}.`,
        remedy: file.endsWith('.json') ? 'Write valid JSON.' : 'Write valid YAML.',
      })),
    )
  return {
    value: document.toJS(),
    at(place) {
      for (let length = place.length; length > 0; length--) {
        const parent = document.getIn(place.slice(0, length - 1), true)
        const key = place[length - 1]
        const pair = isMap(parent)
          ? parent.items.find((item) => isPair(item) && String(item.key) === String(key))
          : null
        if (pair !== null && pair !== undefined && isNode(pair.key) && pair.key.range) return where(pair.key.range[0])
        const node = document.getIn(place.slice(0, length), true)
        if (isNode(node) && node.range) return where(node.range[0])
      }
      return ''
    },
  }
}
