import type { Agent, AgentOutput, AgentTask, ExecutionStatus, Failure } from '@jurist/core'
import { checkOptions, failureOf } from '@jurist/core/internal'
import { aiSdkUsage, finishReasons, sourceIn, warningsIn } from '../ai-sdk/reading.js'
import type { AiSdkUsage } from '../ai-sdk/runs.js'
import { type Prices, pricesRule } from '../context/cost.js'
import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { dataOutcome, finishOf, textOutcome } from '../context/outcome.js'
import { readSafely, type SafeReader } from '../context/safe-reader.js'
import { uniqueSources } from '../context/sources.js'
import { joinTools, type ToolExecution } from '../context/tool-execution.js'
import { reportedUsage, sumSteps } from '../context/usage.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { type FrameworkReading, frameworkAgent } from '../run/framework-agent.js'

/** A step of a result. Every field may be missing or malformed; other fields are not read. */
export interface MastraStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly response?: { readonly modelId?: string | undefined } | undefined
  readonly toolCalls?: readonly object[] | undefined
}

/** A result of `agent.generate`. Every field may be missing or malformed; other fields are not read. */
export interface MastraResult {
  readonly text?: string | undefined
  readonly object?: unknown
  readonly finishReason?: string | undefined
  readonly totalUsage?: AiSdkUsage | undefined
  readonly steps?: readonly MastraStep[] | undefined
  readonly toolCalls?: readonly object[] | undefined
  readonly toolResults?: readonly object[] | undefined
  readonly sources?: readonly object[] | undefined
  readonly warnings?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly error?: unknown
  readonly tripwire?: unknown
  readonly tripwireReason?: string | undefined
  readonly traceId?: string | undefined
}

const prefix = 'mastra'

const bridge = bridgeOf<MastraResult, ContextExtras & FinishOptions>({
  name: 'Mastra',
  prefix,
  read: (result, extras) => readMastra(result, extras).outcome,
  rules: finishRules,
})

/**
 * Creates a context from a result of Mastra's `agent.generate`. Finish reasons are those of the AI SDK; an `error`
 * means `failed`, a tripwire `refused`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed result
 *
 * @example
 * import { contextFromMastra } from '@jurist/bridges/mastra'
 * import { outputText, runJudge } from '@jurist/core'
 * import type { Agent } from '@mastra/core/agent'
 *
 * async function greeted(assistant: Agent) {
 *   const result = await assistant.generate('Say hello')
 *   return runJudge(outputText({ contains: 'hello' }), contextFromMastra(result, { goal: 'Say hello' }))
 * }
 */
export const contextFromMastra: ContextFrom<MastraResult, ContextExtras & FinishOptions> = bridge.contextFrom

/**
 * Runs Mastra once and returns a context, also when it fails.
 *
 * @example
 * import { observeMastra } from '@jurist/bridges/mastra'
 * import type { Agent } from '@mastra/core/agent'
 *
 * function observed(assistant: Agent) {
 *   const run = (abortSignal: AbortSignal) => assistant.generate('Say hello', { abortSignal })
 *   return observeMastra(run, { goal: 'Say hello', timeoutMs: 60_000 })
 * }
 */
export const observeMastra: Observe<MastraResult> = bridge.observe

/**
 * Runs Mastra once and judges the result, also when it fails.
 *
 * @example
 * import { evaluateMastra } from '@jurist/bridges/mastra'
 * import { outputText } from '@jurist/core'
 * import type { Agent } from '@mastra/core/agent'
 *
 * function greeted(assistant: Agent) {
 *   const run = (abortSignal: AbortSignal) => assistant.generate('Say hello', { abortSignal })
 *   return evaluateMastra(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 * }
 */
export const evaluateMastra: Evaluate<MastraResult> = bridge.evaluate

/**
 * Creates an agent that calls an agent of Mastra.
 *
 * @param generate calls `agent.generate` once; it must pass on `task.signal`
 * @throws `option-invalid`
 *
 * @example
 * import { mastraAgent } from '@jurist/bridges/mastra'
 * import type { Agent } from '@mastra/core/agent'
 *
 * const agentOf = (assistant: Agent) =>
 *   mastraAgent(({ prompt, signal }) => assistant.generate(prompt, { abortSignal: signal }))
 */
