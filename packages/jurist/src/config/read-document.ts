import { readFile } from 'node:fs/promises'
import { failureOf } from '@jurist/core/internal'
import type { Document } from 'yaml'
import { configInvalid, type Place } from './problems.js'

/** A YAML or JSON config, and the position of each part in the file. */
export interface ConfigDocument {
  readonly value: unknown
  /** ` (line 3, column 5)` of the nearest existing part. */
  readonly at: (place: Place) => string
}

/**
 * Reads a YAML or JSON file.
 *
 * @throws `config-invalid` with line and column: each key that is there twice, each alias without an anchor, and the first
 * other syntax error, since those after it mostly follow from it
 */
export async function readDocument(file: string): Promise<ConfigDocument> {
  const { parseDocument, LineCounter, isNode, isPair, isMap } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, prettyErrors: false })
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return ` (line ${line}, column ${col})`
  }
  const errors = await syntaxErrors(document)
  if (errors.length > 0)
    throw configInvalid(
      file,
      errors.map(({ problem, offset }) => ({
        path: where(offset).trim(),
        problem: `${problem}.`,
        remedy: file.endsWith('.json') ? 'Write valid JSON.' : 'Write valid YAML.',
      })),
    )
  return {
    value: plainValue(document, file),
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

interface SyntaxError {
  readonly problem: string
  readonly offset: number
}

async function syntaxErrors(document: Document): Promise<readonly SyntaxError[]> {
  const { visit } = await import('yaml')
  const first = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  const found = document.errors
    .filter((error) => error === first || error.code === 'DUPLICATE_KEY')
    .map(({ message, pos }) => ({ problem: message, offset: pos[0] }))
  if (found.length > 0) return found
  const aliases: SyntaxError[] = []
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return
      const problem = `There is no anchor "&${alias.source}" before "*${alias.source}"`
      aliases.push({ problem, offset: alias.range?.[0] ?? 0 })
    },
  })
  return aliases
}

/** The value of a document. Aliases of aliases can stand for too many values. */
function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS()
  } catch (thrown) {
    const issue = { path: '', problem: `cannot be read: ${failureOf(thrown).message}.`, remedy: 'Use fewer aliases.' }
    throw configInvalid(file, [issue], thrown)
  }
}
