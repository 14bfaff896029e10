import { agrees, contradicts, goesOn, isFarewell, isRefusal, namesFault, refusesBefore } from './agreement.js'
import {
  answerLinePattern,
  answerValues,
  answerWords,
  escaped,
  introduces,
  type Line,
  quotedLines,
  strip,
} from './answer-text.js'
import type { LabelSet } from './label-set.js'

/** A sentence that says which label is better. */
export interface Conclusion {
  /** The folded label. */
  readonly label: string
  /** The line that contains it. */
  readonly index: number
  /** The text before it on the line. */
  readonly before: string
}

/** Finds sentences such as `Therefore, Output (b) is better.` */
export interface ConclusionReader {
  /** The label of a text that is such a sentence and nothing else. */
  inSentence(text: string): string | undefined
  /** The first line of an answer, where it is one, and the sentence that the answer ends with. */
  inAnswer(lines: readonly Line[]): readonly Conclusion[]
}

const adverbs =
  'therefore|thus|hence|so|consequently|accordingly|overall|ultimately|finally|in conclusion|to conclude|in summary|in short|' +
  'in sum|to sum up|as a result|for (?:this|these) reasons?|all in all|in the end|based on (?:this|that|the above)|given (?:this|that|the above)'
const degrees =
  'clearly|definitely|obviously|overall|generally|slightly|marginally|somewhat|much|far|significantly|therefore|thus'
const better = '(?:better|best|superior|preferable|preferred|winning|winner)'
const nouns = 'output|answer|response|reply|assistant|option|candidate|choice|model|one'

/** A reader of conclusions about these labels. A label with brackets is named with them. */
export function conclusionReader(labels: LabelSet): ConclusionReader {
  const read = sentenceReader(labels)
  const inSentence = (text: string) => read(withoutMarks(text))?.label
  return {
    inSentence,
    inAnswer: (lines) => {
      const first = lines.findIndex((line) => !isHeading(line))
      const last = lines.findLastIndex((line) => !isFarewell(line))
      const start = inSentence(lines[first]?.raw ?? '')
      const found = start === undefined || first === last ? [] : [{ label: start, index: first, before: '' }]
      const end = atEnd(lines[last]?.raw ?? '', read)
      return [...found, ...(end === undefined ? [] : [{ ...end, index: last }])].filter((one) => isOwn(lines, one))
    },
  }
}

interface Sentence {
  readonly label?: string
  readonly adverb?: string
}

type ReadSentence = (sentence: string) => Sentence | undefined

const longest = 300

function sentenceReader(labels: LabelSet): ReadSentence {
  const names = [...labels]
    .map(([name, { opened = '', closed = '' }]) => [name, escaped(opened), escaped(closed)] as const)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, opened, closed]) => `${opened}(?:${escaped(name)})${closed}`)
  const named = (group: string) =>
    `(?:the )?(?:(?:${nouns}) )?[*_~\`(\\[{<]{0,6}(${group}${names.join('|')})[*_~\`)\\]}>]{0,6}`
  const opening = `^(?:(?<adverb>${adverbs}),? )?(?:i (?:think|believe|conclude) (?:that )?)?`
  const sentences = [
    `${named('?<label>')} (?:wins|(?:is|was) (?:(?:${degrees}) )?(?:(?:the|a) )?(?:(?:${degrees}) )?${better}(?: (?:${nouns}))?` +
      `(?: overall)?(?: (?:than|to) ${named('?:')})?(?: (?:of|for|to|given|in following) (?:the|this|these) (?:given )?` +
      '(?:two|instructions?|questions?|prompts?|tasks?|goals?))?)$',
    `(?:the )?${better}(?: (?:${nouns}))?(?: overall)? is ${named('?<label>')}$`,
  ].map((sentence) => new RegExp(opening + sentence, 'u'))
  return (sentence) => {
    if (sentence.length > longest) return undefined
    const { label, adverb } = sentences.map((one) => one.exec(sentence)?.groups).find((one) => one !== undefined) ?? {}
    return label === undefined ? undefined : { label: strip(label), ...(adverb === undefined ? {} : { adverb }) }
  }
}

/** The last sentence of a line. Behind others only a word that concludes distinguishes an answer from an argument. */
function atEnd(line: string, read: ReadSentence): Pick<Conclusion, 'label' | 'before'> | undefined {
  const text = withoutMarks(line)
  const stop = Math.max(...['. ', '! ', '? '].map((mark) => text.lastIndexOf(mark)))
  const before = stop < 0 ? '' : text.slice(0, stop + 2)
  const { label, adverb } = read(withoutMarks(text.slice(before.length))) ?? {}
  return label === undefined || (before !== '' && adverb === undefined) ? undefined : { label, before }
}

const markedStart = /^[\s*_~`#>•·|-]+/u
const markedEnd = /[\s*_~`.!|]/u

/** A line without emphasis and stops; quotes and brackets stay. */
function withoutMarks(line: string): string {
  let end = line.length
  while (end > 0 && markedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end).replace(markedStart, '')
}

