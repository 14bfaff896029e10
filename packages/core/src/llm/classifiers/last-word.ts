import { type Line, strip } from './answer-text.js'

export interface Place {
  /** The line that announces or states the answer. */
  readonly index: number
  /** The line on which the answer ends. */
  readonly end: number
}

export interface Form {
  /** Whether a line is another part of the form, such as `SCORE: 8`. */
  readonly isPart?: (line: Line) => boolean
  /** Whether a line of reasons may follow the answer, whatever it says. Default false. */
  readonly reasonsLast?: boolean
}

const closingMarks = /^[\s*_`#"'”’»)\]}>|.,!✅✔☑👍]*$/u
const goesOn = /^[\s*_`)\]}]*[.,;:!([–—-]/u

/** Only closing marks, or words that agree, may follow a passing answer on its line. */
export function endsWell(rest: string): boolean {
  return !rest.includes('..') && (closingMarks.test(rest) || (goesOn.test(rest) && agrees(rest)))
}

const noun =
  '(?:goal|task|question|criterion|criteria|requirements?|conditions?|output|answer|response|reply|agent|work|code|change|claims?|files?|tests?|parts?|points?)'
const subject = `(?:it|this|that|everything|the ${noun}|(?:all|every|each|both) (?:of (?:it|them|the ${noun})|(?:the )?${noun}))`
const be = '(?:is|are|was|were|has been|have been)'
const asAsked = 'as (?:it was |they were )?(?:asked|requested|required|expected|wanted)(?: for)?'
const fits = `(?:met|satisfied|fulfilled|achieved|correct|right|accurate|complete|relevant|supported|grounded|present|there|fine|good|true|done|covered|${asAsked})`
const agreeing = new RegExp(
  `^(?:(?:because|since|and|so) )?(?:${[
    `(?:${subject} ${be} )?(?:fully |completely |clearly )?${fits}(?: in full)?`,
    `${subject} (?:does|do|works?|holds?|exists?|match(?:es)?)`,
    `${subject} (?:fully |completely |clearly )?(?:meets?|met|satisf(?:y|ies|ied)|fulfil(?:s|led)|answers?|answered) (?:it|${subject})`,
    `(?:no ${noun}|nothing) ${be} (?:missing|left out)`,
    `nothing ${be} (?:wrong|invented|made up)`,
    `in full|fully|completely|all of (?:it|them)|(?:very )?(?:good|great|excellent|perfect|well done)(?: (?:work|job))?`,
  ].join('|')})$`,
  'u',
)
const sentenceEnd = /[.;,!:](?:\s|$)|\s[–—-]\s/u

/** Accepts only sentences of a few known forms. */
function agrees(text: string): boolean {
  const sentences = text
    .split(sentenceEnd)
    .map(strip)
    .filter((sentence) => sentence !== '')
  return sentences.length > 0 && sentences.every((sentence) => agreeing.test(sentence))
}

const courtesy =
  /^(?:that(?: is|['’]s) all|done|thanks|thank you|best regards|have a (?:nice|good|great) day|(?:i )?hope (?:this|that|it) helps|this concludes (?:my|the) (?:evaluation|assessment|review)|(?:(?:please )?let me know if|(?:please )?feel free to|(?:i am |i['’]m )?happy to)(?: (?:you|you['’]d|would|have|need|want|like|me|to|any|anything|else|more|further|other|questions?|help|details?|clarification|information|elaborate|explain|clarify|ask|go|into|on|in|this|it|about|or|and))+)$/u
const closingTag = /^\s*<\/(?:answer|final_answer|output|response|result|verdict|judge?ment|evaluation|score)>\s*$/u
const reasonHeading = /^(?:reasons?|reasoning|rationale|explanation)(?:[ *_"'`)\]]*:(?<given>.*))?$/u

/**
 * Whether the text in this place is the model's own answer, and its last word. A model may quote a line such as
 * `Answer: YES` from what it judges, and then say no in unforeseen words, or be cut off. So only text that is known to
 * agree may follow: a sentence of a few forms, or a courtesy.
 */
export function isLastWord(lines: readonly Line[], place: Place, form: Form = {}): boolean {
  if (lines.at(-1)?.raw.trimEnd().endsWith(',') === true || isIntroduced(lines, place.index)) return false
  const rest = lines.slice(place.end + 1).filter((line) => form.isPart?.(line) !== true)
  const reasons = rest.map(({ text }) => reasonHeading.exec(text)?.groups)
  const free = form.reasonsLast === true ? reasons.findIndex((found) => found?.['given'] !== undefined) : -1
  const isHeading = (index: number) => reasons[index] !== undefined && strip(reasons[index]?.['given'] ?? '') === ''
  return rest.every(({ raw, text }, index) => {
    if (index === free) return !isHeading(index)
    if (isHeading(index)) return index + 1 < rest.length
    return agrees(reasons[index]?.['given'] ?? text) || courtesy.test(text) || closingTag.test(raw)
  })
}

const listed = /^\s*(?:[-*•+]|\d{1,3}[.)]) /u
const opens = /(?::|[-–—]|\.\.\.)["'“‘`*_\s]*$/u
const own = new RegExp(
  '(?:^|[ ,.])(?:so|thus|hence|therefore|then)$|' +
    "^(?:(?:ok|okay|sure|certainly|of course|here|here['’]s|is|are|this|my|our|the|a|an|in|as|and|final|overall|short|brief|requested|following|" +
    'based on (?:this|that|the above|these (?:points|reasons|steps)))[,.!]? )*' +
    '(?:reasons?|reasoning|rationale|explanation|answer|verdicts?|judge?ments?|decision|conclusion|evaluation|assessment|scores?|ratings?|' +
    'grade|results?|analysis|review|summary|overall|(?:unsupported )?claims|unsupported|json(?: (?:object|answer|output|response))?)' +
    '(?: (?:in|as) (?:the )?(?:requested |required )?(?:json|format|form))?(?: for (?:each|every|the) \\w+)?(?: is| are| below| follows)?$',
  'u',
)

/** Such as `Here is my evaluation:`. */
export function isOwnIntroduction(line: string): boolean {
  return own.test(strip(line))
}

/** Whether a line quotes another speaker: after `The output says:`, or in a block quote next to other lines. */
function isIntroduced(lines: readonly Line[], index: number): boolean {
  const isBlock = ({ raw }: Line) => raw.trimStart().startsWith('>')
  const line = lines[index]
  if (line === undefined || (isBlock(line) && !lines.every(isBlock))) return true
  for (let at = index - 1; at >= 0; at--) {
    const before = lines[at]
    if (before === undefined || (at < index - 1 && before.paragraph !== line.paragraph)) return false
    if (opens.test(before.raw)) return !isOwnIntroduction(before.raw)
    if (listed.test(before.raw)) return false
  }
  return false
}
