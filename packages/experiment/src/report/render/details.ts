import { tellingLines } from '../../result/excerpt.js'
import type { FailureBlock } from '../content/evidence.js'
import { markdownText } from '../escape.js'

/** Something that a reader can open. */
export interface Details {
  readonly summary: string
  readonly blocks: readonly FailureBlock[]
}

const mostLines = 40
const longestLine = 500

/** A folded part of Markdown; of a long text the lines that say why. */
export function markdownDetails({ summary, blocks }: Details): string {
  const parts = blocks.flatMap(({ title, text }) => [
    markdownText(title),
    '',
    ...(text === '' ? [] : [fenced(tellingLines(text, mostLines, longestLine)), '']),
  ])
  // A blank line ends the HTML: what follows is Markdown again. The summary is Markdown's text within an element of HTML.
  return ['<details>', '<summary>', '', markdownText(summary), '', '</summary>', '', ...parts, '</details>', ''].join(
    '\n',
  )
}

/** A text as a block of code that it cannot end: the fence is longer than any run of backticks in it. */
function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text}\n${fence}`
}
