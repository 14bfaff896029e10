import type { JudgmentContext } from '../../context.js'
import { JuristError } from '../../errors.js'
import type { Json } from '../../json.js'
import type { Judgment } from '../../judgment.js'
import { canonicalJson } from '../canonical-json.js'
import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'
import { answerText } from './answer-text.js'
import { unlessCutOff } from './cut-off.js'
import type { JsonInText } from './json-in-text.js'
import { allJsonIn, jsonIn } from './json-in-text.js'
import { isLastWord } from './last-word.js'

const maxIssues = 5

/** A schema of any library that keeps the Standard Schema (standardschema.dev): zod, valibot, arktype … */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  }
}
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/**
 * Reads JSON: the `data` of the answer, else the whole text, else its one fenced block, else its one `{…}` or `[…]`.
 * Nothing, values that differ, and a value that the schema refuses abstain. So does a value that would pass when it is not
 * the last word of the text: when something follows that does not plainly agree, or that holds another answer.
 *
 * @param schema what the value must be, by any library that keeps the Standard Schema
 * @param toJudgment what a valid value means; when it throws the judgment is an ERROR
 * @throws `option-invalid`
 *
 * @example
 * json(z.object({ risk: z.number() }), ({ risk }) => (risk < 3 ? pass('low risk') : fail(`risk ${risk}`)))
 */
export function json<Output>(
  schema: StandardSchema<Output>,
  toJudgment: (value: Output, context: JudgmentContext) => Judgment | Promise<Judgment>,
): Classify {
  const validate = schema?.['~standard']?.validate
  if (typeof validate !== 'function')
    return refuse('schema', 'the schema must have "~standard", as zod 4 and others do')
  if (typeof toJudgment !== 'function') return refuse('toJudgment', 'the second argument must be a function')
  return unlessCutOff(async function json(response: JudgeModelResponse, context: JudgmentContext) {
    const found = response.data === undefined ? jsonIn(response.text) : { value: response.data, before: '', after: '' }
    if (found === 'none') return unreadable(found, 'the answer holds no JSON')
    if (found === 'ambiguous') return unreadable(found, severalValues)
    const result = await schema['~standard'].validate(found.value)
    if (result.issues !== undefined) return unreadable('none', refusal(result.issues))
    if (await isAnsweredAgain(found, schema)) return unreadable('ambiguous', severalValues)
    const judgment = await toJudgment(result.value, context)
    return judgment?.status === 'pass' && !isLast(found) ? unreadable('ambiguous', goesOn) : judgment
  })
}

const severalValues = 'the answer holds several JSON values that differ'
const goesOn = 'the answer goes on after its JSON, or before it, in a way that may not agree with it'

/** Whether another value that fits follows: the first may then be a quotation of what is judged. */
async function isAnsweredAgain<Output>({ value, after }: JsonInText, schema: StandardSchema<Output>): Promise<boolean> {
  const own = canonicalJson(value)
  const others = allJsonIn(after).values.filter((other) => canonicalJson(other) !== own)
  const results = await Promise.all(others.map((other) => schema['~standard'].validate(other)))
  return results.some(({ issues }) => issues === undefined)
}

/** Whether the JSON is the last word of its text. Other JSON beside it must say nothing but `true`. */
function isLast({ before, after }: JsonInText): boolean {
  const { values, rest } = allJsonIn(after)
  if (/[{[]/.test(rest) || !values.every(isTrue)) return false
  const inFront = answerText(before)
  const index = inFront.length
  const paragraph = (inFront.at(-1)?.paragraph ?? 0) + 1
  const isBlockQuote = /^\s*>\s*$/u.test(before.slice(before.lastIndexOf('\n') + 1))
  const own = { raw: isBlockQuote ? '> json' : 'json', text: 'json', paragraph }
  const behind = answerText(rest).map((line) => ({ ...line, paragraph: line.paragraph + paragraph }))
  return isLastWord([...inFront, own, ...behind], [{ index, end: index }])
}

function isTrue(value: Json): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).every(isTrue) : value === true
}

function refusal(issues: readonly { readonly message: string }[]): string {
  const named = issues.slice(0, maxIssues).map(({ message }) => message)
  const more = issues.length > maxIssues ? ` (and ${issues.length - maxIssues} more)` : ''
  return `the JSON of the answer does not fit: ${named.join('; ') || 'no reason given'}${more}`
}

function refuse(name: string, problem: string): never {
  throw new JuristError('option-invalid', `json: ${problem}.`, { option: name })
}