export function mastraAgent(
  generate: (task: AgentTask) => PromiseLike<MastraResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('mastraAgent', options, { prices: pricesRule, ...finishRules })
  const read = (result: MastraResult) => readMastra(result, finish)
  return frameworkAgent({ name: 'mastraAgent', prefix, call: generate, read, prices })
}

/** Malformed parts are left out and add warnings. */
function readMastra(value: unknown, options: FinishOptions = {}): FrameworkReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const steps = root.get('steps').array()
  const counted = steps.some((step) => step.get('usage').present)
  const reported = counted ? steps.map((step) => step.get('usage')) : [root.get('totalUsage')]
  const usages = reported.map(aiSdkUsage)
  const last = steps.at(-1)
  const finishReason = root.get('finishReason').string() ?? last?.get('finishReason').string()
  const finish = finishOf(finishReason, finishReasons, options)
  const failure = failureIn(root)
  const isTripped = Boolean(root.get('tripwire').value)
  const status: ExecutionStatus = isTripped ? 'refused' : failure === undefined ? finish.status : 'failed'
  return {
    outcome: {
      status,
      output: outputOf(root),
      failure: status === 'failed' ? failure : undefined,
      facts: {
        model: modelOf(root) ?? (last === undefined ? undefined : modelOf(last)),
        responseId: root.get('response').get('id').string(),
        finishReason,
        truncated: finish.truncated,
        turns: steps.length > 0 ? steps.length : undefined,
        usage: sumSteps(usages, warnings),
        usageReported: reportedUsage(reported),
        toolExecutions: root.present ? toolsIn(root, steps) : undefined,
        sources: uniqueSources(
          root
            .get('sources')
            .array()
            .flatMap((chunk) => sourceIn(chunk.get('payload'))),
        ),
        warnings: [...warningsIn(root.get('warnings')), ...warnings],
      },
      own: { tripwireReason: textOrNothing(root.get('tripwireReason')), traceId: root.get('traceId').string() },
    },
    steps: steps.map((step, index) => ({
      model: modelOf(step),
      usage: counted ? usages[index] : undefined,
      finishReason: step.get('finishReason').string(),
      text: step.get('text').string(),
    })),
  }
}

function modelOf(reader: SafeReader): string | undefined {
  return reader.get('response').get('modelId').string()
}

/** Mastra returns an empty string if there is no reason. */
function textOrNothing(reader: SafeReader): string | undefined {
  const text = reader.string()
  return text === '' ? undefined : text
}

function failureIn(root: SafeReader): Failure | undefined {
  const error = root.get('error')
  return error.present ? failureOf(error.value) : undefined
}

function outputOf(root: SafeReader): AgentOutput | undefined {
  const data = root.get('object')
  return data.present ? dataOutcome(data.value) : textOutcome(root.get('text').string())
}

/** Each call and result is inside a `payload`. The step is the one that lists the call. */
function toolsIn(root: SafeReader, steps: readonly SafeReader[]): readonly ToolExecution[] {
  const stepOf = new Map<string, number>()
  for (const [index, step] of steps.entries())
    for (const call of step.get('toolCalls').array()) {
      const id = call.get('payload').get('toolCallId').string()
      if (id !== undefined) stepOf.set(id, index)
    }
  const calls = root
    .get('toolCalls')
    .array()
    .map((chunk) => {
      const payload = chunk.get('payload')
      const id = payload.get('toolCallId').string()
      const step = stepOf.get(id ?? '')
      return { id, name: payload.get('toolName').string(), step, input: payload.get('args').value ?? null }
    })
  const outcomes = root
    .get('toolResults')
    .array()
    .map((chunk) => {
      const payload = chunk.get('payload')
      const output = payload.get('result').value
      const same = { id: payload.get('toolCallId').string(), name: payload.get('toolName').string() }
      return payload.get('isError').value === true
        ? ({ ...same, status: 'failed', failure: failureOf(output) } as const)
        : { ...same, output }
    })
  return joinTools(calls, outcomes)
}