/** Whether a conclusion is not a quotation: nothing is open in front of it, and no other speaker is announced. */
function isOwn(lines: readonly Line[], { index, before }: Conclusion): boolean {
  const earlier = lines.slice(0, index)
  const said = [...earlier.map(({ raw }) => raw), before].join('\n')
  const count = (mark: string) => said.split(mark).length - 1
  if (count('"') % 2 === 1 || count('“') > count('”') || count('«') > count('»')) return false
  if (refusesBefore(before) || quotedLines(lines)[index] !== false) return false
  const announced = before.slice(0, before.lastIndexOf(':') + 1)
  const sameParagraph = earlier.filter(({ paragraph }) => paragraph === lines[index]?.paragraph)
  return ![...sameParagraph, { raw: announced, text: strip(announced) }].some(introduces)
}

/** Where an answer was found in its text. */
export interface Found {
  /** The line that announces it, or says it. */
  readonly index: number
  /** The line that it ends on. */
  readonly end: number
}

/** How an answer is to be written. */
export interface Form {
  /** Whether a line is another part of it, such as `SCORE: 8`. */
  readonly isPart?: (line: Line) => boolean
  /** Whether reasons are to be given after the answer, whatever comes before it. Default false. */
  readonly reasonsLast?: boolean
}

/**
 * Whether what a text says in these places is its own answer, and its last word. A model may quote a line such as
 * `Answer: YES` out of what it judges, and then say no in unforeseen words, or be cut off. So nothing may follow
 * that cannot be understood as agreeing: no line at all; or, when the answer comes first, reasons for it.
 */
export function isLastWord(lines: readonly Line[], found: readonly Found[], form: Form = {}): boolean {
  const quoted = quotedLines(lines)
  const own = found.filter(({ index }) => quoted[index] === false)
  const [first] = own
  const last = own.at(-1)
  if (first === undefined || last === undefined) return false
  const again = new Set(found.flatMap(({ index, end }) => [index, end]))
  if (isRefused(lines, again)) return false
  const rest = lines.slice(last.end + 1).filter((_, offset) => !again.has(last.end + 1 + offset))
  const comesFirst = lines.slice(0, first.index).every((line) => isHeading(line) || form.isPart?.(line) === true)
  return restAgrees(rest, { ...form, comesFirst })
}

const answerLine = answerLinePattern(answerWords)

/** Whether another line says no, in the form of an answer. */
function isRefused(lines: readonly Line[], again: ReadonlySet<number>): boolean {
  const values = answerValues(lines, answerLine) ?? []
  return (
    lines.some(({ text }, index) => !again.has(index) && refusesBefore(text)) ||
    values.some(({ value, index }) => !again.has(index) && isRefusal(value))
  )
}

const heading =
  /^(?:sure|okay|ok|certainly|of course|here|my|the|final|overall|evaluation|assessment|judge?ment|verdict|answer|result|analysis|review)(?![\p{L}])[^.:]*(?:evaluation|assessment|judge?ment|verdict|answer|result|analysis|review|sure|okay|ok|certainly|of course|json|result)(?: is)?$|^(?:so|sure|okay|ok|certainly|evaluation|assessment|judge?ment|verdict|answer|result|analysis|review)$/u
const mostHeadingWords = 8

/** Whether a line says no more than that an answer comes. */
function isHeading({ text }: Line): boolean {
  return text.length < 80 && text.split(' ').length <= mostHeadingWords && heading.test(text)
}

/** Whether each line after an answer agrees with it. */
function restAgrees(rest: readonly Line[], form: Form & { readonly comesFirst: boolean }): boolean {
  const { isPart, reasonsLast = false, comesFirst } = form
  const isFree = comesFirst || reasonsLast
  /** Reasons that are asked for may mention faults that were fixed. */
  const isAgainst = (line: Line) => contradicts(line) || namesFault(line, { stillThere: reasonsLast })
  /** The paragraph of the reasons, once there are some. */
  let headed: number | 'next' | undefined
  const holds = rest.every((line) => {
    if (isPart?.(line) === true) return true
    const given = givenReasons(line)
    if (given !== undefined) {
      headed = given.text === '' ? 'next' : line.paragraph
      return given.text === '' || (!isAgainst(given) && (isFree || agrees(given, { strictly: true })))
    }
    if (isAgainst(line)) return false
    if (headed === 'next') headed = line.paragraph
    if (line.paragraph === headed && comesFirst && goesOn(line)) return true
    if (line.paragraph === headed && !isFree) return agrees(line, { strictly: true })
    return isFarewell(line) || ((comesFirst || headed !== undefined) && isFree && agrees(line, { strictly: false }))
  })
  return holds && headed !== 'next'
}

const reasonHeading = /^(?:reasons?|reasoning|rationale|explanation)(?:[ *_~"'`)\]]*:(?<given>.*))?$/u

/** The text beside the heading of reasons; `undefined` for other lines. */
function givenReasons(line: Line): Line | undefined {
  const found = reasonHeading.exec(line.text)
  return found === null ? undefined : { ...line, raw: found[1] ?? '', text: strip(found[1] ?? '') }
}
