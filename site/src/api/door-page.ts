import type { Door } from '../../../tests/structure/public-names.js'
import { codeBlock, highlighted } from '../code.js'
import { relativeTo } from '../links.js'
import { type Heading, renderMarkdown } from '../markdown.js'
import { escaped } from '../text.js'
import { type DocParts, firstSentence, partsOf } from './doc-comment.js'
import { type Entry, pageOfDoor, placeOf, type Reference } from './reference.js'

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
  const write = writerFor(page, reference)
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

/** The description of an entry: that of its first documented declaration. */
function docOf({ declared }: Entry): DocParts {
  return partsOf(declared.declarations.find(({ doc }) => doc !== '')?.doc ?? '')
}

function entryHtml(one: Entry, page: string, reference: Reference): string {
  const { description, parameters, returns, throws, examples } = docOf(one)
  const write = writerFor(page, reference)
  const facts = [
    ...parameters.map(({ name, text }) => `<dt><code>${escaped(name)}</code></dt><dd>${write.inline(text)}</dd>`),
    ...(returns === undefined ? [] : [`<dt>returns</dt><dd>${write.inline(returns)}</dd>`]),
    ...throws.map((text) => `<dt>throws</dt><dd>${write.inline(text)}</dd>`),
  ]
  const programs = examples.map((program) => codeBlock(program, 'ts'))
  return `<section class="entry" aria-labelledby="${one.name}">
<h2 id="${one.name}"><code>${one.name}</code>${badge(one)} <a class="anchor" href="#${one.name}" aria-label="Link to ${one.name}">#</a></h2>
${importsOf(one)}
${signature(one, page, reference)}
${write.block(description)}
${facts.length === 0 ? '' : `<dl class="facts">${facts.join('')}</dl>`}
${programs.length === 0 ? '' : `<h3 class="example">Example</h3>${programs.join('')}`}
</section>`
}

function badge({ kind }: Entry): string {
  return ` <span class="kind kind-${kind}">${kind}</span>`
}

/** The line to write, and the other doors that export the name. */
function importsOf({ name, kind, doors, declared }: Entry): string {
  const [first = '', ...others] = doors
  const isType = kind === 'interface' || kind === 'type'
  const line = highlighted(`import ${isType ? 'type ' : ''}{ ${name} } from '${first}'`, 'ts')
  const also =
    others.length === 0
      ? ''
      : ` <span class="also">or ${others.map((door) => `<code>${door}</code>`).join(', ')}</span>`
  return `<p class="import" data-package="${declared.package}"><code>${line}</code>${also}</p>`
}

/** The declarations without the doc comment of the whole, each public name in them a link to its entry. */
function signature({ declared, name }: Entry, page: string, reference: Reference): string {
  const code = declared.declarations
    .map(({ text }) =>
      text
        .replace(/^export (?:declare )?|^declare /, '')
        .replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2)),
    )
    .join('\n\n')
  let quoted = 0
  const parts = highlighted(code, 'ts').split(/(<[^>]*>)/)
  const html = parts.map((part) => {
    if (part.startsWith('<span')) {
      if (quoted > 0 || /hljs-(?:string|comment)/.test(part)) quoted += 1
      return part
    }
    if (part.startsWith('</')) {
      if (quoted > 0) quoted -= 1
      return part
    }
    if (quoted > 0) return part
    return part.replace(/\b[A-Za-z]\w{2,}\b/g, (word) => {
      if (word === name) return word
      const meant = /[A-Z]/.test(word) ? reference.meantIn(declared.file, word) : undefined
      return meant === undefined ? word : `<a href="${relativeTo(page, placeOf(meant))}">${word}</a>`
    })
  })
  return `<div class="code signature" data-kind="ts"><pre><code>${html.join('')}</code></pre></div>`
}

/** Writes the Markdown of doc comments; names in backticks lead to their entries. */
function writerFor(page: string, reference: Reference) {
  const options = {
    resolve: (href: string) => href,
    reference(code: string) {
      const found = reference.named(code)
      return found === undefined ? undefined : relativeTo(page, placeOf(found))
    },
  }
  return {
    block: (text: string) => (text === '' ? '' : renderMarkdown(text, options).html),
    inline: (text: string) =>
      renderMarkdown(text, options)
        .html.trim()
        .replace(/^<p>([\s\S]*)<\/p>$/, '$1'),
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
