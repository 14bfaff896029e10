import type { JudgmentContext } from '../../context.js'
import { JuristError } from '../../errors.js'
import type { Judgment } from '../../judgment.js'
import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'
import { jsonIn } from './json-in-text.js'

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
 * Nothing, values that differ, and a value that the schema refuses abstain.
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
  return async function json(response: JudgeModelResponse, context: JudgmentContext) {
    const found = response.data === undefined ? jsonIn(response.text) : { value: response.data }
    if (found === 'none') return unreadable(found, 'the answer holds no JSON')
    if (found === 'ambiguous') return unreadable(found, 'the answer holds several JSON values that differ')
    const result = await schema['~standard'].validate(found.value)
    if (result.issues !== undefined) return unreadable('none', refusal(result.issues))
    return toJudgment(result.value, context)
  }
}

function refusal(issues: readonly { readonly message: string }[]): string {
  const named = issues.slice(0, maxIssues).map(({ message }) => message)
  const more = issues.length > maxIssues ? ` (and ${issues.length - maxIssues} more)` : ''
  return `the JSON of the answer does not fit: ${named.join('; ') || 'no reason given'}${more}`
}

function refuse(name: string, problem: string): never {
  throw new JuristError('option-invalid', `json: ${problem}.`, { option: name })
}
