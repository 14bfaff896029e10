import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../tests/structure/source.js'
import { codeBlock, highlighted } from '../code.js'
import { repository } from '../facts.js'
import { relativeTo } from '../links.js'
import { escaped } from '../text.js'
import { docWriter } from './doc-writer.js'
import { docOf, type Entry, isType, placeOf, type Reference } from './reference.js'

/** An entry of the reference: what to import, the signature, the text, an example, and where it is used. */
export function entryHtml(one: Entry, page: string, reference: Reference): string {
  const { description, parameters, returns, throws, examples } = docOf(one)
  const write = docWriter(page, reference)
  const facts = [
    ...parameters.map(({ name, text }) => `<dt><code>${escaped(name)}</code></dt><dd>${write.inline(text)}</dd>`),
    ...(returns === undefined ? [] : [`<dt>returns</dt><dd>${write.inline(returns)}</dd>`]),
    ...throws.map((text) => `<dt>throws</dt><dd>${write.inline(text)}</dd>`),
  ]
  const users = reference.usersOf(one)
  const shown = examples.length > 0 ? one : exemplary(users, reference)
  return `<section class="entry" aria-labelledby="${one.name}">
<h2 id="${one.name}"><code>${one.name}</code>${badge(one)} <a class="anchor" href="#${one.name}" aria-label="Link to ${one.name}">#</a></h2>
${importsOf(one)}
${signature(one, page, reference)}
${write.block(description)}
${facts.length === 0 ? '' : `<dl class="facts">${facts.join('')}</dl>`}
${shown === undefined ? '' : exampleOf(shown, one)}
${usedBy(users, page)}
</section>`
}

/** The nearest user with an example: one that mentions the name, else one that mentions those. */
function exemplary(users: readonly Entry[], reference: Reference): Entry | undefined {
  const seen = new Set(users)
  for (const user of seen) {
    if (docOf(user).examples.length > 0) return user
    for (const next of reference.usersOf(user)) seen.add(next)
  }
  return undefined
}

/** The programs of an entry; those of a type without any are from a name that uses it. */
function exampleOf(shown: Entry, one: Entry): string {
  const [first = '', ...others] = docOf(shown).examples.map((program) => codeBlock(program, 'ts'))
  if (shown === one) return `<h3 class="example">Example</h3>${[first, ...others].join('')}`
  return `<h3 class="example">Example, of <code>${shown.name}</code></h3>${first}`
}

/** As many users as a reader looks at, each with a link. */
function usedBy(users: readonly Entry[], page: string): string {
  if (users.length === 0) return ''
  const links = users
    .slice(0, 12)
    .map((user) => `<a class="name" href="${relativeTo(page, placeOf(user))}"><code>${user.name}</code></a>`)
  const more = users.length > links.length ? ` and ${users.length - links.length} more` : ''
  return `<p class="users">In the signatures of ${links.join(', ')}${more}.</p>`
}

/** What kind of name it is. */
export function badge({ kind }: Entry): string {
  return ` <span class="kind kind-${kind}">${kind}</span>`
}

/** The line to write, and the other doors that export the name. */
function importsOf(one: Entry): string {
  const { name, doors, declared } = one
  const [first = '', ...others] = doors
  const line = highlighted(`import ${isType(one) ? 'type ' : ''}{ ${name} } from '${first}'`, 'ts')
  const also =
    others.length === 0
      ? ''
      : ` <span class="also">or ${others.map((door) => `<code>${door}</code>`).join(', ')}</span>`
  return `<p class="import" data-package="${declared.package}"><code>${line}</code>${also}${sourceOf(declared.file)}</p>`
}

/** A link to the file that declares a name, where the repository can be read on the web. */
function sourceOf(file: string): string {
  const source = file.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')
  if (repository === undefined || !existsSync(join(root, source))) return ''
  return ` <a class="source" href="${escaped(`${repository}/blob/main/${source}`)}">source</a>`
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
