import { byCodeUnits } from '../difference.js'
import type { RawElement } from './read-xml.js'
import { readXml } from './read-xml.js'
import type { XmlElement } from './xml-node.js'
import { expandedName } from './xml-node.js'

export interface XmlReading {
  /** What decides which elements are equal: with `'strict'` the order of all children. */
  readonly siblingOrder: 'same-name' | 'strict'
  /** Elements are known by their local names alone. Default false. */
  readonly localNames?: boolean
}

/**
 * A reader of documents that are to be compared with each other: it drops the space that does not count and gives
 * equal elements equal ids.
 */
export function xmlReader(reading: XmlReading): (text: string) => XmlElement {
  const normalized = xmlNormalizer(reading)
  return (text) => normalized(readXml(text))
}

/** The same for documents that are read already. */
export function xmlNormalizer({ siblingOrder, localNames = false }: XmlReading): (root: RawElement) => XmlElement {
  const ids = new Map<string, number>()
  const idOf = (key: string): number => {
    const id = ids.get(key) ?? ids.size
    ids.set(key, id)
    return id
  }
  const normalized = (raw: RawElement): XmlElement => {
    const content = countingContent(raw).map((part) => (typeof part === 'string' ? part : normalized(part)))
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
      ...(instructions === undefined ? {} : { instructions }),
    }
  }
  return normalized
}

/** The children by name, those of one name in their order. */
function byName(parts: readonly (XmlElement | string)[]): readonly (XmlElement | string)[] {
  const nameOf = (part: XmlElement | string) => (typeof part === 'string' ? '' : expandedName(part.space, part.name))
  return [...parts].sort((one, other) => byCodeUnits(nameOf(one), nameOf(other)))
}

/** The content that counts: space between elements is dropped, runs of space are one, unless space is preserved. */
function countingContent({ content, preserve }: RawElement): readonly (RawElement | string)[] {
  if (preserve) return content
  const hasText = content.some((part) => typeof part === 'string' && withoutSpaceAround(part) !== '')
  if (!hasText) return content.filter((part) => typeof part !== 'string')
  return content
    .map((part, index) =>
      typeof part === 'string' ? collapsed(part, index === 0, index === content.length - 1) : part,
    )
    .filter((part) => part !== '')
}

const isSpace = (character: string | undefined): boolean => character !== undefined && ' \t\n\r'.includes(character)

/** XML has four characters of space; a no-break space is text. */
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
