import { asText, type JournalEvent, type Json, type JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { expectedOutputOf, meanOf, outputOf, standardError } from '@jurist/experiment/internal/results'
import { type ExperimentResult, type ItemResult, reasonOf } from '@jurist/experiment/result'

interface AssistantMessage {
  readonly role: 'assistant'
  text: string
  thoughts: string[]
  calls: JsonObject[]
  readonly model: string | undefined
}

/**
 * Converts events to the chat messages of Inspect. Events without a counterpart are left out; the journal of the trial
 * keeps them.
 */
function chatMessages(events: readonly JournalEvent[]): readonly JsonObject[] {
  const messages: (JsonObject | AssistantMessage)[] = []
  const names = new Map<string, string>()
  const current = (): AssistantMessage => {
    const last = messages.at(-1)
    return last !== undefined && isAssistant(last) ? last : begin(messages, undefined)
  }
  for (const event of events) {
    if (event.type === 'prompt') messages.push({ role: 'user', content: event.text })
    else if (event.type === 'model-call') begin(messages, event.model)
    else if (event.type === 'thinking') current().thoughts.push(event.text)
    else if (event.type === 'text') {
      // Text that follows other text or a call starts a new message.
      const last = current()
      const isFree = last.text === '' && last.calls.length === 0
      ;(isFree ? last : begin(messages, last.model)).text = event.text
    } else if (event.type === 'tool-call') {
      names.set(event.id, event.name)
      current().calls.push({
        id: event.id,
        function: event.name,
        arguments: isPlainObject(event.input) ? (event.input as Json) : { input: event.input },
        type: 'function',
      })
    } else if (event.type === 'tool-result') messages.push(resultOf(event, names.get(event.id)))
    else messages.push(...systemMessage(event))
  }
  return messages.flatMap((one) => (isAssistant(one) ? written(one) : [one]))
}

function isAssistant(message: JsonObject | AssistantMessage): message is AssistantMessage {
  return 'thoughts' in message
}

function begin(messages: (JsonObject | AssistantMessage)[], model: string | undefined): AssistantMessage {
  const message: AssistantMessage = { role: 'assistant', text: '', thoughts: [], calls: [], model }
  messages.push(message)
  return message
}

/** A model call without an answer has no message. */
function written({ text, thoughts, calls, model }: AssistantMessage): readonly JsonObject[] {
  if (text === '' && thoughts.length === 0 && calls.length === 0) return []
  const parts: Json[] = [
    ...thoughts.map((reasoning) => ({ type: 'reasoning', reasoning })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ]
  return [
    {
      role: 'assistant',
      content: thoughts.length === 0 ? text : parts,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(model === undefined || model === 'unknown' ? {} : { model }),
    },
  ]
}

function resultOf(
  { id, content, failed }: Extract<JournalEvent, { readonly type: 'tool-result' }>,
  name: string | undefined,
): JsonObject {
  const error: JsonObject = failed ? { error: { type: 'unknown', message: content } } : {}
  return { role: 'tool', content, tool_call_id: id, ...(name === undefined ? {} : { function: name }), ...error }
}

function systemMessage(event: JournalEvent): readonly JsonObject[] {
  if (event.type !== 'custom' || event.name !== 'system' || !isPlainObject(event.data)) return []
  const { text } = event.data
  return typeof text === 'string' ? [{ role: 'system', content: text }] : []
}

/** The score for the verdict of trials, beside the scores of their judges. */
const verdictScore = 'verdict'

/** Returns a log of Inspect, format 2, without its samples. */
export function evalLog(run: ExperimentResult): JsonObject {
  const { id, experimentName, variant, startedAt, endedAt, items } = run
  const model = run.configuration['model']
  const ids = [...new Set(items.map(sampleId))]
  const names = [verdictScore, ...new Set(items.flatMap(({ scores }) => Object.keys(scores)))]
  const scores = names.map((name) => scoreFigures(name, items))
  const completed = items.filter((item) => errorOf(item) === undefined).length
  return {
    version: 2,
    status: statusOf(run),
    eval: {
      ...{ eval_id: id, run_id: id, task_id: id, created: startedAt, task: experimentName },
      dataset: { name: run.dataset.name, samples: ids.length, sample_ids: ids },
      model: typeof model === 'string' ? model : (variant ?? 'unknown'),
      config: { epochs: Math.max(1, ...items.map(epochOf)) },
      scorers: names.map((name) => ({ name, metrics: metricNames(name).map((metric) => ({ name: metric })) })),
      metadata: { jurist: { run: id, experiment: experimentName, variant } },
    },
    plan: {},
    results: {
      ...{ total_samples: items.length, completed_samples: completed, scores },
      ...(items.some(({ passed }) => passed !== null)
        ? { headline: { scorer: verdictScore, score: verdictScore, metric: 'accuracy' } }
        : {}),
    },
    stats: { started_at: startedAt, completed_at: endedAt ?? '' },
  }
}

/** The repetition of a trial is the epoch of its sample. */
export function evalSample(item: ItemResult, events: readonly JournalEvent[]): JsonObject {
  const recorded = events.some(({ type }) => type === 'prompt')
    ? events
    : [{ type: 'prompt', text: item.task } as const, ...events]
  const error = errorOf(item)
  const seconds = item.agentMs / 1000
  return {
    ...{ id: sampleId(item), epoch: epochOf(item), input: item.task, target: targetOf(item) },
    messages: chatMessages(recorded) as Json,
    output: modelOutput(item),
    scores: sampleScores(item),
    metadata: { jurist: { item: item.itemId, repetition: item.repetition, passed: item.passed } },
    ...{ total_time: seconds, working_time: seconds },
    ...(item.usage === null ? {} : { model_usage: { agent: usageOf(item) } }),
    ...(error === undefined ? {} : { error: { message: error, traceback: '', traceback_ansi: '' } }),
    ...(item.agent === 'timeout' ? { limit: { type: 'time', limit: seconds } } : {}),
  }
}

function statusOf({ status }: ExperimentResult): string {
  if (status === 'completed') return 'success'
  return status === 'running' ? 'started' : status === 'failed' ? 'error' : 'cancelled'
}

/** Returns the reason why a trial has no result. Inspect leaves such samples out of its figures, as Jurist does. */
function errorOf(item: ItemResult): string | undefined {
  const isError = item.passed === null && (item.agent !== 'completed' || item.judged === 'error')
  return isError ? reasonOf(item) : undefined
}

/** Returns the id and the epoch of the sample that the trial was imported from, if there is one. */
function originOf({ detail }: ItemResult): { readonly id?: unknown; readonly epoch?: unknown } {
  const origin = detail?.kind === 'agent' ? detail.invocation.metadata?.['inspect'] : undefined
  return isPlainObject(origin) ? origin : {}
}

function sampleId(item: ItemResult): string | number {
  const { id } = originOf(item)
  return typeof id === 'string' || typeof id === 'number' ? id : item.itemId
}

function epochOf(item: ItemResult): number {
  const { epoch } = originOf(item)
  return typeof epoch === 'number' ? epoch : item.repetition
}

function targetOf(item: ItemResult): Json {
  const expected = expectedOutputOf(item)
  if (expected === undefined || expected === null) return ''
  const { data } = expected as { readonly data?: unknown }
  const isList = Array.isArray(data) && data.every((one) => typeof one === 'string')
  return isList ? (data as readonly string[]) : asText(expected)
}

function modelOutput(item: ItemResult): JsonObject {
  const output = outputOf(item)
  const completion = output === undefined ? '' : asText(output)
  const choices =
    completion === '' ? [] : [{ message: { role: 'assistant', content: completion }, stop_reason: 'stop' }]
  return { model: 'agent', choices, completion }
}

function sampleScores(item: ItemResult): JsonObject {
  const { passed, verdict } = item
  const decided: JsonObject =
    passed === null ? {} : { [verdictScore]: { value: passed ? 'C' : 'I', explanation: reasonOf(item) } }
  const others = Object.entries(item.scores).map(([name, value]) => {
    const reasoning = verdict?.individual[name]?.reasoning
    return [name, { value, ...(reasoning === undefined ? {} : { explanation: reasoning }) }] as const
  })
  return { ...Object.fromEntries(others), ...decided }
}

/** Inspect does not count tokens of the cache as input. */
function usageOf({ usage, costUsd }: ItemResult): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens } = usage ?? {}
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens === 0 ? {} : { input_tokens_cache_read: cacheReadTokens }),
    ...(cacheWriteTokens === 0 ? {} : { input_tokens_cache_write: cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
    ...(costUsd === null ? {} : { total_cost: costUsd }),
  }
}

function metricNames(name: string): readonly [string, string] {
  return [name === verdictScore ? 'accuracy' : 'mean', 'stderr']
}

/**
 * The mean of a score and its standard error. As in Inspect, the repetitions of an item are first reduced to their
 * mean.
 */
function scoreFigures(name: string, items: readonly ItemResult[]): JsonObject {
  const byItem = new Map<string | number, number[]>()
  for (const item of items) {
    const value = name === verdictScore ? item.passed : item.scores[name]
    if (value === undefined || value === null || errorOf(item) !== undefined) continue
    const id = sampleId(item)
    byItem.set(id, [...(byItem.get(id) ?? []), Number(value)])
  }
  const means = [...byItem.values()].map(meanOf)
  // A mean over no samples is missing, not 0.
  const figures = means.length === 0 ? [] : [meanOf(means), standardError(means) ?? 0]
  const metrics = figures.map((value, at) => [metricNames(name)[at], { name: metricNames(name)[at], value }] as const)
  return {
    ...{ name, scorer: name, scored_samples: means.length, metrics: Object.fromEntries(metrics) },
    unscored_samples: new Set(items.map(sampleId)).size - means.length,
  }
}
