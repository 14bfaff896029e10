import { createRequire } from 'node:module'
import type * as saxes from 'saxes'

const maxDepth = 256

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>

/** What receives the elements of a document, in order. */
interface Elements {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text?(part: string): void
}

/**
 * Reads the elements of an XML document.
 *
 * @throws `Error` for what is not well-formed, has a document type or more than 256 levels
 */
export function readElements(text: string, elements: Elements): void {
  const parser = newParser()
  let depth = 0
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new Error('a document type is declared')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > maxDepth) throw new Error(`it is nested deeper than ${maxDepth} levels`)
    elements.open(name, attributes)
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    elements.close(name)
  })
  parser.on('text', (part) => elements.text?.(part))
  parser.on('cdata', (part) => elements.text?.(part))
  parser.write(text).close()
}

/** Loaded synchronously when the first report is read: reading stays synchronous, and most programs read no report. */
function newParser(): saxes.SaxesParser {
  const { SaxesParser }: typeof saxes = createRequire(import.meta.url)('saxes')
  return new SaxesParser()
}
