import { SaxesParser, type SaxesTagNS } from 'saxes'
import { lineFinder } from '../code/token-stream.js'
import { maxNodes } from '../comparator.js'
import { refuse } from '../compare-trees.js'
import { checkDepth } from '../data/compare-data.js'
import { byCodeUnits } from '../difference.js'

/** An element as it is written: every run of text, with CDATA and references resolved, without comments. */
export interface RawElement {
  readonly name: string
  readonly space: string
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  readonly content: (RawElement | string)[]
  readonly line: number
  /** Whether `xml:space="preserve"` applies here. */
  readonly preserve: boolean
  /** The processing instructions of the document by their targets. Only the root has them. */
  readonly instructions?: ReadonlyMap<string, XmlInstructions>
}

/** The processing instructions with one target. */
export interface XmlInstructions {
  readonly bodies: string[]
  /** The line of the first one before the root. */
  readonly prologLine?: number
}

const xmlns = 'http://www.w3.org/2000/xmlns/'
const xml = 'http://www.w3.org/XML/1998/namespace'

/**
 * Reads the root element of an XML document. Nothing is ever fetched, and no entities are declared.
 *
 * @throws `SyntaxFault` for a document that is not well-formed, a DOCTYPE with an internal subset, more than 256 levels
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
  const instructions = new Map<string, XmlInstructions>()
  parser.on('processinginstruction', ({ target, body }) => {
    if (++elements > maxNodes) refuse(`more than ${maxNodes} elements`, line())
    const isProlog = root === undefined && open.length === 0
    const said = instructions.get(target) ?? { bodies: [], ...(isProlog ? { prologLine: line() } : {}) }
    instructions.set(target, said)
    said.bodies.push(body)
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

export interface XmlReading {
  /** Determines which elements are equal: with `'strict'`, the order of all children counts. */
  readonly siblingOrder: 'same-name' | 'strict'
  /** Whether text is compared as it is, or with runs of space as one space and none at its ends. */
  readonly textSpace: 'keep' | 'collapse'
  /** Whether elements are identified by their local names alone. Default `false`. */
  readonly localNames?: boolean
}

/**
 * Creates a reader of documents that will be compared with each other: it drops insignificant space and gives equal
 * elements equal ids.
 */
export function xmlReader(reading: XmlReading): (text: string) => XmlElement {
  const normalized = xmlNormalizer(reading)
  return (text) => normalized(readXml(text))
}

/** Does the same for documents that are already read. */
export function xmlNormalizer({
  siblingOrder,
  textSpace,
  localNames = false,
}: XmlReading): (root: RawElement) => XmlElement {
  const ids = new Map<string, number>()
  const idOf = (key: string): number => {
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    return id
  }
  const normalized = (raw: RawElement): XmlElement => {
    const content = countingContent(raw, textSpace).map((part) => (typeof part === 'string' ? part : normalized(part)))
    const parts = content.map((part) => (typeof part === 'string' ? `t${part}` : part))
    const isMixed = content.some((part) => typeof part === 'string')
    const inOrder = isMixed || siblingOrder === 'strict' ? parts : byName(parts)
    const { name, attributes, line, instructions } = raw
    const space = localNames ? '' : raw.space
    const ownText = withoutSpaceAround(raw.content.filter((part) => typeof part === 'string').join(''))
    const described = [...attributes]
      .map(([key, { value }]) => [key, value])
      .sort(([a = ''], [b = '']) => byCodeUnits(a, b))
    const children = inOrder.map((part) => (typeof part === 'string' ? part : part.id))
    return {
      name,
      space,
      attributes,
      content,
      ownText,
      line,
      id: idOf(JSON.stringify([space, name, described, children])),
      instructions,
    }
  }
  return normalized
}

/** Returns the children by name, those with the same name in their order. */
function byName(parts: readonly (XmlElement | string)[]): readonly (XmlElement | string)[] {
  const nameOf = (part: XmlElement | string) => (typeof part === 'string' ? '' : expandedName(part.space, part.name))
  return [...parts].sort((one, other) => byCodeUnits(nameOf(one), nameOf(other)))
}

/**
 * Returns the significant content. If an element contains only elements, the space between them is dropped, unless it
 * is preserved; so is a line break in an empty element, while `<separator> </separator>` contains text.
 */
function countingContent(
  { content, preserve }: RawElement,
  textSpace: XmlReading['textSpace'],
): readonly (RawElement | string)[] {
  if (preserve) return content
  const isLayout = (part: RawElement | string) =>
    typeof part !== 'string' ||
    (withoutSpaceAround(part) === '' && (textSpace === 'collapse' || content.length > 1 || part.includes('\n')))
  if (content.every(isLayout)) return content.filter((part) => typeof part !== 'string')
  if (textSpace === 'keep') return content
  return content
    .map((part, index) =>
      typeof part === 'string' ? collapsed(part, index === 0, index === content.length - 1) : part,
    )
    .filter((part) => part !== '')
}

const isSpace = (character: string | undefined): boolean => character !== undefined && ' \t\n\r'.includes(character)

/** XML has four space characters; a no-break space is text. */
function withoutSpaceAround(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isSpace(text[from])) from++
  while (to > from && isSpace(text[to - 1])) to--
  return text.slice(from, to)
}

function collapsed(text: string, first: boolean, last: boolean): string {
  const single = text.replace(/[ \t\n\r]+/g, ' ')
  const start = first && single.startsWith(' ') ? 1 : 0
  return single.slice(start, last && single.length > start && single.endsWith(' ') ? -1 : undefined)
}

/** An element. Names are local names; `space` is the namespace URI. */
export interface XmlElement {
  readonly name: string
  readonly space: string
  /** Keyed by expanded name. */
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  /** Elements and, if it is significant, the text between them. */
  readonly content: readonly (XmlElement | string)[]
  /** Its own text as it is written, only trimmed. */
  readonly ownText: string
  /** The line on which the start tag begins. */
  readonly line: number
  /** Equal elements have equal ids, over all documents read with one `xmlReader`. */
  readonly id: number
  /** The processing instructions of the document by their targets. Only the root has them. */
  readonly instructions?: ReadonlyMap<string, XmlInstructions>
}

interface XmlAttribute {
  readonly name: string
  readonly value: string
}

export function childrenOf({ content }: XmlElement): readonly XmlElement[] {
  return content.filter((part) => typeof part !== 'string')
}

/** Returns the text of an element without children. */
export function textOf({ content }: XmlElement): string {
  return content.filter((part) => typeof part === 'string').join('')
}

/** Whether text counts between the children of an element. */
export function isMixed({ content }: XmlElement): boolean {
  return content.some((part) => typeof part === 'string') && content.some((part) => typeof part !== 'string')
}

/** Returns the name with its namespace, as one string. */
export function expandedName(space: string, name: string): string {
  return `{${space}}${name}`
}
