import type { JudgmentContext } from '../../context.js'
import { canonicalJson, type Json } from '../../json.js'
import type { Judgment } from '../../judgment.js'
import { optionInvalid } from '../../options.js'
import type { StandardSchema } from '../../standard-schema.js'
import type { JudgeModelResponse } from '../model.js'
import { type Classify, type Unread, unreadable } from '../model.js'
import { answerText, fold, linesOf, plain, stripStart } from './answer-text.js'
import { endsWell, isLastWord, isOwnIntroduction } from './last-word.js'
import { ofAnswer } from './whole-answer.js'

const maxIssues = 5

/**
 * Reads JSON: the `data` of the answer, or else the whole text, or else its one fenced block, or else its one `{…}` or
 * `[…]`. Abstains without JSON, for values that differ, and for a value that the schema rejects. Also abstains for a
 * passing value that is not the last word of the text: when the text after it does not plainly agree, or contains
 * another answer.
 *
 * @param schema the schema of the value, from any library that implements Standard Schema
 * @param toJudgment turns a valid value into a judgment; when it throws the judgment is an ERROR
 * @throws `option-invalid`
 *
 * @example
 * import { fail, pass } from '@jurist/core'
 * import { json, type StandardSchema } from '@jurist/core/llm'
 *
 * // Any schema library with Standard Schema will do, such as Zod or Valibot.
 * declare const schema: StandardSchema<{ risk: number }>
 * json(schema, ({ risk }) => (risk < 3 ? pass('low risk') : fail(`risk ${risk}`)))
 */
export function json<Output>(
  schema: StandardSchema<Output>,
  toJudgment: (value: Output, context: JudgmentContext) => Judgment | Promise<Judgment>,
): Classify {
  const validate = schema?.['~standard']?.validate
  if (typeof validate !== 'function')
    return refuse('schema', 'the schema must have "~standard", as zod 4 and others do')
  if (typeof toJudgment !== 'function') return refuse('toJudgment', 'the second argument must be a function')
  return ofAnswer(async function json(response: JudgeModelResponse, context: JudgmentContext) {
    const found =
      response.data === undefined ? jsonAnywhere(response.text) : { value: response.data, before: '', after: '' }
    if (found === 'none') return unreadable(found, 'the answer contains no JSON')
    if (found === 'ambiguous') return unreadable(found, severalValues)
    const result = await schema['~standard'].validate(found.value)
    if (result.issues !== undefined) return unreadable('none', refusal(result.issues))
    if (await isAnsweredAgain(found, schema)) return unreadable('ambiguous', severalValues)
    const judgment = await toJudgment(result.value, context)
    return judgment?.status === 'pass' && !isLast(found) ? unreadable('ambiguous', goesOn) : judgment
  })
}

const severalValues = 'the answer contains several different JSON values'
const goesOn = 'the answer has text before or after its JSON that may contradict it'

/** If another valid value follows, the first one may be quoted from what is judged. */
async function isAnsweredAgain<Output>({ value, after }: JsonInText, schema: StandardSchema<Output>): Promise<boolean> {
  const own = canonicalJson(value)
  const others = balancedParts(after)
    .flatMap(({ text }) => parse(text))
    .filter((other) => canonicalJson(other) !== own)
  const results = await Promise.all(others.map((other) => schema['~standard'].validate(other)))
  return results.some(({ issues }) => issues === undefined)
}

/** Treats the JSON as one line between the lines before and after it. */
function isLast({ before, after }: JsonInText): boolean {
  if (/[{[]/.test(after)) return false
  const start = before.lastIndexOf('\n') + 1
  const line = fold(before.slice(start))
  const earlier = before.slice(0, start)
  const lines = answerText(`${earlier}${line.includes('>') ? '> ' : ''}json\n${after}`)
  const index = answerText(earlier).length
  if (!endsWell(fold(linesOf(after)[0] ?? ''))) return false
  return (stripStart(line) === '' || isOwnIntroduction(line)) && isLastWord(lines, { index, end: index })
}

function refusal(issues: readonly { readonly message: string }[]): string {
  const named = issues.slice(0, maxIssues).map(({ message }) => message)
  const more = issues.length > maxIssues ? ` (and ${issues.length - maxIssues} more)` : ''
  return `the JSON of the answer is invalid: ${named.join('; ') || 'no reason given'}${more}`
}

function refuse(name: string, problem: string): never {
  optionInvalid(name, `json: ${problem}.`)
}

/** The text around the JSON, or why there is not exactly one. */
type FoundJson = JsonInText | Unread

interface JsonInText {
  readonly value: Json
  readonly before: string
  readonly after: string
}

interface Part {
  readonly start: number
  readonly end: number
  readonly text: string
}

const fencedBlock = /```(?:[\w+-]*[ \t]*\r?\n)?([\s\S]*?)```/g
const deepest = 200

/** Tries again without invisible characters and full-width letters. */
function jsonAnywhere(text: string): FoundJson {
  const found = jsonIn(text)
  return found === 'none' ? jsonIn(plain(text)) : found
}

/**
 * Looks at the whole text, then at its fenced blocks, then at its outermost `{…}` and `[…]`. Several that are equal
 * count as one; several that differ are ambiguous.
 */
function jsonIn(text: string): FoundJson {
  const whole = parsed(text, [{ start: 0, end: text.length, text }])
  if (whole !== 'none') return whole
  const fenced = parsed(text, fencedParts(text))
  return fenced === 'none' ? parsed(text, balancedParts(text)) : fenced
}

function fencedParts(text: string): readonly Part[] {
  return [...text.matchAll(fencedBlock)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    text: found[1] ?? '',
  }))
}

function parsed(text: string, parts: readonly Part[]): FoundJson {
  const found = parts.flatMap((part) => parse(part.text).map((value) => ({ ...part, value })))
  const last = found.at(-1)
  if (last === undefined) return 'none'
  if (new Set(found.map(({ value }) => canonicalJson(value))).size > 1) return 'ambiguous'
  return { value: last.value, before: text.slice(0, last.start), after: text.slice(last.end) }
}

/** Ignores JSON that is nested too deep for recursion. */
function parse(text: string): readonly Json[] {
  try {
    const value = JSON.parse(text) as Json
    return isShallow(value) ? [value] : []
  } catch {
    return []
  }
}

function isShallow(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return true
}

const opening = /[{[]/g
/** A bracket, or a string, which ends with its line at the latest. */
const inside = /[{}[\]]|"(?:[^"\\\n]|\\[^\n])*(?:"|\\?(?:\n|$))/g
const openingOf: { readonly [closing: string]: string } = { '}': '{', ']': '[' }

/** Walks the text once. Brackets within strings of a part do not count. */
function balancedParts(text: string): readonly Part[] {
  const open: number[] = []
  const parts: Omit<Part, 'text'>[] = []
  let at = 0
  for (;;) {
    const pattern = open.length === 0 ? opening : inside
    pattern.lastIndex = at
    const [token] = pattern.exec(text) ?? []
    if (token === undefined) return parts.map((part) => ({ ...part, text: text.slice(part.start, part.end) }))
    at = pattern.lastIndex
    if (token === '{' || token === '[') open.push(at - 1)
    const start = open.at(-1)
    if (start === undefined || text[start] !== openingOf[token]) continue
    open.pop()
    while ((parts.at(-1)?.start ?? -1) > start) parts.pop()
    parts.push({ start, end: at })
  }
}
