import type { AgentOutput, ExecutionStatus, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { aiSdkUsage, finishReasons, sourceIn, warningsIn } from '../ai-sdk/reading.js'
import type { FinishOptions } from '../context/extras.js'
import { dataOutcome, finishOf, textOutcome } from '../context/outcome.js'
import type { SafeReader } from '../context/safe-reader.js'
import { readSafely } from '../context/safe-reader.js'
import { uniqueSources } from '../context/sources.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { reportedUsage, sumSteps } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'

/** Malformed parts are left out and add warnings. */
export function readMastra(value: unknown, options: FinishOptions = {}): FrameworkReading {
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
