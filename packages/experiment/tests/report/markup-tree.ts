/** An element of XML. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The text directly in it. */
  readonly text: string
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
// What XML 1.0 can hold: chapter 2.2 of its specification.
const holdable = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u
const token = /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z-]+="[^"<]*")*)\s*(\/?)>|([^<]+)|(<)/gy

/**
 * The tree of a document, read by the letter of XML: every tag closed in its turn, every attribute in double quotes, every
 * `&` a known reference, every character one that XML can hold. Throws otherwise.
 */
export function treeOf(document: string): Element {
  if (!holdable.test(document)) throw new Error('a character that XML cannot hold')
  const body = document.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n|^<!doctype html>\n/, '')
  const root = element('', {})
  const open = [root]
  for (const [whole, closing, name = '', attributes = '', empty, text] of body.matchAll(token)) {
    const above = open.at(-1)
    if (above === undefined) throw new Error(`something after the end: ${whole}`)
    if (text !== undefined) above.text += decoded(text)
    else if (name === '') throw new Error(`a stray < in ${above.name}`)
    else if (closing === '/') {
      if (above.name !== name) throw new Error(`</${name}> closes ${above.name}`)
      open.pop()
    } else {
      const inner = element(name, attributesOf(attributes))
      above.children.push(inner)
      if (empty !== '/') open.push(inner)
    }
  }
  const [only, ...more] = root.children
  if (open.length !== 1 || only === undefined || more.length > 0) throw new Error('not one whole element')
  return only
}

function element(name: string, attributes: Element['attributes']) {
  return { name, attributes, children: [] as Element[], text: '' }
}

function attributesOf(text: string): Element['attributes'] {
  const found = [...text.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decoded(value)])
  const record = Object.fromEntries(found)
  if (Object.keys(record).length !== found.length) throw new Error(`an attribute twice: ${text}`)
  return record
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|([a-z]+));|&/g, (whole, code, name) => {
    const character = code === undefined ? entities[name] : String.fromCodePoint(Number(code))
    if (character === undefined) throw new Error(`an unknown reference: ${whole} in ${text.slice(0, 80)}`)
    return character
  })
}
