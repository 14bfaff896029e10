import { tellingLines } from '../../result/excerpt.js'
import { fenced } from '../../result/fenced.js'
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
