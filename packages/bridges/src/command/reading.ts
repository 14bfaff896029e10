import type { CommandResult, ExecutionStatus, Failure, Json, JsonObject, Usage } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { dataOutcome, type RunOutcome, textOutcome } from '../context/outcome.js'
import { factSuffixes } from '../context/run-facts.js'
import { isObject, type Look, lookInto, partOf } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { usageFrom } from '../context/usage.js'

/** What is read of the output of a command. */
export interface CommandReading {
  readonly text?: string
  readonly data?: Json
  readonly status?: ExecutionStatus
  readonly usage?: Usage
  readonly costUsd?: number
  readonly model?: string
  readonly sessionId?: string
  readonly turns?: number
  readonly toolExecutions?: readonly ToolExecution[]
  readonly metadata?: JsonObject
}

/** How the output of a command is read. */
export type Read = 'text' | 'json' | 'json-lines' | ((outcome: CommandResult) => CommandReading)

/**
 * Reads the output of a command: `text` is stdout without control sequences, `json` one value, `json-lines` the last object
 * that has a text.
 *
 * @throws when the output is not what was announced, or a function of the caller throws
 */
export function readOutput(read: Read, outcome: CommandResult): CommandReading {
  if (typeof read === 'function') return read(outcome)
  const plain = withoutControlSequences(outcome.stdout)
  switch (read) {
    case 'text':
      return { text: plain.replace(/\s+$/, '') }
    case 'json':
      return readingOf(JSON.parse(plain))
    case 'json-lines':
      return lastReading(plain)
    default:
      return read satisfies never
  }
}

const escapeCharacter = String.fromCharCode(0x1b)
const sequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)|[@-Z\\\\-_])`,
  'g',
)

/** Colours, cursor movements and titles taken off. */
export function withoutControlSequences(text: string): string {
  return text.replaceAll(sequences, '')
}

const textFields = ['result', 'response', 'text'] as const

function readingOf(value: unknown): CommandReading {
  const text = textIn(value)
  return text === undefined ? { data: value as Json } : { text }
}

function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!isPlainObject(value)) return undefined
  return textFields.map((field) => value[field]).find((field): field is string => typeof field === 'string')
}

/** Lines that are no JSON are what an agent says beside its answer. */
function lastReading(text: string): CommandReading {
  for (const line of text.split('\n').reverse()) {
    const value = parsed(line)
    const found = isPlainObject(value) ? textIn(value) : undefined
    if (found !== undefined) return { text: found }
  }
  throw new Error(`no line is an object with ${textFields.join(', ')}`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

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
