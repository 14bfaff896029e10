import type { JudgmentContext } from '../context.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { abstain, concluded, error, type Judgment, type ScoredExtras } from '../judgment.js'
import {
  checkOptions,
  described,
  type OptionDescriptions,
  type OptionRule,
  objectOf,
  option,
  optionInvalid,
  printed,
} from '../options.js'
import type { AgentOutput } from '../output.js'
import { meets } from '../score.js'
import { unjudgeable } from '../unjudgeable.js'
import { besideExpected, plainText } from './expected-answer.js'
import { jsonDifference, readJson } from './json-text.js'
import {
  defaultNormalization,
  type Normalization,
  normalizationRule,
  normalizer,
  visibleText,
} from './normalization.js'
import { isClose, numbersIn, type Tolerance, type WrittenNumber } from './numbers.js'
import { listIn, overlapOf } from './similarity.js'

/** The options of `matchesExpected`. */
export interface MatchesExpectedOptions {
  /**
   * How the answer must match. `text` (default): it equals the expected text. `includes`: it contains that text as
   * whole words. `number`: it has that number. `json`: it is that value. `choice`: it states that choice. `list`: it
   * has the same entries, in any order.
   */
  readonly by?: 'text' | 'includes' | 'number' | 'json' | 'choice' | 'list'
  /** The differences to ignore in texts and lists; `false`: none. Default `['unicode', 'whitespace']`. */
  readonly normalize?: false | readonly Normalization[]
  /**
   * The allowed difference between numbers, with `number` and `json`: a number, or `absolute` or `relative`. Default 0.
   */
  readonly tolerance?: number | Tolerance
  /** Which number of a string counts. Default `only`: a string with different numbers fails. */
  readonly which?: 'only' | 'first' | 'last'
  /** The decimal separator, with `number`. Default `.`. */
  readonly decimal?: '.' | ','
  /** The choices, with `choice`. Default: those in the metadata `choices` of the item. */
  readonly choices?: readonly string[]
  /** The lowest score that passes, with `json` and `list`. Default 1. */
  readonly threshold?: number
}

type Comparing = Required<MatchesExpectedOptions>['by']

type Compare = (answer: AgentOutput, expected: AgentOutput, context: JudgmentContext) => Judgment

const comparisons: { readonly [by in Comparing]: (options: MatchesExpectedOptions) => Compare } = {
  text: byText,
  includes: byIncludes,
  number: byNumber,
  json: byJson,
  choice: byChoice,
  list: byList,
}

const maxShown = 10

function matched(holds: boolean, reasoning: string, extras: ScoredExtras = {}): Judgment {
  const overall = { name: 'expected_match', passed: holds, message: holds ? '' : reasoning }
  return concluded(holds, reasoning, { ...extras, checks: [overall, ...(extras.checks ?? [])] })
}

/** No answer could match an unreadable expected output, so the agent is not to blame. */
function unreadable(expected: AgentOutput, what: string): Judgment {
  return error(`the expected output ${printed(plainText(expected))} ${what}; correct the dataset`)
}

function byText({ normalize }: MatchesExpectedOptions): Compare {
  const plain = normalizer(normalize)
  return (answer, expected) => {
    const [found, wanted] = [plainText(answer), plainText(expected)]
    const holds = plain(found) === plain(wanted)
    return matched(
      holds,
      holds ? 'the output is the expected one' : `the output is ${printed(found)}, not ${printed(wanted)}`,
    )
  }
}

function byIncludes({ normalize }: MatchesExpectedOptions): Compare {
  const plain = normalizer(normalize)
  return (answer, expected) => {
    const wanted = plain(plainText(expected))
    if (wanted.trim() === '') return abstain('the expected output is blank, and every output contains that')
    const found = plainText(answer)
    const holds = includesWords(plain(found), wanted)
    return matched(holds, `the output ${holds ? 'contains' : `${printed(found)} does not contain`} ${printed(wanted)}`)
  }
}

/** Scripts that put spaces between words. */
const spaced = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]/u

/** Not as a part of longer words or numbers: `4` is neither in `42` nor in `4.2`. */
function includesWords(text: string, words: string): boolean {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + words.length, at + words.length + 2)]
    const isBegun =
      spaced.test(first) && (spaced.test(before.at(-1) ?? '') || (/\d/.test(first) && /\d[.,]$/.test(before)))
    const isContinued = spaced.test(last) && (spaced.test(after[0] ?? '') || (/\d/.test(last) && /^[.,]\d/.test(after)))
    if (!isBegun && !isContinued) return true
  }
  return false
}

