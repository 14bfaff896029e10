import type { AgentOutput, OutputPart, Usage } from '@jurist/core'
import type { FinishOptions } from '../context/extras.js'
import type { FinishWords } from '../context/finish.js'
import { finishOf } from '../context/finish.js'
import type { Look } from '../context/look.js'
import { isObject, lookInto, partOf } from '../context/look.js'
import { dataOutcome, partsOutcome } from '../context/output.js'
import { uniqueSources } from '../context/source.js'
import { toJson } from '../context/to-json.js'
import { sumSteps, usageFrom } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'
import { sourceIn, toolsIn } from './parts.js'

/** The finish reasons of the AI SDK; `other` and anything new are unknown. */
export const finishWords: FinishWords = {
  success: ['stop', 'tool-calls'],
  truncated: ['length'],
  refused: ['content-filter'],
  failed: ['error', 'interrupted'],
}

/** Reads a result of the AI SDK with care: what is malformed is absent and becomes a warning. */
export function readAiSdk(value: unknown, options: FinishOptions = {}): FrameworkReading {
  const warnings: string[] = []
  const root = lookInto(value, warnings)
  const listed = root.get('steps').list()
  const steps = listed.length > 0 || !root.present ? listed : [root]
  const last = steps.at(-1) ?? root
  const usages = steps.map((step) => aiSdkUsage(step.get('usage')))
  const finishReason = last.get('finishReason').text()
  const { status, truncated } = finishOf(finishReason, finishWords, options)
  const output = outputOf(root)
  const facts = {
    model: modelOf(last),
    provider: last.get('model').get('provider').text(),
    responseId: root.get('response').get('id').text() ?? last.get('response').get('id').text(),
    finishReason,
    rawFinishReason: last.get('rawFinishReason').text(),
    truncated,
    turns: listed.length > 0 ? listed.length : undefined,
    usage: sumSteps(usages, warnings),
    usageReported: reportedUsage(steps),
    toolExecutions: root.present ? toolsIn(steps) : undefined,
    sources: uniqueSources(steps.flatMap((step) => step.get('sources').list().flatMap(sourceIn))),
    warnings: [...warningsIn(root.get('warnings')), ...warnings],
  }
  return {
    outcome: { status, output, facts },
    steps: steps.map((step, index) => ({
      model: modelOf(step),
      provider: step.get('model').get('provider').text(),
      usage: usages[index],
      finishReason: step.get('finishReason').text(),
      text: step.get('text').text(),
    })),
  }
}

/** The model that answered, else the one that was asked. */
function modelOf(step: Look): string | undefined {
  return step.get('response').get('modelId').text() ?? step.get('model').get('modelId').text()
}

/** The usage of one step in the words of core; older and newer places of the same count. */
export function aiSdkUsage(usage: Look): Usage | undefined {
  const input = usage.get('inputTokenDetails')
  const either = (first: Look, second: Look) => (first.present ? first : second)
  return usageFrom(
    {
      inputTokens: usage.get('inputTokens'),
      cacheReadTokens: either(input.get('cacheReadTokens'), usage.get('cachedInputTokens')),
      cacheWriteTokens: input.get('cacheWriteTokens'),
      outputTokens: usage.get('outputTokens'),
      reasoningTokens: either(usage.get('outputTokenDetails').get('reasoningTokens'), usage.get('reasoningTokens')),
      totalTokens: usage.get('totalTokens'),
    },
    usage.warnings,
  )
}

/** What the steps reported, as they did; one alone is not put in a list. */
function reportedUsage(steps: readonly Look[]): ReturnType<typeof toJson> | undefined {
  const reported = steps.flatMap((step) => (step.get('usage').present ? [toJson(step.get('usage').value)] : []))
  return reported.length > 1 ? reported : reported[0]
}

/** Data that was asked for, else the text, with images beside it. The getter of `output` throws when none was asked for. */
function outputOf(root: Look): AgentOutput | undefined {
  const data = isObject(root.value) ? partOf(root.value, 'output') : undefined
  if (data !== undefined && data !== null && typeof data !== 'string') return dataOutcome(data)
  const text = root.get('text').text() ?? ''
  return partsOutcome([{ type: 'text', text }, ...root.get('files').list().flatMap(imageIn)])
}

function imageIn(file: Look): readonly OutputPart[] {
  const mediaType = file.get('mediaType').text() ?? ''
  const data = file.get('base64').text()
  if (mediaType.startsWith('image/') && data !== undefined) return [{ type: 'image', mediaType, data }]
  file.warnings.push(`left out: ${file.path}, which is no image`)
  return []
}

/** Warnings of the AI SDK as `type: feature`. */
export function warningsIn(warnings: Look): readonly string[] {
  return warnings.list().map((warning) => {
    const about = warning.get('feature').text() ?? warning.get('setting').text() ?? warning.get('message').text()
    return `${warning.get('type').text() ?? 'other'}: ${about ?? 'not told'}`
  })
}
