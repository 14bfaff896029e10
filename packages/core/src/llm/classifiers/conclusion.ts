import { escaped, type Line, strip } from './answer-text.js'
import type { Label, LabelSet } from './label-set.js'
import type { Place } from './last-word.js'

/** A sentence that says which label is better. */
export interface Conclusion extends Place {
  readonly label: Label
  /** The text before it on its line. */
  readonly before: string
}

/** Finds sentences such as `Therefore, Output (b) is better.` */
export interface ConclusionReader {
  /** The label of a text that is such a sentence and nothing else. */
  inSentence(text: string): Label | undefined
  /** The lines of an answer that are one, and the sentence that the answer ends with. */
  inAnswer(lines: readonly Line[]): readonly Conclusion[]
  /** The labels that any sentence says are better, whatever follows. */
  mentioned(lines: readonly Line[]): readonly Label[]
}

const concluding =
  '(?:therefore|thus|hence|so|overall|ultimately|finally|in conclusion|to conclude|in summary|as a result|consequently)'
const degree = '(?:clearly|definitely|slightly|marginally|somewhat|much|significantly|overall)'
const better = '(?:better|best|superior|preferable)'
const noun = '(?:output|answer|response|reply|assistant|option|candidate|choice|model|one)'

/** A reader of conclusions about these labels. A label with brackets is named with them. */
export function conclusionReader(labels: LabelSet): ConclusionReader {
  const names = [...labels]
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, { opened = '', closed = '' }]) => `${escaped(opened)}${escaped(name)}${escaped(closed)}`)
    .join('|')
  const named = `(?:the )?(?:${noun} )?[*_\`]{0,3}(?<label>${names})[*_\`]{0,3}`
  const other = named.replace('?<label>', '?:')
  const sentence =
    `(?:${concluding},? )?(?:${named} is (?:${degree} )?(?:the )?(?:${degree} )?${better}(?: ${noun})?(?: overall)?(?: than ${other})?|` +
    `(?:the )?${better} ${noun} is ${named.replace('<label>', '<named>')})`
  const only = new RegExp(`^${sentence}$`, 'u')
  const behindOthers = new RegExp(`^${concluding},? `, 'u')
  const anywhere = new RegExp(`(?:^|[.!?] )[*_#> ]*${sentence}(?=$|[*_.,;:!]| (?:because|since|as|and|for) )`, 'gu')
  const labelOf = (groups: Groups) => labels.get(strip(groups?.['label'] ?? groups?.['named'] ?? ''))
  const read = (text: string) => labelOf(only.exec(text)?.groups)
  const inSentence = (text: string) => read(withoutMarks(text))
  return {
    inSentence,
    inAnswer(lines) {
      const whole = lines.map(({ raw }) => ({ label: inSentence(raw), before: '' }))
      const { before, sentence: end } = lastSentence(lines.at(-1)?.raw ?? '')
      if (before !== '' && behindOthers.test(end) && !isSpoken(before))
        whole.splice(-1, 1, { label: read(end), before })
      return whole.flatMap(({ label, ...one }, index) =>
        label === undefined ? [] : [{ label, ...one, index, end: index }],
      )
    },
    mentioned: (lines) =>
      lines.flatMap(({ raw }) => [...raw.matchAll(anywhere)].flatMap(({ groups }) => labelOf(groups) ?? [])),
  }
}

type Groups = { readonly [name: string]: string | undefined } | undefined

function lastSentence(line: string): { readonly before: string; readonly sentence: string } {
  const text = withoutMarks(line)
  const stop = Math.max(...['. ', '! ', '? '].map((mark) => text.lastIndexOf(mark)))
  const before = stop < 0 ? '' : text.slice(0, stop + 2)
  return { before, sentence: withoutMarks(text.slice(before.length)) }
}

/** Whether a quotation is open at the end of a text, or it says another answer. */
function isSpoken(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1
  return (
    count('"') % 2 === 1 ||
    count('“') > count('”') ||
    /(?:says|said|wrote|writes|reads|claims) ?:|my (?:own |final )?(?:answer|verdict) is/u.test(text)
  )
}

const longestEnd = 20
const markedStart = /^[\s*_`#>•·|]+/u
const markedEnd = /[\s*_`.!|]/u

/** A line without emphasis and stops; quotes and brackets stay. */
function withoutMarks(line: string): string {
  if (/\.\.\W*$/u.test(line.slice(-longestEnd))) return line
  let end = line.length
  while (end > 0 && markedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end).replace(markedStart, '')
}