function byNumber({ tolerance = 0, which = 'only', decimal = '.' }: MatchesExpectedOptions): Compare {
  const allowed = toleranceOf(tolerance)
  return (answer, expected) => {
    const wanted = numberOf(expected, 'only', decimal)
    if (typeof wanted === 'string') return unreadable(expected, wanted)
    const found = numberOf(answer, which, decimal)
    if (typeof found === 'string') return matched(false, `the output ${found}`)
    const holds = isClose(found, wanted, allowed)
    const words = holds ? `the output has ${wanted.value}` : `the output has ${found.value}, not ${wanted.value}`
    return matched(holds, words, { metadata: { found: found.value, expected: wanted.value } })
  }
}

function toleranceOf(tolerance: number | Tolerance): Tolerance {
  return typeof tolerance === 'number' ? { absolute: tolerance } : tolerance
}

/** Without a number, the rest of a sentence that states why. */
function numberOf(output: AgentOutput, which: 'only' | 'first' | 'last', decimal: '.' | ','): WrittenNumber | string {
  const isNumber = output.type === 'structured' && typeof output.data === 'number'
  const all = numbersIn(plainText(output), isNumber ? '.' : decimal)
  if (all.length === 0) return 'has no number'
  const chosen = which === 'only' ? all : [all.at(which === 'last' ? -1 : 0)]
  const [found] = chosen
  if (found === undefined || chosen.includes(undefined)) return 'has a number that cannot be read'
  const distinct = [...new Map(chosen.map((one) => [one?.exact, one?.value])).values()]
  if (distinct.length === 1) return found
  const more = distinct.length > maxShown ? ', …' : ''
  return `has several numbers: ${distinct.slice(0, maxShown).join(', ')}${more}`
}

function byJson({ tolerance = 0, threshold = 1 }: MatchesExpectedOptions): Compare {
  const allowed = toleranceOf(tolerance)
  return (answer, expected) => {
    const wanted = readJson(expected, true)
    if ('code' in wanted) return unreadable(expected, 'is not JSON that can be compared')
    const found = readJson(answer, true)
    if ('code' in found) return unjudgeable(found.problem, { code: found.code })
    const { checks, total, matched: equal, differing } = jsonDifference(found.value, wanted.value, allowed)
    const score = equal / total
    const words = differing === 0 ? 'the output is the expected value' : `${equal} of ${total} values are as expected`
    return matched(meets(score, threshold), words, { score, checks, metadata: { matched: equal, total, differing } })
  }
}

function byChoice({ choices: given }: MatchesExpectedOptions): Compare {
  return (answer, expected, { metadata }) => {
    const choices = given ?? metadata['choices']
    if (!option.strings.holds(choices) || (choices as readonly string[]).length < 2)
      return abstain('there are no choices: give the option "choices", or the item the metadata "choices"')
    const read = choiceReader(choices as readonly string[])
    const nameOf = (index: number) => printed((choices as readonly string[])[index])
    const wanted = read(plainText(expected))
    if (!('choice' in wanted)) return unreadable(expected, 'is not one of the choices')
    const found = read(plainText(answer))
    if ('choice' in found) {
      const holds = found.choice === wanted.choice
      const words = `the output states ${nameOf(found.choice)}${holds ? '' : `, not ${nameOf(wanted.choice)}`}`
      return matched(holds, words)
    }
    const several = `names several choices: ${found.named.slice(0, maxShown).map(nameOf).join(', ')}`
    const problems = { none: 'states no choice', several, 'look-alike': 'writes a choice in letters of another script' }
    return matched(false, `the output ${problems[found.problem]}`)
  }
}

function byList({ normalize, threshold = 1 }: MatchesExpectedOptions): Compare {
  const plain = normalizer(normalize)
  return (answer, expected) => {
    const [found, wanted] = [listIn(answer).map(plain), listIn(expected).map(plain)]
    const { matched: count, missing, extra, f1 } = overlapOf(found, wanted)
    const metadata = { matched: count, missing: missing.length, extra: extra.length }
    const words = [
      `${count} of ${wanted.length} entries are there`,
      ...(missing.length > 0 ? [`missing: ${shownList(missing)}`] : []),
      ...(extra.length > 0 ? [`not expected: ${shownList(extra)}`] : []),
    ]
    return matched(meets(f1, threshold), words.join('; '), { score: f1, metadata })
  }
}

