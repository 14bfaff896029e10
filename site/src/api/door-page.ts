import type { Door } from '../../../tests/structure/public-names.js'
import { codeBlock } from '../code.js'
import { relativeTo } from '../links.js'
import type { Heading } from '../markdown.js'
import { firstSentence, partsOf } from './doc-comment.js'
import { docWriter } from './doc-writer.js'
import { badge, entryHtml } from './entry.js'
import { docOf, pageOfDoor, placeOf, type Reference } from './reference.js'

/** The content of a page of the reference. */
export interface DoorPage {
  readonly page: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

/** The page of a door: what it is for, every name in a list, and the names that are described here. */
export function doorPage({ door, doc, names }: Door, reference: Reference): DoorPage {
  const page = pageOfDoor(door)
  const entries = [...names.values()].flatMap((one) => reference.entryOf(one) ?? []).sort(byName)
  const own = entries.filter(({ home }) => home === door)
  const { description, examples } = partsOf(doc)
  const write = docWriter(page, reference)
  const rows = entries.map((one) => {
    const text = firstSentence(docOf(one).description)
    // The id of an entry is its own; what other doors describe has its id in the list.
    const id = one.home === door ? '' : ` id="${one.name}"`
    const from = one.home === door ? '' : ` <span class="home">${one.home}</span>`
    return `<tr${id}><td><a class="name" href="${relativeTo(page, placeOf(one))}"><code>${one.name}</code></a>${badge(one)}</td><td>${write.inline(text)}${from}</td></tr>`
  })
  const list = `<div class="table names"><table><thead><tr><th>Name</th><th>What it is</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
  const head = `<h1 id="${door}"><code>${door}</code></h1>${write.block(description)}${examples.map((one) => codeBlock(one, 'ts')).join('')}`
  const sections = own.map((one) => entryHtml(one, page, reference))
  return {
    page,
    title: door,
    html: `${head}${entries.length === 0 ? '<p>It exports no name: import it for what it does.</p>' : list}${sections.join('\n')}`,
    headings: [{ id: door, level: 1, text: door }, ...own.map(({ name }) => ({ id: name, level: 2, text: name }))],
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
