import { fold, linesOf, strip } from './reading.js'

/** A line of an answer with something in it. */
export interface Line {
  /** Folded, with its marks. */
  readonly raw: string
  /** Without the marks around it. */
  readonly text: string
  /** The lines of a paragraph have the same number. */
  readonly paragraph: number
}

/** The lines of a text that hold more than marks and spaces, folded. Three dots are more: something is left open. */
export function answerText(text: string): readonly Line[] {
  const lines: Line[] = []
  let paragraph = 0
  for (const raw of linesOf(fold(text))) {
    const stripped = strip(raw)
    if (stripped !== '') lines.push({ raw, text: stripped, paragraph })
    else if (raw.includes('...')) lines.push({ raw, text: '...', paragraph })
    else paragraph += 1
  }
  return lines
}