function shownList(entries: readonly string[]): string {
  const more = entries.length > maxShown ? `, and ${entries.length - maxShown} more` : ''
  return `${entries.slice(0, maxShown).map(printed).join(', ')}${more}`
}

/** The index of a choice, or why no single choice was stated. */
type ChoiceRead =
  | { readonly choice: number }
  | { readonly problem: 'none' | 'several' | 'look-alike'; readonly named: readonly number[] }

/** Every spelling of a choice, with the index of the choice. */
type Forms = ReadonlyMap<string, number>

/**
 * Returns a function that reads the one choice an answer states: alone on a line or between marks, or after words such
 * as "the answer is". The last line counts, and must not name another choice. If the last line states none, the whole
 * answer must not name another one. So "A or B" is neither A nor B.
 *
 * @param choices in order; if none is a single letter, the letters A, B, C … are accepted for them too
 */
function choiceReader(choices: readonly string[]): (text: string) => ChoiceRead {
  const forms = formsOf(choices)
  return (text) => {
    const lines = text.split(/\r?\n/u).filter((line) => folded(line) !== '')
    const read = lines.map((line) => readLine(line, forms))
    const stated = [...new Set(read.flatMap((line) => line.stated))]
    if (stated.includes(lookAlike)) return { problem: 'look-alike', named: [] }
    const [choice] = stated
    if (choice === undefined) return { problem: 'none', named: [] }
    const last = read.at(-1)
    const beside = last !== undefined && last.stated.length > 0 ? last.beside : read.flatMap((line) => line.beside)
    const named = [...new Set([...stated, ...beside.flatMap((part) => mentionedIn(part, forms))])]
    return named.length === 1 ? { choice } : { problem: 'several', named }
  }
}

function formsOf(choices: readonly string[]): Forms {
  const texts = choices.map(folded)
  const hasLetters = texts.some((text) => /^\p{L}$/u.test(text)) || texts.length > 26
  const letters = hasLetters ? [] : texts.map((_, at) => String.fromCharCode('a'.charCodeAt(0) + at))
  return new Map([...letters.entries(), ...texts.entries()].map(([at, form]) => [form, at]))
}

/** Marks letters of another script that look like a choice. */
const lookAlike = -1

interface LineRead {
  readonly stated: readonly number[]
  readonly beside: readonly string[]
}

/** A line states a choice as a whole, or between marks: `B. London` states a letter and its text. */
function readLine(line: string, forms: Forms): LineRead {
  const whole = statedBy(line, forms)
  if (whole !== undefined) return { stated: [whole], beside: [] }
  const parts = line.split(/(?<=[.,;!?:)])\s+|\s+[-–—]\s+/u).map((part) => ({ part, choice: statedBy(part, forms) }))
  return {
    stated: parts.flatMap(({ choice }) => choice ?? []),
    beside: parts.flatMap(({ part, choice }) => (choice === undefined ? [part] : [])),
  }
}

