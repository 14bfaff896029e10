import type { AgentOutput, OutputPart, Usage } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { FinishOptions } from '../context/extras.js'
import { dataOutcome, type FinishReasons, finishOf, partsOutcome } from '../context/outcome.js'
import { isObject, propertyOf, readSafely, type SafeReader } from '../context/safe-reader.js'
import { metadataIn, type RetrievedSource, uniqueSources } from '../context/sources.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { reportedUsage, sumSteps, usageFrom } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'

/** `other` and new reasons are unknown. */
export const finishReasons: FinishReasons = {
  success: ['stop', 'tool-calls'],
  truncated: ['length'],
  refused: ['content-filter'],
  failed: ['error', 'interrupted'],
}

/** Malformed parts are left out and add warnings. */
export function readAiSdk(value: unknown, options: FinishOptions = {}): FrameworkReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const listed = root.get('steps').array()
  const steps = listed.length > 0 || !root.present ? listed : [root]
  const last = steps.at(-1) ?? root
  const usages = steps.map((step) => aiSdkUsage(step.get('usage')))
  const finishReason = last.get('finishReason').string()
  const { status, truncated } = finishOf(finishReason, finishReasons, options)
  const output = outputOf(root)
  const facts = {
    model: modelOf(last),
    provider: last.get('model').get('provider').string(),
    responseId: root.get('response').get('id').string() ?? last.get('response').get('id').string(),
    finishReason,
    rawFinishReason: last.get('rawFinishReason').string(),
    truncated,
    turns: listed.length > 0 ? listed.length : undefined,
    usage: sumSteps(usages, warnings),
    usageReported: reportedUsage(steps.map((step) => step.get('usage'))),
    toolExecutions: root.present ? toolsIn(steps) : undefined,
    sources: uniqueSources(steps.flatMap((step) => step.get('sources').array().flatMap(sourceIn))),
    warnings: [...warningsIn(root.get('warnings')), ...warnings],
  }
  return {
    outcome: { status, output, facts },
    steps: steps.map((step, index) => ({
      model: modelOf(step),
      provider: step.get('model').get('provider').string(),
      usage: usages[index],
      finishReason: step.get('finishReason').string(),
      text: step.get('text').string(),
    })),
  }
}

/** The requested model may differ. */
function modelOf(step: SafeReader): string | undefined {
  return step.get('response').get('modelId').string() ?? step.get('model').get('modelId').string()
}

/** Some counts have an older and a newer place. */
export function aiSdkUsage(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'inputTokens',
    cacheReadTokens: ['inputTokenDetails.cacheReadTokens', 'cachedInputTokens'],
    cacheWriteTokens: 'inputTokenDetails.cacheWriteTokens',
    outputTokens: 'outputTokens',
    reasoningTokens: ['outputTokenDetails.reasoningTokens', 'reasoningTokens'],
    totalTokens: 'totalTokens',
  })
}

/** The getter `output` throws if no data was requested. */
function outputOf(root: SafeReader): AgentOutput | undefined {
  const data = isObject(root.value) ? propertyOf(root.value, 'output') : undefined
  if (data !== undefined && data !== null && typeof data !== 'string') return dataOutcome(data)
  const text = root.get('text').string() ?? ''
  return partsOutcome([{ type: 'text', text }, ...root.get('files').array().flatMap(imageIn)])
}

function imageIn(file: SafeReader): readonly OutputPart[] {
  const mediaType = file.get('mediaType').string() ?? ''
  const data = file.get('base64').string()
  if (mediaType.startsWith('image/') && data !== undefined) return [{ type: 'image', mediaType, data }]
  file.warnings.push(`left out: ${file.path} (not an image)`)
  return []
}

/** The warnings in the form `type: feature`. */
export function warningsIn(warnings: SafeReader): readonly string[] {
  return warnings.array().map((warning) => {
    const about = warning.get('feature').string() ?? warning.get('setting').string() ?? warning.get('message').string()
    return `${warning.get('type').string() ?? 'other'}: ${about ?? 'unknown'}`
  })
}

function toolsIn(steps: readonly SafeReader[]): readonly ToolExecution[] {
  const calls = steps.flatMap((step, index) =>
    step
      .get('toolCalls')
      .array()
      .map((call) => callIn(call, index)),
  )
  const results = steps.flatMap((step, index) => [
    ...step
      .get('toolResults')
      .array()
      .flatMap((result) => resultIn(result, index)),
    ...step
      .get('content')
      .array()
      .flatMap((part) => endIn(part, index)),
  ])
  return joinTools(calls, results)
}

function callIn(call: SafeReader, step: number): ToolCall {
  const error = call.get('error')
  return {
    id: call.get('toolCallId').string(),
    name: call.get('toolName').string(),
    step,
    input: call.get('input').value,
    invalid: call.get('invalid').boolean(),
    failure: error.present ? failureOf(error.value) : undefined,
  }
}

function resultIn(result: SafeReader, step: number): readonly ToolOutcome[] {
  // The final result follows a preliminary one.
  if (result.get('preliminary').value === true) return []
  return [
    {
      id: result.get('toolCallId').string(),
      name: result.get('toolName').string(),
      step,
      output: result.get('output').value,
    },
  ]
}

/** A tool call that failed or was denied is listed in the content only. */
function endIn(part: SafeReader, step: number): readonly ToolOutcome[] {
  const type = part.get('type').value
  const same = { id: part.get('toolCallId').string(), name: part.get('toolName').string(), step }
  if (type === 'tool-output-denied') return [{ ...same, status: 'denied' }]
  if (type !== 'tool-error') return []
  return [{ ...same, status: 'failed', failure: failureOf(part.get('error').value) }]
}

/** Without an id, its URL or title is the id. */
export function sourceIn(source: SafeReader): readonly RetrievedSource[] {
  const url = source.get('url').string()
  const title = source.get('title').string() ?? source.get('filename').string()
  const mediaType = source.get('mediaType').string()
  const id = source.get('id').string() ?? url ?? title
  const metadata = metadataIn(source.get('providerMetadata'))
  if (id === undefined) return []
  return [
    {
      id,
      type: source.get('sourceType').value === 'document' ? 'document' : 'url',
      title,
      url,
      mediaType,
      metadata,
    },
  ]
}
