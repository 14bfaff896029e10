import type { ExecutionStatus, Failure, Json } from '@jurist/core'
import type { Look } from '../context/look.js'
import { isObject, lookInto, partOf } from '../context/look.js'
import type { RunOutcome } from '../context/outcome.js'
import { dataOutcome, textOutcome } from '../context/output.js'
import { factSuffixes } from '../context/run-facts.js'
import { toJson } from '../context/to-json.js'
import type { ToolCall, ToolExecution, ToolOutcome } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { usageFrom } from '../context/usage.js'

/**
 * What was read of an output, checked as anything that others made: what is malformed is absent and becomes a warning.
 *
 * @throws when it is no object at all
 */
export function checkedReading(value: unknown): RunOutcome {
  if (!isObject(value)) throw new Error(`the function of "read" gave ${value === null ? 'null' : typeof value}`)
  const warnings: string[] = []
  const look = lookInto(value, warnings)
  const data = partOf(value, 'data')
  const costUsd = amountIn(look.get('costUsd'))
  return {
    status: statusIn(look.get('status')),
    output: data === undefined ? textOutcome(look.get('text').text()) : dataOutcome(data),
    facts: {
      model: look.get('model').text(),
      sessionId: look.get('sessionId').text(),
      turns: amountIn(look.get('turns')),
      usage: usageIn(look.get('usage')),
      costUsd,
      costBasis: costUsd === undefined ? undefined : 'reported',
      toolExecutions: look.get('toolExecutions').present ? executionsIn(look.get('toolExecutions')) : undefined,
      warnings,
    },
    own: ownFacts(look.get('metadata')),
  }
}

const statuses: ReadonlySet<unknown> = new Set<ExecutionStatus>([
  ...(['success', 'failed', 'refused', 'timeout', 'cancelled', 'unknown'] as const),
])

/** A word that is no status says nothing, and so no success. */
function statusIn(look: Look): ExecutionStatus {
  if (!look.present) return 'success'
  if (statuses.has(look.value)) return look.value as ExecutionStatus
  look.warnings.push(`malformed: ${look.path}`)
  return 'unknown'
}

function amountIn(look: Look): number | undefined {
  const amount = look.number()
  if (amount === undefined || amount >= 0) return amount
  look.warnings.push(`malformed: ${look.path}`)
  return undefined
}

function usageIn(usage: Look): RunOutcome['facts']['usage'] {
  return usageFrom(
    {
      inputTokens: usage.get('inputTokens'),
      cacheReadTokens: usage.get('cacheReadTokens'),
      cacheWriteTokens: usage.get('cacheWriteTokens'),
      outputTokens: usage.get('outputTokens'),
      reasoningTokens: usage.get('reasoningTokens'),
      totalTokens: usage.get('totalTokens'),
    },
    usage.warnings,
  )
}

/** Facts of the caller's own; those of every bridge are not theirs to change. */
function ownFacts(metadata: Look): { readonly [suffix: string]: Json } {
  if (!metadata.present) return {}
  const json = toJson(metadata.value)
  if (!isObject(json) || Array.isArray(json)) {
    metadata.warnings.push(`malformed: ${metadata.path}`)
    return {}
  }
  const reserved: ReadonlySet<string> = new Set([...factSuffixes, 'exitCode'])
  const entries = Object.entries(json as { readonly [suffix: string]: Json })
  for (const [suffix] of entries) if (reserved.has(suffix)) metadata.warnings.push(`metadata-reserved: ${suffix}`)
  return Object.fromEntries(entries.filter(([suffix]) => !reserved.has(suffix)))
}

function executionsIn(list: Look): readonly ToolExecution[] {
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const [index, look] of list.list().entries()) {
    const id = look.get('id').text() ?? `call-${index + 1}`
    const status = look.get('status').text()
    calls.push(callIn(look, id, status === 'invalid'))
    if (status === 'completed' || status === 'failed' || status === 'denied') outcomes.push(outcomeIn(look, id, status))
    else if (status !== 'unfinished' && status !== 'invalid') list.warnings.push(`malformed: ${look.path}.status`)
  }
  return joinTools(calls, outcomes)
}

function callIn(look: Look, id: string, invalid: boolean): ToolCall {
  const paths = look.get('paths')
  return {
    id,
    name: look.get('name').text(),
    kind: look.get('kind').text(),
    step: amountIn(look.get('step')),
    input: look.get('input').value ?? null,
    invalid,
    failure: failureIn(look.get('failure')),
    paths: paths.present ? paths.list().flatMap((path) => path.text() ?? []) : undefined,
  }
}

function outcomeIn(look: Look, id: string, status: 'completed' | 'failed' | 'denied'): ToolOutcome {
  return { id, output: look.get('output').value, status, elapsedMs: amountIn(look.get('elapsedMs')) }
}

function failureIn(failure: Look): Failure | undefined {
  const message = failure.get('message').text()
  if (message === undefined) return undefined
  const code = failure.get('code').text()
  return { name: failure.get('name').text() ?? 'Error', message, ...(code === undefined ? {} : { code }) }
}
