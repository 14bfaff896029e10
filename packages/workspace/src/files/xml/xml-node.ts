/** An element. Names are local names; `space` is the namespace URI. */
export interface XmlElement {
  readonly name: string
  readonly space: string
  /** By expanded name. */
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  /** Elements and, where they count, the text between them. */
  readonly content: readonly (XmlElement | string)[]
  /** Its own text as it is written, only trimmed. */
  readonly ownText: string
  /** The line on which the start tag begins. */
  readonly line: number
  /** Equal elements have equal ids, over all documents read with one `xmlReader`. */
  readonly id: number
  /** Of the root: what the processing instructions of the document say, by their targets. */
  readonly instructions?: ReadonlyMap<string, readonly string[]>
}

export interface XmlAttribute {
  readonly name: string
  readonly value: string
}

/** The elements directly inside an element. */
export function childrenOf({ content }: XmlElement): readonly XmlElement[] {
  return content.filter((part) => typeof part !== 'string')
}

/** The text of an element without children. */
export function textOf({ content }: XmlElement): string {
  return content.filter((part) => typeof part === 'string').join('')
}

/** Whether text counts between the children of an element. */
export function isMixed({ content }: XmlElement): boolean {
  return content.some((part) => typeof part === 'string') && content.some((part) => typeof part !== 'string')
}

/** The name with its namespace, as one text. */
export function expandedName(space: string, name: string): string {
  return `{${space}}${name}`
}
