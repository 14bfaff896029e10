import type { AgentOutput, ExecutionStatus, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { aiSdkUsage, finishWords, sourceIn, warningsIn } from '../ai-sdk/reading.js'
import type { FinishOptions } from '../context/extras.js'
import { dataOutcome, finishOf, textOutcome } from '../context/outcome.js'
import type { Look } from '../context/safe-reader.js'
import { lookInto } from '../context/safe-reader.js'
import { uniqueSources } from '../context/sources.js'
import { toJson } from '../context/to-json.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { sumSteps } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'

/** Reads what `agent.generate` resolved to with care: what is malformed is absent and becomes a warning. */
export function readMastra(value: unknown, options: FinishOptions = {}): FrameworkReading {
  const warnings: string[] = []
  const root = lookInto(value, warnings)
  const steps = root.get('steps').list()
  const counted = steps.some((step) => step.get('usage').present)
  const reported = counted ? steps.map((step) => step.get('usage')) : [root.get('totalUsage')]
  const usages = reported.map(aiSdkUsage)
  const last = steps.at(-1)
  const finishReason = root.get('finishReason').text() ?? last?.get('finishReason').text()
  const finish = finishOf(finishReason, finishWords, options)
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
        responseId: root.get('response').get('id').text(),
        finishReason,
        truncated: finish.truncated,
        turns: steps.length > 0 ? steps.length : undefined,
        usage: sumSteps(usages, warnings),
        usageReported: reportedUsage(reported),
        toolExecutions: root.present ? toolsIn(root, steps) : undefined,
        sources: uniqueSources(
          root
            .get('sources')
            .list()
            .flatMap((chunk) => sourceIn(chunk.get('payload'))),
        ),
        warnings: [...warningsIn(root.get('warnings')), ...warnings],
      },
      own: { tripwireReason: textOrNothing(root.get('tripwireReason')), traceId: root.get('traceId').text() },
    },
    steps: steps.map((step, index) => ({
      model: modelOf(step),
      usage: counted ? usages[index] : undefined,
      finishReason: step.get('finishReason').text(),
      text: step.get('text').text(),
    })),
  }
}

function modelOf(look: Look): string | undefined {
  return look.get('response').get('modelId').text()
}

/** Mastra gives an empty reason where there is none. */
function textOrNothing(look: Look): string | undefined {
  const text = look.text()
  return text === '' ? undefined : text
}

function failureIn(root: Look): Failure | undefined {
  const error = root.get('error')
  return error.present ? failureOf(error.value) : undefined
}

/** Data that was asked for, else the text. */
function outputOf(root: Look): AgentOutput | undefined {
  const data = root.get('object')
  return data.present ? dataOutcome(data.value) : textOutcome(root.get('text').text())
}

function reportedUsage(usages: readonly Look[]): ReturnType<typeof toJson> | undefined {
  const reported = usages.flatMap((usage) => (usage.present ? [toJson(usage.value)] : []))
  return reported.length > 1 ? reported : reported[0]
}

/** Calls and results, each wrapped as a `payload`; the step is that which lists the call. */
function toolsIn(root: Look, steps: readonly Look[]): readonly ToolExecution[] {
  const stepOf = new Map<string, number>()
  for (const [index, step] of steps.entries())
    for (const call of step.get('toolCalls').list()) {
      const id = call.get('payload').get('toolCallId').text()
      if (id !== undefined) stepOf.set(id, index)
    }
  const calls = root
    .get('toolCalls')
    .list()
    .map((chunk) => {
      const payload = chunk.get('payload')
      const id = payload.get('toolCallId').text()
      const step = stepOf.get(id ?? '')
      return { id, name: payload.get('toolName').text(), step, input: payload.get('args').value ?? null }
    })
  const outcomes = root
    .get('toolResults')
    .list()
    .map((chunk) => {
      const payload = chunk.get('payload')
      const output = payload.get('result').value
      const same = { id: payload.get('toolCallId').text(), name: payload.get('toolName').text() }
      return payload.get('isError').value === true
        ? ({ ...same, status: 'failed', failure: failureOf(output) } as const)
        : { ...same, output }
    })
  return joinTools(calls, outcomes)
}
