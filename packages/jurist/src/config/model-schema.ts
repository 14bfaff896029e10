import {
  adds,
  count,
  type FieldIssue,
  fieldIssues,
  fields,
  milliseconds,
  notNegative,
  optional,
  record,
  type SchemasOf,
  text,
  withDescription,
} from '@jurist/experiment/internal/config'
import * as v from 'valibot'
import type { ModelDescription, ModelPrices } from './model-description.js'

const isoDay = v.pipe(
  v.string('must be a day such as "2026-11-01"'),
  v.check(isDay, 'must be a day such as "2026-11-01"'),
)

function isDay(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value)
}

const prices = fields({
  inputUsdPerMillion: withDescription(notNegative, 'US dollars for a million tokens of input.'),
  outputUsdPerMillion: withDescription(notNegative, 'US dollars for a million tokens of output.'),
  cacheReadUsdPerMillion: optional(
    notNegative,
    'For input read from a cache of the provider. Default: the price of other input.',
  ),
  cacheWriteUsdPerMillion: optional(
    notNegative,
    'For input written to such a cache. Default: the price of other input.',
  ),
  asOf: withDescription(isoDay, 'The day of the price list, YYYY-MM-DD. Runs record it.'),
} satisfies SchemasOf<ModelPrices>)

export const requestOptions: v.GenericSchema = fields({
  temperature: optional(notNegative, 'The amount of variation between answers.'),
  maxTokens: optional(count, 'The maximum number of tokens in an answer.'),
  timeoutMs: optional(milliseconds, 'Milliseconds for one answer, retries included.'),
  seed: optional(
    v.pipe(v.number('must be an integer'), v.safeInteger('must be an integer')),
    'A seed for reproducible answers.',
  ),
} satisfies SchemasOf<ModelDescription['options'] & object>)

/**
 * The name of a variable. The value may be a key by mistake, so the message must not begin with "must be": the check would
 * append the value.
 */
const variable = v.custom<string>(
  (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value),
  'does not name a variable: write the name, such as OPENAI_API_KEY, and not the key',
)
const address = v.pipe(text, v.check(isAddress, 'must begin with http:// or https://, without a name and password'))

function isAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

const providers = ['openai-compatible', 'anthropic'] as const

const entries = {
  provider: withDescription(
    v.picklist(providers, `must be one of ${providers.map((name) => `"${name}"`).join(', ')}`),
    'The protocol of the server.',
  ),
  model: withDescription(text, 'The name of the model at the provider.'),
  baseUrl: optional(address, 'The URL without the route, such as https://api.openai.com/v1.'),
  apiKeyEnv: optional(variable, 'The environment variable that contains the key. Default: no key is sent.'),
  prices: optional(prices, 'The prices of tokens. Default: unknown, unless the provider reports a cost.'),
  options: optional(requestOptions, 'Defaults for each request, which a judge may override.'),
  body: optional(record, 'Further fields of each request, such as reasoning_effort.'),
  structured: optional(
    v.picklist(
      ['auto', 'schema', 'object', 'tool', 'prompt'],
      'must be "auto", "schema", "object", "tool" or "prompt"',
    ),
    'How a JSON answer is enforced.',
  ),
} satisfies SchemasOf<ModelDescription>

const known = fields(entries, {
  renamed: { apiKey: 'apiKeyEnv', url: 'baseUrl', baseURL: 'baseUrl', price: 'prices' },
})

export const modelSchema: v.GenericSchema = v.pipe(known, adds(issuesOf))

/** Checks the keys that depend on the provider. */
function issuesOf({ provider, baseUrl, apiKeyEnv, structured }: v.InferOutput<typeof known>) {
  const issue = (key: string, problem: string, remedy: string) => [{ keys: [key], problem, remedy }]
  if (provider === 'openai-compatible')
    return baseUrl === undefined ? issue('baseUrl', 'is missing', 'For OpenAI write https://api.openai.com/v1.') : []
  if (baseUrl === undefined && apiKeyEnv === undefined)
    return issue('apiKeyEnv', 'is missing', 'Write ANTHROPIC_API_KEY.')
  return structured === 'auto' || structured === 'object'
    ? issue('structured', `cannot be "${structured}" with anthropic`, 'Write schema, tool or prompt.')
    : []
}

export function modelIssues(description: unknown): readonly FieldIssue[] {
  return fieldIssues(modelSchema, description)
}
