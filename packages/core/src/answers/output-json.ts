import { pointerSegment } from '../json.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { withoutOutput } from '../judges/output-text.js'
import { concluded, type Judgment } from '../judgment.js'
import { checkOptions, described, option, optionInvalid } from '../options.js'
import type { StandardIssue, StandardSchema } from '../standard-schema.js'
import { unjudgeable } from '../unjudgeable.js'
import { readJson } from './json-text.js'

const maxChecks = 20

const rules = {
  fenced: described(
    option.boolean,
    'Whether text around the JSON is allowed, if the JSON is in the only ```json block.',
    false,
  ),
}

/**
 * Passes when the agent's answer is JSON, and follows the schema if there is one. Fails without an answer, and for JSON
 * with a duplicate key in one object (parsers differ in which one they take), with the key `__proto__`, with more than
 * 200 levels or 100,000 values, or in more than 1,000,000 characters. Values that the schema changes or adds are
 * ignored. Checks: `output_json`, and one for each of the first 20 problems that the schema finds, named by its JSON
 * pointer.
 *
 * @param schema from any library with Standard Schema, such as zod, valibot and arktype; `jsonSchema` of
 * `jurist/answers` creates one from a JSON Schema
 * @param options `fenced`: the JSON may also be in the one block of the answer that begins with a line "```json";
 * default false
 * @throws `option-invalid`
 *
 * @example
 * import { outputJson } from '@jurist/core/answers'
 * import type { StandardSchema } from '@jurist/core/llm'
 *
 * // Any schema library with Standard Schema will do, such as Zod or Valibot.
 * declare const schema: StandardSchema<{ city: string }>
 * outputJson(schema, { fenced: true })
 */
export function outputJson(schema?: StandardSchema, options?: { readonly fenced?: boolean }): Judge {
  const { fenced = false } = checkOptions('outputJson', options, rules)
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function')
    return optionInvalid(
      'schema',
      'outputJson: the schema must have "~standard", as those of zod 4, valibot and arktype do. Pass a JSON Schema through jsonSchema() of jurist/answers.',
    )
  return giveInfo(
    async function outputJson({ agentOutput }) {
      if (agentOutput === undefined) return withoutOutput()
      const read = readJson(agentOutput, fenced)
      if ('code' in read) return unjudgeable(read.problem, { code: read.code })
      const { issues = [] } = (await schema?.['~standard'].validate(read.value)) ?? {}
      return judgmentOf(issues, schema !== undefined)
    },
    { options: { schema, fenced } },
  )
}

function judgmentOf(issues: readonly StandardIssue[], hasSchema: boolean): Judgment {
  const found = issues.slice(0, maxChecks).map(({ path = [], message }) => ({
    name: path.length === 0 ? 'value' : path.map(segmentOf).join(''),
    passed: false,
    message,
  }))
  const [first] = found
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  const reasoning =
    first === undefined
      ? `the output is JSON${hasSchema ? ' that follows the schema' : ''}`
      : `the JSON of the output does not follow the schema: ${first.name}: ${first.message}${rest}`
  const passed = first === undefined
  const overall = { name: 'output_json', passed, message: passed ? '' : 'does not follow the schema' }
  return concluded(passed, reasoning, { checks: [overall, ...found], metadata: { problems: issues.length } })
}

function segmentOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return `/${pointerSegment(String(typeof step === 'object' ? step.key : step))}`
}

describeJudge<{ readonly schema?: unknown; readonly fenced?: boolean }>(outputJson, {
  passes: "the agent's answer is JSON, and follows the schema if there is one",
  options: {
    schema: {
      wants: 'a JSON Schema or the path of one',
      holds: () => true,
      schema: { type: ['object', 'string', 'boolean'] },
      description: 'A JSON Schema, or the path of a JSON file with one, relative to the config.',
    },
    ...rules,
  },
  make: async ({ schema, ...options }, config) =>
    outputJson(schema === undefined ? undefined : await config.schema(schema), options),
})
