import { asText, type JournalEvent, type Json, type JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { present } from '../traces/checked.js'

interface Step {
  readonly source: 'system' | 'user' | 'agent'
  timestamp?: string
  message: string
  model_name?: string
  reasoning_content?: string
  tool_calls?: JsonObject[]
  observation?: { readonly results: JsonObject[] }
  metrics?: JsonObject
  llm_call_count?: number
  is_copied_context?: boolean
  extra?: { readonly events: JsonObject[] }
}

/** `jurist import atif` reads the same steps from the result. */
export function atifOf(run: ExperimentResult, item: ItemResult, events: readonly JournalEvent[]): JsonObject {
  const steps: Step[] = []
  const calls = new Map<string, Step>()
  const recorded = events.some(({ type }) => type === 'prompt') ? events : [promptOf(item), ...events]
  for (const event of recorded) addEvent(event, steps, calls)
  const invocation = item.detail?.kind === 'agent' ? item.detail.invocation : undefined
  const { output, sessionId } = invocation ?? {}
  const answer = output === undefined ? '' : asText(output)
  if (answer !== '' && !steps.some(({ source, message }) => source === 'agent' && message === answer))
    steps.push({ source: 'agent', message: answer, llm_call_count: 0 })
  const { experimentName, id, variant } = run
  return {
    schema_version: 'ATIF-v1.7',
    session_id: sessionId ?? `${id} ${item.itemId} ${item.repetition}`,
    agent: { name: variant ?? experimentName, version: 'unknown' },
    steps: steps.map((step, index) => ({ step_id: index + 1, ...step }) as unknown as Json),
    final_metrics: {
      ...present({
        total_prompt_tokens: item.usage?.inputTokens,
        total_completion_tokens: item.usage?.outputTokens,
        total_cached_tokens: item.usage?.cacheReadTokens,
        total_cost_usd: item.costUsd,
      }),
      total_steps: steps.length,
    },
    extra: {
      jurist: {
        ...{ run: id, experiment: experimentName, item: item.itemId, repetition: item.repetition },
        ...{ passed: item.passed, scores: item.scores },
      },
    },
  }
}

function promptOf({ task }: ItemResult): JournalEvent {
  return { type: 'prompt', text: task }
}

function addEvent(event: JournalEvent, steps: Step[], calls: Map<string, Step>): void {
  const at = event.at === undefined ? {} : { timestamp: event.at }
  switch (event.type) {
    case 'prompt':
      steps.push({ source: 'user', message: event.text, ...at })
      return
    case 'model-call':
      steps.push({ source: 'agent', message: '', ...at, ...callFields(event) })
      return
    case 'thinking':
    case 'text':
    case 'tool-call': {
      const last = steps.at(-1)
      const fits = last !== undefined && takes(last, event)
      // A step without a model call cannot have reasoning in ATIF.
      if (event.type === 'thinking' && (!fits || last.llm_call_count === 0)) {
        keep(event, steps)
        return
      }
      const step = fits ? last : added(steps, at)
      if (event.type === 'tool-call') {
        step.tool_calls = [...(step.tool_calls ?? []), callOf(event)]
        calls.set(event.id, step)
      } else if (event.type === 'thinking') step.reasoning_content = event.text
      else step.message = event.text
      return
    }
    case 'tool-result':
      addResult(event, steps, calls)
      return
    default:
      addOther(event, steps)
  }
}

/** ATIF has no place for a result whose call is not recorded. */
function addResult(
  event: Extract<JournalEvent, { readonly type: 'tool-result' }>,
  steps: Step[],
  calls: ReadonlyMap<string, Step>,
): void {
  const step = calls.get(event.id)
  if (step === undefined) {
    keep(event, steps)
    return
  }
  step.observation ??= { results: [] }
  const failed: JsonObject = event.failed ? { extra: { is_error: true } } : {}
  step.observation.results.push({ source_call_id: event.id, content: event.content, ...failed })
}

/** Adds a step without a model call, so that `jurist import atif` does not count one. */
function added(steps: Step[], at: { readonly timestamp?: string }): Step {
  const step: Step = { source: 'agent', message: '', llm_call_count: 0, ...at }
  steps.push(step)
  return step
}

/** Whether a step can take an event. ATIF reads a step in this order: reasoning, message, calls, results. */
function takes(step: Step, { type }: JournalEvent): boolean {
  if (step.source !== 'agent' || step.is_copied_context === true || step.observation !== undefined) return false
  if (type === 'tool-call') return true
  if (step.tool_calls !== undefined || step.message !== '') return false
  return type === 'text' || step.reasoning_content === undefined
}

function callOf({ id, name, input }: Extract<JournalEvent, { readonly type: 'tool-call' }>): JsonObject {
  // ATIF requires an object, but tools such as apply_patch take a string.
  if (isPlainObject(input)) return { tool_call_id: id, function_name: name, arguments: input as JsonObject }
  return { tool_call_id: id, function_name: name, arguments: { input }, extra: { jurist: 'input' } }
}

function callFields({ model, usage, costUsd }: Extract<JournalEvent, { readonly type: 'model-call' }>): Partial<Step> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage ?? {}
  const metrics = present({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    cached_tokens: cacheReadTokens,
    cost_usd: costUsd,
    extra: present({ reasoning_tokens: reasoningTokens, cache_creation_input_tokens: cacheWriteTokens }),
  })
  return { model_name: model === 'unknown' ? undefined : model, metrics }
}

/** System messages and copied messages become steps. Other events are kept as recorded. */
function addOther(event: JournalEvent, steps: Step[]): void {
  const data = event.type === 'custom' && isPlainObject(event.data) ? event.data : {}
  const { text, role } = data as { readonly text?: unknown; readonly role?: unknown }
  const at = event.at === undefined ? {} : { timestamp: event.at }
  if (event.type !== 'custom' || typeof text !== 'string') keep(event, steps)
  else if (event.name === 'system') steps.push({ source: 'system', message: text, ...at })
  else if (event.name === 'copied-message' && (role === 'user' || role === 'agent' || role === 'system'))
    steps.push({ source: role, message: text, is_copied_context: true, ...at })
  else keep(event, steps)
}

/** Events without a field in ATIF go into the `extra` of the previous step. */
function keep(event: JournalEvent, steps: Step[]): void {
  const last = steps.at(-1) ?? added(steps, {})
  last.extra ??= { events: [] }
  last.extra.events.push(event as unknown as JsonObject)
}
