import type { JudgmentContext } from '../context.js'
import { abstain, concluded, error, type Judgment, type ScoredExtras } from '../judgment.js'
import { option, printed } from '../options.js'
import type { AgentOutput } from '../output.js'
import { meets } from '../score.js'
import { unjudgeable } from '../unjudgeable.js'
import { choiceReader } from './choices.js'
import { plainText } from './expected-answer.js'
import { jsonDifference, readJson } from './json-text.js'
import { type Normalization, normalizer } from './normalization.js'
import { isClose, numbersIn, type Tolerance, type WrittenNumber } from './numbers.js'
import { listIn, overlapOf } from './similarity.js'

/** The options of `matchesExpected`. */
export interface MatchesExpectedOptions {
  /**
   * How the answer must match. `text` (default): it is the expected text. `includes`: it contains that text as whole words.
   * `number`: it has that number. `json`: it is that value. `choice`: it states that choice. `list`: it has the same entries,
   * in any order.
   */
  readonly by?: 'text' | 'includes' | 'number' | 'json' | 'choice' | 'list'
  /** What does not count in texts and lists; `false`: everything counts. Default `['unicode', 'whitespace']`. */
  readonly normalize?: false | readonly Normalization[]
  /** How far numbers may be away, with `number` and `json`: by a number, or by `absolute` or `relative`. Default 0. */
  readonly tolerance?: number | Tolerance
  /** Which number of a text counts. Default `only`: numbers that differ are a fail. */
  readonly which?: 'only' | 'first' | 'last'
  /** The mark in front of decimals, with `number`. Default `.`. */
  readonly decimal?: '.' | ','
  /** With `choice`: the choices. Default: those of the item, its metadata `choices`. */
  readonly choices?: readonly string[]
  /** With `json` and `list`: the lowest score that passes. Default 1. */
  readonly threshold?: number
}

/** The ways in which an answer can match. */
export type Comparing = Required<MatchesExpectedOptions>['by']

type Compare = (answer: AgentOutput, expected: AgentOutput, context: JudgmentContext) => Judgment

/** What each way says of an answer and of one expected answer, by the options of `matchesExpected`. */
export const comparisons: { readonly [by in Comparing]: (options: MatchesExpectedOptions) => Compare } = {
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

/** The expected output itself cannot be read: no answer could match it, so the agent is not to blame. */
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

/** Whether a text contains words, and not as a part of longer words or numbers: `4` is neither in `42` nor in `4.2`. */
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

/** The number of an output, or why it has no number: the rest of a sentence. */
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
