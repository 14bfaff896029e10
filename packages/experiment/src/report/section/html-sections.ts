import { markup } from '../escape/markup.js'
import type { Column } from '../table/text-table.js'
import type { Section } from './section.js'

/** Sections as HTML, their titles as headings of a level. */
export function htmlSections(sections: readonly Section[], level: number): string {
  return sections
    .map(({ title, lines = [], table }) =>
      [
        '<section>',
        `<h${level}>${markup(title)}</h${level}>`,
        ...(lines.length === 0 ? [] : [`<ul>${lines.map((line) => `<li>${markup(line)}</li>`).join('')}</ul>`]),
        ...(table === undefined ? [] : [htmlTable(table.columns, table.rows)]),
        '</section>',
      ].join('\n'),
    )
    .join('\n')
}

/** A table as HTML that can be scrolled where it is too wide. */
function htmlTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const align = (at: number) => (columns[at]?.align === 'right' ? ' class="number"' : '')
  const head = columns.map(({ title }, at) => `<th scope="col"${align(at)}>${markup(title)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell, at) => `<td${align(at)}>${markup(cell)}</td>`).join('')}</tr>`)
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
  return `<div class="wide" tabindex="0">${table}</div>`
}