/** Words before a choice, such as "So the correct answer is". */
const leadIn =
  /^(?:(?:so|thus|therefore|hence|my|the|final|correct|best|right|answer|choice|option|letter|it|it's|i|choose|pick|select|is|would be)(?![\p{L}\p{N}])[\s:,*_"'`([]*)+/u

function statedBy(part: string, forms: Forms): number | undefined {
  const form = folded(part)
  const bare = folded(form.replace(leadIn, ''))
  const choice = forms.get(form) ?? forms.get(bare)
  return choice === undefined && forms.has(latinized(bare)) ? lookAlike : choice
}

/** Matches whole words. Letters that look alike count; a single letter must be a capital. */
function mentionedIn(part: string, forms: Forms): readonly number[] {
  const plain = visibleText(part).normalize('NFKC')
  const texts = [plain, latinized(plain)]
  const isNamed = (form: string) =>
    texts.some((text) => (form.length === 1 ? hasWord(text, form.toUpperCase()) : hasWord(text.toLowerCase(), form)))
  return [...forms].flatMap(([form, choice]) => (isNamed(form) ? [choice] : []))
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + word.length])) return true
  return false
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}

const marks = new Set('*_"\'`()[]{}<>#$-.,;:!?。 \t')

const boxed = /\\boxed\{([^{}]*)\}/gu

/** Ignores case, and spaces and marks at both ends. */
function folded(text: string): string {
  const plain = visibleText(text).normalize('NFKC').toLowerCase().replace(boxed, '$1').replace(/\s+/gu, ' ')
  let [start, end] = [0, plain.length]
  while (start < end && marks.has(plain[start] ?? '')) start++
  while (end > start && marks.has(plain[end - 1] ?? '')) end--
  return plain.slice(start, end)
}

/** Cyrillic and Greek letters that look like Latin ones, each before the letter it resembles. */
const pairs =
  'аa еe іi јj оo рp сc уy хx ѕs ԁd һh ԛq ԝw вb кk мm нh тt αa βb εe ζz ηh ιi κk μm νn οo ρp τt υy χx'.split(' ')

const latin = new Map(pairs.flatMap((pair) => [pair, pair.toUpperCase()]).map(([from = '', to = '']) => [from, to]))

function latinized(text: string): string {
  return text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, (letter) => latin.get(letter) ?? letter)
}

const tolerances: OptionDescriptions<Tolerance> = {
  absolute: described(option.nonNegative, 'How far a number may be away.', 0),
  relative: described(option.nonNegative, 'The same as a share of the expected number.', 0),
}

const toleranceRule: OptionRule = option.either(
  option.nonNegative,
  objectOf('{ absolute, relative } of such numbers', tolerances, ['absolute', 'relative']),
)

const options: OptionDescriptions<MatchesExpectedOptions> = {
  by: described(
    option.oneOf('text', 'includes', 'number', 'json', 'choice', 'list'),
    'How the answer must match: the same text, a part of it as whole words, the same number, the same JSON value, one ' +
      'stated choice, or the same entries in any order.',
    'text',
  ),
  normalize: described(normalizationRule, 'Differences to ignore in strings and lists.', [...defaultNormalization]),
  tolerance: described(
    toleranceRule,
    'How far a number may be off, with `number` and `json`; `relative` is a share of the expected number.',
    0,
  ),
  which: described(
    option.oneOf('only', 'first', 'last'),
    'Which number of the answer counts; with `only`, numbers that differ are a fail.',
    'only',
  ),
  decimal: described(option.oneOf('.', ','), 'The decimal mark, with `number`.', '.'),
  choices: described(option.strings, 'The choices, with `choice`. Default: the metadata `choices` of the item.'),
  threshold: described(option.rate, 'The lowest score that passes, with `json` and `list`.', 1),
}

/** The comparisons that an option applies to; an option that is not listed applies to all. */
const belongs: { readonly [name in keyof MatchesExpectedOptions]: readonly Comparing[] } = {
  normalize: ['text', 'includes', 'list'],
  tolerance: ['number', 'json'],
  which: ['number'],
  decimal: ['number'],
  choices: ['choice'],
  threshold: ['json', 'list'],
}

/**
 * Passes when the agent's answer matches the expected output of the item, or one of them if the item has a list of
 * right answers. Abstains without an expected output, fails without an answer. An expected output that cannot be read,
 * such as one without a number, is an ERROR. Checks: `expected_match`; with `json` also one for each of the first 20
 * differences, named by its JSON pointer. The score is 1 or 0, with `json` the share of equal values, with `list` F1.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { matchesExpected } from '@jurist/core/answers'
 *
 * matchesExpected({ by: 'number', tolerance: { relative: 0.01 } })
 */
export function matchesExpected(given: MatchesExpectedOptions = {}): Judge {
  const checked = checkOptions('matchesExpected', given, options)
  const { by = 'text' } = checked
  const foreign = Object.keys(checked).find(
    (name) => !(belongs[name as keyof MatchesExpectedOptions] ?? [by]).includes(by),
  )
  if (foreign !== undefined)
    return optionInvalid(
      foreign,
      `matchesExpected: ${printed(foreign)} has no meaning with by: ${printed(by)}. Leave it out.`,
    )
  const compare = comparisons[by](checked)
  return giveInfo(
    function matchesExpected(context: JudgmentContext) {
      return besideExpected(context, (answer, expected) => compare(answer, expected, context))
    },
    { options: checked },
  )
}

describeJudge<MatchesExpectedOptions>(matchesExpected, {
  passes: "the agent's answer matches the expected output of the item",
  options,
  make: (given) => matchesExpected(given),
})
