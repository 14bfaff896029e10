import type { JsonObject } from '@jurist/core'
import { amount, anyObject, count, flag, listOf, mapOf, objectOf, oneOf, rate, ref, text } from './schema-parts.js'

const tokens = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens', 'totalTokens']

/** Values of core inside a record: there a key that is missing is not known. */
export const judgmentSchemas: { readonly [name: string]: JsonObject } = {
  usage: objectOf({}, Object.fromEntries(tokens.map((name) => [name, count]))),
  failure: objectOf({ name: text, message: text }, { code: text, infrastructure: flag }),
  check: objectOf(
    { name: text, passed: flag, message: text },
    { score: rate, location: objectOf({ path: text }, { line: { type: 'integer', minimum: 1 } }) },
  ),
  score: objectOf(
    { type: oneOf('boolean', 'numerical', 'categorical'), value: { type: ['boolean', 'number', 'string'] } },
    { min: amount, max: amount, allowed: listOf(text), scale: mapOf(rate) },
  ),
  judgment: objectOf(
    {
      status: oneOf('pass', 'fail', 'abstain', 'error'),
      reasoning: text,
      checks: listOf(ref('check')),
      metadata: anyObject,
    },
    { score: ref('score'), failure: ref('failure'), elapsedMs: amount, usage: ref('usage'), costUsd: amount },
  ),
  verdict: objectOf(
    {
      aggregated: ref('judgment'),
      individual: mapOf(ref('judgment')),
      weights: mapOf(amount),
      subVerdicts: mapOf(ref('verdict')),
      usage: ref('usage'),
      elapsedMs: amount,
    },
    { tiers: listOf(ref('tier')), costUsd: amount },
  ),
  tier: objectOf(
    {
      name: text,
      policy: oneOf('reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided', 'final'),
      outcome: oneOf('rejected', 'accepted', 'escalated', 'decided', 'errored', 'not-reached'),
      elapsedMs: amount,
    },
    { costUsd: amount },
  ),
}
