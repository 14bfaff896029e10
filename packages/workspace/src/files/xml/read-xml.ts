import { SaxesParser, type SaxesTagNS } from 'saxes'
import { lineFinder } from '../code/token-stream.js'
import { maxNodes } from '../comparator.js'
import { refuse } from '../compare-trees.js'
import { checkDepth } from '../data/data-node.js'
import type { XmlAttribute } from './xml-node.js'
import { expandedName } from './xml-node.js'

/** An element as it is written: every run of text, CDATA and references resolved, comments gone. */
export interface RawElement {
  readonly name: string
  readonly space: string
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  readonly content: (RawElement | string)[]
  readonly line: number
  /** Whether `xml:space="preserve"` holds here. */
  readonly preserve: boolean
  /** Of the root: what the processing instructions of the document say, by their targets. */
  readonly instructions?: ReadonlyMap<string, readonly string[]>
}

const xmlns = 'http://www.w3.org/2000/xmlns/'
const xml = 'http://www.w3.org/XML/1998/namespace'

/**
 * The root element of an XML document. Nothing is ever fetched, and no entities are declared.
 *
 * @throws `SyntaxFault` for what is not well-formed, a DOCTYPE with an internal subset, more than 256 levels
 */
export function readXml(text: string): RawElement {
  const lineAt = lineFinder(text)
  const parser = new SaxesParser({ xmlns: true })
  const open: RawElement[] = []
  let root: RawElement | undefined
  let start = 0
  let elements = 0
  const line = () => lineAt(Math.max(0, parser.position - 1))
  const addText = (part: string) => {
    const content = open.at(-1)?.content
    if (typeof content?.at(-1) === 'string') content.push(`${content.pop()}${part}`)
    else content?.push(part)
  }
  parser.on('error', (error) => refuse(error.message.replace(/^\d+:\d+: /, ''), line()))
  parser.on('doctype', (doctype) => {
    if (/\[/.test(doctype.replace(/"[^"]*"|'[^']*'/g, ''))) refuse('document type declarations are refused', line())
  })
  // The event comes one character after the name, which may be a line end.
  parser.on('opentagstart', () => {
    start = text.lastIndexOf('<', parser.position - 2)
  })
  parser.on('opentag', (tag) => {
    if (++elements > maxNodes) refuse(`more than ${maxNodes} elements`, line())
    const element = rawElement(tag, lineAt(Math.max(0, start)), open.at(-1))
    checkDepth(open.push(element), element.line)
  })
  parser.on('closetag', () => {
    const element = open.pop()
    if (element === undefined) return
    const parent = open.at(-1)
    if (parent === undefined) root = element
    else parent.content.push(element)
  })
  const instructions = new Map<string, string[]>()
  parser.on('processinginstruction', ({ target, body }) => {
    if (++elements > maxNodes) refuse(`more than ${maxNodes} elements`, line())
    const said = instructions.get(target) ?? []
    instructions.set(target, said)
    said.push(body)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(text).close()
  return root === undefined ? refuse('there is no element', 1) : { ...root, instructions }
}

function rawElement(tag: SaxesTagNS, line: number, parent: RawElement | undefined): RawElement {
  const attributes = new Map<string, XmlAttribute>()
  let preserve = parent?.preserve ?? false
  for (const { uri, local, value } of Object.values(tag.attributes)) {
    if (uri === xmlns) continue
    attributes.set(expandedName(uri, local), { name: local, value })
    if (uri === xml && local === 'space') preserve = value === 'preserve'
  }
  return { name: tag.local, space: tag.uri, attributes, content: [], line, preserve }
}
