import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { markup } from '../escape.js'
import type { Section } from './section.js'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse } th, td { padding: .2rem .7rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top }
.right { text-align: right; font-variant-numeric: tabular-nums }
pre { padding: .7rem; border: 1px solid #8884; overflow-x: auto; font-size: .85rem }
`

/** What a page consists of. */
export interface HtmlPage {
  readonly title: string
  readonly sections: readonly Section[]
}

/** A whole page without scripts and without anything from elsewhere. */
export function htmlPage({ title, sections }: HtmlPage): string {
  const name = markup(safeLine(title))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${name}</h1>
${sections.map(htmlSection).join('\n')}
</main>
</body>
</html>
`
}

function htmlSection({ title, lines = [], table, code }: Section): string {
  return [
    `<h2>${markup(safeLine(title))}</h2>`,
    ...lines.map((line) => `<p>${markup(safeLine(line))}</p>`),
    ...(table === undefined ? [] : [htmlTable(table)]),
    ...(code === undefined ? [] : [`<pre tabindex="0">${markup(safeBlock(code))}</pre>`]),
  ].join('\n')
}

function htmlTable({ columns, rows }: NonNullable<Section['table']>): string {
  const side = (index: number) => (columns[index]?.align === 'right' ? ' class="right"' : '')
  const head = columns.map(({ title }, index) => `<th scope="col"${side(index)}>${markup(safeLine(title))}</th>`)
  const body = rows.map(
    (row) => `<tr>${row.map((cell, index) => `<td${side(index)}>${markup(safeLine(cell))}</td>`).join('')}</tr>`,
  )
  return `<div class="wide" tabindex="0"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>`
}
