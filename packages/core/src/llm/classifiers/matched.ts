import { JuristError } from '../../errors.js'
import { isPlainObject } from '../../json.js'
import { isSearchable, lastMatch } from '../../judges/search.js'
import { checkOptions, option, optionInvalid, printed } from '../../options.js'
import { categorical } from '../../score.js'
import type { Classify, JudgeModelResponse } from '../model.js'
import { answerText, fold, linesOf, plain, strip } from './answer-text.js'
import { judgmentOf, type Label, type LabelSet, type ReadLabel } from './labels.js'
import { endsWell, isLastWord } from './last-word.js'
import { ofAnswer } from './whole-answer.js'

/** The meaning of a label: a status, with a number within [0, 1] for pass and fail if needed. */
export type LabelMeaning = 'pass' | 'fail' | 'abstain' | { readonly status: 'pass' | 'fail'; readonly score: number }

/**
 * Reads a label with a pattern: the first group that took part in the match, or else the whole match. The last match
 * wins. Case, marks around the label, characters without width and full-width letters are ignored. A label that is not
 * declared is not read, and a passing one must be the last word of the text.
 *
 * @param meanings the meaning of each label
 * @param options `budgetMs` limits the time of the search, default 1,000
 * @returns a classifier; a match has a categorical score and the metadata `label`, spelt as declared; no match abstains
 * with the metadata `unread`: `'none'` or `'ambiguous'`; it throws `regex-timeout`
 * @throws `option-invalid`, `pattern-invalid`, `labels-invalid`
 *
 * @example
 * import { matched } from '@jurist/core/llm'
 *
 * matched(/\[\[(.+?)\]\]/, { A: 'pass', B: 'fail', C: 'abstain' })
 */
export function matched(
  pattern: RegExp | string,
  meanings: { readonly [label: string]: LabelMeaning },
  options?: { readonly budgetMs?: number },
): Classify {
  const { budgetMs } = checkOptions('matched', options, { budgetMs: option.positive })
  if (!isSearchable(pattern)) return optionInvalid('pattern', 'matched: give a regular expression or its source first.')
  const find = lastMatch(pattern, budgetMs)
  const labels = declared(meanings)
  const scored = [...labels.values()].filter(({ status }) => status !== 'abstain')
  const scores = scored.flatMap(({ text, score }) => (score === undefined ? [] : [[text, score] as const]))
  const allowed = scored.map(({ text }) => text)
  const scale = scores.length === 0 ? {} : { scale: Object.fromEntries(scores) }
  return ofAnswer(async function matched(response: JudgeModelResponse) {
    const folded = plain(response.text)
    const match = find(folded)
    // The pattern itself may contain full-width characters.
    const read = match ? readLast(folded, match, labels) : readLast(response.text, find(response.text), labels)
    return judgmentOf(read, response, labels, (label) => categorical(label, allowed, scale))
  })
}

/** Characters that may be directly before a label: a word, a mark, or a dash between spaces. */
const leading = /(?:[\p{L}\p{N}*_`"“«'‘([{:|#.,;)=]|(?<!\[ )\]|(?:^|\s)[-–—](?=\s))\s*$/u
/** A quotation before the label on its line, or a "no". */
const quoting =
  /(?:(?<!\p{L})(?:says|said|writes|wrote|reads|states|claims|contains|(?:ends|begins) with|quotes|not|no|never|neither|nor)[^\p{L}]*|\p{L}[^\p{L}]*["“«'‘`])$/u

function readLast(text: string, match: RegExpExecArray | undefined, labels: LabelSet): ReadLabel {
  if (match === undefined) return 'none'
  const said = fold(match.slice(1).find((group) => group !== undefined) ?? match[0]).trim()
  const bare = labels.has(said) ? said : strip(said)
  const label = labels.get(bare)
  if (label?.status !== 'pass') return label ?? 'none'
  const end = match.index + match[0].length
  const before = fold(linesOf(text.slice(0, match.index)).at(-1) ?? '')
  const rest = linesOf(text.slice(end))[0] ?? ''
  const index = answerText(text.slice(0, end) + rest).length - 1
  const ending = said.slice(said.indexOf(bare) + bare.length)
  const isOwn = !/\S/u.test(before) || (leading.test(before) && !quoting.test(before.slice(-longestBefore)))
  const isMeant = isOwn && endsWell(ending) && endsWell(fold(rest))
  return isMeant && isLastWord(answerText(text), { index, end: index }) ? label : 'ambiguous'
}

const longestBefore = 300

interface ScoredLabel extends Label {
  readonly score?: number | undefined
}

function declared(meanings: { readonly [label: string]: LabelMeaning }): ReadonlyMap<string, ScoredLabel> {
  if (!isPlainObject(meanings)) return optionInvalid('meanings', 'matched: give the meaning of each label second.')
  const labels = new Map<string, ScoredLabel>()
  for (const [text, meaning] of Object.entries(meanings)) {
    const { status, score } = meaningOf(meaning) ?? refuse(text, `means ${printed(meaning)}: ${wanted}`)
    const folded = fold(text).trim()
    if (folded === '') refuse(text, 'is blank')
    if (labels.has(folded)) refuse(text, 'is given twice; case does not count')
    labels.set(folded, { text, status, score })
  }
  if ([...labels.values()].every(({ status }) => status === 'abstain')) refuse('', 'there is no label for pass or fail')
  return labels
}

const statuses: readonly unknown[] = ['pass', 'fail', 'abstain']
const wanted = 'give "pass", "fail", "abstain", or { status, score } with a score from 0 to 1'

function meaningOf(meaning: LabelMeaning): Pick<ScoredLabel, 'status' | 'score'> | undefined {
  if (statuses.includes(meaning)) return { status: meaning as Label['status'] }
  if (typeof meaning === 'string' || !isPlainObject(meaning)) return undefined
  const { status, score, ...more } = meaning
  const isKnown = status === 'pass' || status === 'fail'
  return isKnown && option.rate.holds(score) && Object.keys(more).length === 0 ? { status, score } : undefined
}

function refuse(label: string, problem: string): never {
  throw new JuristError('labels-invalid', `matched: ${label === '' ? '' : `${printed(label)} `}${problem}.`, { label })
}
