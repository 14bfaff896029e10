import type { CommandResult, ExecutionStatus, Failure, Json, JsonObject, Usage } from '@jurist/core'
import { executionStatus, isPlainObject, usageCounts } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { withoutControlSequences } from '../coding/workspace-command.js'
import { dataOutcome, type RunOutcome, textOutcome } from '../context/outcome.js'
import { factSuffixes } from '../context/run-facts.js'
import { isObject, propertyOf, readSafely, type SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { usageFrom } from '../context/usage.js'

/** The values read from the output of a command. */
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
 * `text` is stdout without control sequences, `json` one value, `json-lines` the last object that has a string.
 *
 * @throws if the output does not have this format, or the caller's function throws
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

/** Skips lines that are not JSON: agents also print progress. */
function lastReading(text: string): CommandReading {
  for (const line of text.split('\n').reverse()) {
    const found = textIn(parseObject(line))
    if (found !== undefined) return { text: found }
  }
  throw new Error(`no line is an object with ${textFields.join(', ')}`)
}

/**
 * Malformed parts are left out and add warnings.
 *
 * @throws if the value is not an object
 */
export function checkedReading(value: unknown): RunOutcome {
  if (!isObject(value))
    throw new Error(`the function "read" must return an object (got ${value === null ? 'null' : typeof value})`)
  const warnings: string[] = []
  const reader = readSafely(value, warnings)
  const data = propertyOf(value, 'data')
  const costUsd = reader.get('costUsd').amount()
  return {
    status: statusIn(reader.get('status')),
    output: data === undefined ? textOutcome(reader.get('text').string()) : dataOutcome(data),
    facts: {
      model: reader.get('model').string(),
      sessionId: reader.get('sessionId').string(),
      turns: reader.get('turns').amount(),
      usage: usageFrom(reader.get('usage'), Object.fromEntries(usageCounts.map((count) => [count, count]))),
      costUsd,
      costBasis: costUsd === undefined ? undefined : 'reported',
      toolExecutions: reader.get('toolExecutions').present ? executionsIn(reader.get('toolExecutions')) : undefined,
      warnings,
    },
    own: ownFacts(reader.get('metadata')),
  }
}

/** An invalid status is `unknown`, never a success. */
function statusIn(reader: SafeReader): ExecutionStatus {
  if (!reader.present) return 'success'
  if (executionStatus.holds(reader.value)) return reader.value as ExecutionStatus
  reader.warnings.push(`malformed: ${reader.path}`)
  return 'unknown'
}

/** Leaves out facts that are reserved for bridges. */
function ownFacts(metadata: SafeReader): { readonly [suffix: string]: Json } {
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

function executionsIn(list: SafeReader): readonly ToolExecution[] {
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const [index, reader] of list.array().entries()) {
    const id = reader.get('id').string() ?? `call-${index + 1}`
    const status = reader.get('status').string()
    calls.push(callIn(reader, id, status === 'invalid'))
    if (status === 'completed' || status === 'failed' || status === 'denied')
      outcomes.push({ id, output: reader.get('output').value, status, elapsedMs: reader.get('elapsedMs').amount() })
    else if (status !== 'unfinished' && status !== 'invalid') list.warnings.push(`malformed: ${reader.path}.status`)
  }
  return joinTools(calls, outcomes)
}

function callIn(reader: SafeReader, id: string, invalid: boolean): ToolCall {
  const paths = reader.get('paths')
  return {
    id,
    name: reader.get('name').string(),
    kind: reader.get('kind').string(),
    step: reader.get('step').amount(),
    input: reader.get('input').value ?? null,
    invalid,
    failure: failureIn(reader.get('failure')),
    paths: paths.present ? paths.array().flatMap((path) => path.string() ?? []) : undefined,
  }
}

function failureIn(failure: SafeReader): Failure | undefined {
  const message = failure.get('message').string()
  if (message === undefined) return undefined
  const code = failure.get('code').string()
  return { name: failure.get('name').string() ?? 'Error', message, code }
}
