import type { SearchSection } from '../src/search-data.js'
import { findSections, type Hit } from './find-sections.js'

declare const juristSections: readonly SearchSection[]

/** The list of the search: it finds in what the build wrote, and asks no server. The page itself has made the dialog. */
const html = document.documentElement
const find = findSections(juristSections)

const dialog = document.querySelector('dialog.search') as HTMLDialogElement
const input = dialog.querySelector('input') as HTMLInputElement
const list = dialog.querySelector('ul') as HTMLUListElement
const state = dialog.querySelector('.state') as HTMLParagraphElement

let chosen = 0

function show(hits: readonly Hit[]): void {
  chosen = 0
  list.replaceChildren(...hits.map(row))
  input.setAttribute('aria-expanded', String(hits.length > 0))
  const isEmpty = input.value.trim() === ''
  state.textContent = isEmpty ? 'Every page and every public name.' : hits.length === 0 ? 'Nothing found.' : ''
  choose(0)
}

function row({ section, excerpt }: Hit, index: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `hit-${index}`
  item.role = 'option'
  item.dataset['to'] = section.to
  const title = document.createElement('strong')
  title.textContent = section.heading
  if (section.kind === 'name') title.className = 'name'
  const page = document.createElement('span')
  page.className = 'page'
  page.textContent = section.heading === section.page ? '' : section.page
  const text = document.createElement('span')
  text.className = 'excerpt'
  for (const [word, isMatch] of excerpt) {
    const part = document.createElement(isMatch ? 'mark' : 'span')
    part.textContent = word
    text.append(part)
  }
  item.append(title, page, text)
  item.addEventListener('click', () => open(item))
  item.addEventListener('pointermove', () => choose(index))
  return item
}

function choose(index: number): void {
  const items = [...list.children]
  if (items.length === 0) {
    input.removeAttribute('aria-activedescendant')
    return
  }
  chosen = (index + items.length) % items.length
  for (const [at, item] of items.entries()) item.ariaSelected = String(at === chosen)
  items[chosen]?.scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', `hit-${chosen}`)
}

function open(item: Element | undefined): void {
  const to = (item as HTMLElement | undefined)?.dataset['to']
  if (to === undefined) return
  dialog.close()
  location.href = `${html.dataset['top'] ?? ''}${to}`
}

input.addEventListener('input', () => show(find(input.value)))
dialog.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen - 1)
  else if (event.key === 'Enter') open(list.children[chosen])
  else return
  event.preventDefault()
})
// Letters that were typed while this was loading are in the field.
show(find(input.value))
