import type { Agent, AgentOutput, AgentTask, ExecutionStatus, Usage } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { dataOutcome, type RunOutcome, textOutcome } from '../context/outcome.js'
import { isObject, isReadableArray, propertyOf, readSafely, type SafeReader } from '../context/safe-reader.js'
import {
  joinTools,
  readArguments,
  type ToolCall,
  type ToolExecution,
  type ToolOutcome,
} from '../context/tool-execution.js'
import { consistentUsage, reportedUsage, sumSteps } from '../context/usage.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { nameOf } from '../run/classify-error.js'
import { type FrameworkReading, frameworkAgent } from '../run/framework-agent.js'

/** A model's response. Every field may be missing or malformed; other fields are not read. */
export interface OpenAiAgentsResponse {
  readonly usage?:
    | {
        readonly inputTokens?: number | undefined
        readonly outputTokens?: number | undefined
        readonly totalTokens?: number | undefined
        readonly inputTokensDetails?: readonly object[] | undefined
        readonly outputTokensDetails?: readonly object[] | undefined
      }
    | undefined
  readonly output?: readonly object[] | undefined
  readonly responseId?: string | undefined
}

/** A result of `run`. Every field may be missing or malformed; other fields are not read. */
export interface OpenAiAgentsResult {
  readonly finalOutput?: unknown
  readonly newItems?: readonly object[] | undefined
  readonly rawResponses?: readonly OpenAiAgentsResponse[] | undefined
  readonly lastResponseId?: string | undefined
  readonly lastAgent?: { readonly name?: string | undefined } | undefined
  readonly interruptions?: readonly object[] | undefined
}

const prefix = 'openai-agents'

const bridge = bridgeOf<OpenAiAgentsResult>({
  name: 'OpenAiAgents',
  prefix,
  read: (result) => readOpenAiAgents(result).outcome,
  readThrown,
})

/**
 * Creates a context from a result of `run` of `@openai/agents`. With a final output the status is `success`; while tool
 * calls wait for approval it is `unknown`, with the warning `awaiting-approval`; a refusal alone is `refused`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { contextFromOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { outputText, runJudge } from '@jurist/core'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const result = await run(assistant, 'Say hello')
 * const judgment = await runJudge(outputText({ contains: 'hello' }), contextFromOpenAiAgents(result, { goal: 'Say hello' }))
 */
export const contextFromOpenAiAgents: ContextFrom<OpenAiAgentsResult> = bridge.contextFrom

/**
 * Runs the SDK once and returns a context, also when it fails. A reached turn limit is `failed` with the code `max-turns`.
 *
 * @example
 * import { observeOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const once = (signal: AbortSignal) => run(assistant, 'Say hello', { signal })
 * const { context, result } = await observeOpenAiAgents(once, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeOpenAiAgents: Observe<OpenAiAgentsResult> = bridge.observe

/**
 * Runs the SDK once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { outputText } from '@jurist/core'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const once = (signal: AbortSignal) => run(assistant, 'Say hello', { signal })
 * await evaluateOpenAiAgents(once, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateOpenAiAgents: Evaluate<OpenAiAgentsResult> = bridge.evaluate

/** The options of `openAiAgentsAgent`. */
export interface OpenAiAgentsAgentOptions {
  /** The model that the agents use, for the journal and the cost: results do not include it. */
  readonly model?: string
  /** Prices by model, to compute the cost of a run. */
  readonly prices?: Prices
}

/**
 * Creates an agent that runs agents of the OpenAI Agents SDK.
 *
 * @param run calls `run` once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { openAiAgentsAgent } from '@jurist/bridges/openai-agents'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const agent = openAiAgentsAgent(({ prompt, signal }) => run(assistant, prompt, { signal }), { model: 'gpt-5-mini' })
 */
export function openAiAgentsAgent(
  run: (task: AgentTask) => PromiseLike<OpenAiAgentsResult>,
  options?: OpenAiAgentsAgentOptions,
): Agent {
  const { model, prices } = checkOptions('openAiAgentsAgent', options, { model: option.string, prices: pricesRule })
  const read = (result: OpenAiAgentsResult) => readOpenAiAgents(result, model)
  const broken = (thrown: unknown, warnings: string[]) => {
    const more = readThrown(thrown, warnings)
    // The usage before the error belongs to this model.
    return { ...more, facts: { ...more.facts, model } }
  }
  return frameworkAgent({ name: 'openAiAgentsAgent', prefix, call: run, read, readThrown: broken, prices })
}

/**
 * Malformed parts are left out and add warnings.
 *
 * @param model the requested model, which the result does not include
 */
