import type { Door } from '../../../tests/structure/public-names.js'
import { relativeTo } from '../links.js'
import { escaped } from '../text.js'
import { firstSentence, partsOf } from './doc-comment.js'
import type { DoorPage } from './door-page.js'
import { type EntryKind, grouped, pageOfDoor, placeOf, type Reference } from './reference.js'

const page = 'api/index.html'
const kinds: readonly EntryKind[] = ['function', 'class', 'constant', 'interface', 'type']

/** The first page of the reference: the doors of each package, and every name from A to Z. */
export function overviewPage({ doors, entries }: Reference): DoorPage {
  const packages = [...grouped(doors, (door) => door.package)].sort(([a], [b]) => rank(a) - rank(b))
  const tables = packages.map(([name, ofPackage]) => {
    const rows = ofPackage.map(doorRow).join('\n')
    return `<h3 id="${name}"><code>${name}</code></h3><div class="table names"><table><thead><tr><th>Import from</th><th>For</th><th>Names</th></tr></thead><tbody>${rows}</tbody></table></div>`
  })
  const counts = kinds.map((kind) => counted(entries.filter((one) => one.kind === kind).length, kind))
  const letters = [...grouped([...entries].sort(byName), ({ name }) => name[0]?.toLowerCase() ?? '')]
  const index = letters.map(([letter, ofLetter]) => {
    const links = ofLetter.map(
      (one) =>
        `<li><a class="name" href="${relativeTo(page, placeOf(one))}"><code>${one.name}</code></a> <span class="home">${one.home.replace('@jurist/', '')}</span></li>`,
    )
    return `<h3 id="letter-${letter}">${letter.toUpperCase()}</h3><ul class="letters">${links.join('')}</ul>`
  })
  const html = `<h1 id="api">API reference</h1>
<p>Every public name of every package, with its signature, its documentation and an example that compiles: ${escaped(counts.join(', '))}. It is made of the declarations that the packages publish. Install <code>jurist</code>; its entry points export what programs and configs need, and the packages export the rest.</p>
<h2 id="entry-points">Entry points</h2>
${tables.join('\n')}
<h2 id="names">Names from A to Z</h2>
${index.join('\n')}`
  const headings = [
    { id: 'api', level: 1, text: 'API reference' },
    { id: 'entry-points', level: 2, text: 'Entry points' },
    ...packages.map(([name]) => ({ id: name, level: 3, text: name })),
    { id: 'names', level: 2, text: 'Names from A to Z' },
  ]
  return { page, title: 'API reference', html, headings }
}

function doorRow({ door, doc, names }: Door): string {
  const text = escaped(firstSentence(partsOf(doc).description)).replace(/`([^`]+)`/g, '<code>$1</code>')
  const link = `<a class="name" href="${relativeTo(page, pageOfDoor(door))}"><code>${door}</code></a>`
  return `<tr><td>${link}</td><td>${text}</td><td class="right">${names.size}</td></tr>`
}

function rank(name: string): number {
  return name === 'jurist' ? 0 : name === '@jurist/core' ? 1 : 2
}

function counted(count: number, kind: EntryKind): string {
  if (count === 1) return `1 ${kind}`
  return `${count} ${kind === 'class' ? 'classes' : `${kind}s`}`
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1
}
