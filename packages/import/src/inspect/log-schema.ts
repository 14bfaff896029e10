import type { JsonObject } from '@jurist/core'
import * as v from 'valibot'
import { dollars, json, maybe, record, text, tokens, unknownFields } from '../traces/checked.js'

const number = v.pipe(v.number('must be a number'), v.finite('must be finite'))
const seconds = v.pipe(number, v.minValue(0, 'must be at least 0'))
const id = v.union([text, number], 'must be a string or a number')

const part = v.looseObject({ type: text, text: maybe(text), reasoning: maybe(text), summary: maybe(text) })
const content = v.union([text, v.array(part)], 'must be a string or an array of parts')

const toolCall = v.looseObject({ id: maybe(text), function: text, arguments: maybe(json) })

const message = v.looseObject({
  role: v.picklist(['system', 'user', 'assistant', 'tool'], 'must be system, user, assistant or tool'),
  content: maybe(content),
  model: maybe(text),
  tool_calls: maybe(v.array(toolCall)),
  tool_call_id: maybe(text),
  function: maybe(text),
  error: maybe(v.looseObject({ type: maybe(text), message: maybe(text) })),
})

const usage = v.looseObject({
  input_tokens: maybe(tokens),
  output_tokens: maybe(tokens),
  input_tokens_cache_read: maybe(tokens),
  input_tokens_cache_write: maybe(tokens),
  reasoning_tokens: maybe(tokens),
  total_cost: maybe(dollars),
})

const score = v.looseObject({
  value: maybe(json),
  answer: maybe(text),
  explanation: maybe(text),
  metadata: maybe(record),
})

/** A sample in one epoch. */
export const sample = v.looseObject({
  id,
  epoch: v.pipe(
    v.number('must be a number'),
    v.safeInteger('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
  input: v.union([text, v.array(message)], 'must be a string or an array of messages'),
  target: maybe(v.union([text, v.array(text)], 'must be a string or an array of strings')),
  messages: maybe(v.array(message)),
  output: maybe(
    v.looseObject({
      model: maybe(text),
      completion: maybe(text),
      choices: maybe(v.array(v.looseObject({ message: maybe(v.looseObject({ content: maybe(content) })) }))),
    }),
  ),
  scores: maybe(v.record(text, score)),
  score: maybe(score),
  metadata: maybe(record),
  model_usage: maybe(v.record(text, usage)),
  total_time: maybe(seconds),
  working_time: maybe(seconds),
  uuid: maybe(text),
  error: maybe(v.looseObject({ message: text })),
  limit: maybe(v.looseObject({ type: text, limit: maybe(number), reason: maybe(text) })),
  attachments: maybe(v.record(text, text)),
  choices: maybe(json),
  started_at: maybe(text),
  completed_at: maybe(text),
})

const metric = v.looseObject({ name: maybe(text), value: maybe(json), params: maybe(record), options: maybe(record) })

const result = v.looseObject({
  name: text,
  scorer: maybe(text),
  reducer: maybe(text),
  metrics: maybe(v.record(text, metric)),
})

/** A log without its samples. */
export const header = v.looseObject({
  version: v.picklist([1, 2, 3], 'must be 1, 2 or 3: other versions of the format are not read'),
  status: maybe(text),
  eval: v.looseObject({
    task: text,
    model: text,
    created: maybe(text),
    eval_id: maybe(text),
    run_id: maybe(text),
    task_id: maybe(text),
    dataset: maybe(v.looseObject({ name: maybe(text), samples: maybe(number), sample_ids: maybe(v.array(id)) })),
    config: maybe(v.looseObject({ epochs: maybe(number), epochs_reducer: maybe(v.array(text)) })),
    packages: maybe(record),
  }),
  results: maybe(
    v.looseObject({
      total_samples: maybe(number),
      completed_samples: maybe(number),
      scores: maybe(v.array(result)),
      headline: maybe(v.looseObject({ scorer: maybe(text), score: maybe(text) })),
    }),
  ),
  error: maybe(v.looseObject({ message: text })),
})

export type InspectHeader = v.InferOutput<typeof header>
export type InspectSample = v.InferOutput<typeof sample>
export type InspectMessage = v.InferOutput<typeof message>
export type InspectResult = v.InferOutput<typeof result>

/** Known fields of a sample that have no counterpart. */
const leftOut: ReadonlySet<string> = new Set([
  ...['sandbox', 'files', 'setup', 'store', 'events', 'events_data', 'transcript', 'message_pool', 'role_usage'],
  ...['error_retries', 'turn_count', 'message_limit', 'token_limit', 'time_limit', 'working_limit', 'cost_limit'],
])

/** Returns the fields of a sample that are neither in the schema nor in `leftOut`. */
export function unknownOf(value: InspectSample): JsonObject {
  return Object.fromEntries(Object.entries(unknownFields(value, sample) ?? {}).filter(([key]) => !leftOut.has(key)))
}