function readOpenAiAgents(value: unknown, model?: string): FrameworkReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const responses = root.get('rawResponses').array()
  const usages = responses.map((response) => usageOf(response.get('usage')))
  const isWaiting = root.get('interruptions').array().length > 0
  if (isWaiting) warnings.push('awaiting-approval')
  // The getter prints a warning while approvals are pending.
  const final = isWaiting ? readSafely(undefined, warnings) : root.get('finalOutput')
  return {
    outcome: {
      status: statusOf(final, responses, isWaiting),
      output: outputOf(final),
      facts: {
        model,
        responseId: root.get('lastResponseId').string(),
        turns: responses.length > 0 ? responses.length : undefined,
        usage: sumSteps(usages, warnings),
        usageReported: reportedUsage(responses.map((response) => response.get('usage'))),
        toolExecutions: root.present ? toolsIn(root.get('newItems').array(), responses) : undefined,
        warnings,
      },
      own: { lastAgent: root.get('lastAgent').get('name').string() },
    },
    steps: responses.map((response, index) => ({ model, usage: usages[index], text: textIn(response) })),
  }
}

/** Such as the turn limit, and the usage before the error. */
function readThrown(thrown: unknown, warnings: string[]): Partial<RunOutcome> {
  if (!isObject(thrown)) return {}
  const responses = readSafely(propertyOf(thrown, 'state'), warnings, 'state').get('_modelResponses').array()
  const usage = sumSteps(
    responses.map((response) => usageOf(response.get('usage'))),
    warnings,
  )
  const facts = {
    usage,
    ...(responses.length === 0 ? {} : { turns: responses.length }),
  }
  if (nameOf(thrown) !== 'MaxTurnsExceededError') return { facts }
  const message = propertyOf(thrown, 'message')
  const failure = { name: 'MaxTurnsExceededError', message: String(message), code: 'max-turns', infrastructure: false }
  return { facts, failure: Object.freeze(failure) }
}

function outputOf(final: SafeReader): AgentOutput | undefined {
  if (!final.present) return undefined
  return typeof final.value === 'string' ? textOutcome(final.value) : dataOutcome(final.value)
}

function statusOf(final: SafeReader, responses: readonly SafeReader[], isWaiting: boolean): ExecutionStatus {
  if (isWaiting) return 'unknown'
  if (final.present) return 'success'
  const parts = (responses.at(-1)?.get('output').array() ?? []).flatMap((item) =>
    item.get('type').value === 'message' ? item.get('content').array() : [],
  )
  const isRefused = parts.some((part) => part.get('type').value === 'refusal')
  const hasText = parts.some((part) => part.get('type').value === 'output_text' && part.get('text').value !== '')
  return isRefused && !hasText ? 'refused' : 'unknown'
}

/** Details are listed for each request. */
function usageOf(usage: SafeReader): Usage | undefined {
  const input = usage.get('inputTokensDetails')
  const output = usage.get('outputTokensDetails')
  return consistentUsage(
    {
      inputTokens: usage.get('inputTokens').value,
      cacheReadTokens: summed(input, 'cached_tokens'),
      cacheWriteTokens: summed(input, 'cache_write_tokens'),
      outputTokens: usage.get('outputTokens').value,
      reasoningTokens: summed(output, 'reasoning_tokens'),
      totalTokens: usage.get('totalTokens').value,
    },
    usage.warnings,
  )
}

/** Absent if no request has the count. */
function summed(details: SafeReader, count: string): number | undefined {
  const entries = isReadableArray(details.value) ? details.array() : [details]
  const known = entries.flatMap((entry) => entry.get(count).number() ?? [])
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0)
}

function textIn(response: SafeReader): string {
  const parts = response
    .get('output')
    .array()
    .flatMap((item) => (item.get('type').value === 'message' ? item.get('content').array() : []))
  return parts
    .map((part) => (part.get('type').value === 'output_text' ? (part.get('text').string() ?? '') : ''))
    .join('')
}

/** A handoff counts as a tool call. `step` is the index of the response. */
function toolsIn(items: readonly SafeReader[], responses: readonly SafeReader[]): readonly ToolExecution[] {
  const steps = stepsOf(responses)
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const item of items) {
    const raw = item.get('rawItem')
    const id = idOf(raw)
    switch (item.get('type').value) {
      case 'tool_call_item':
        calls.push({ ...callIn(raw, id), step: steps.get(id ?? '') })
        break
      case 'handoff_call_item':
        calls.push({ ...callIn(raw, id), name: 'handoff', step: steps.get(id ?? '') })
        break
      case 'tool_call_output_item':
        outcomes.push({ id, output: item.get('output').value ?? raw.get('output').value })
        break
      case 'handoff_output_item':
        outcomes.push({ id, name: 'handoff', output: raw.get('output').value })
        break
      default:
    }
  }
  return joinTools(calls, outcomes)
}

/** Hosted tools have no `callId`. */
function idOf(raw: SafeReader): string | undefined {
  return raw.get('callId').string() ?? raw.get('id').string()
}

function callIn(raw: SafeReader, id: string | undefined): ToolCall {
  const { input, invalid } = readArguments(raw.get('arguments').value)
  return { id, name: raw.get('name').string() ?? raw.get('type').string(), input: input ?? null, invalid }
}

function stepsOf(responses: readonly SafeReader[]): ReadonlyMap<string, number> {
  const steps = new Map<string, number>()
  for (const [step, response] of responses.entries())
    for (const item of response.get('output').array()) {
      const id = idOf(item)
      if (id !== undefined && !steps.has(id)) steps.set(id, step)
    }
  return steps
}
