import type { CommandResult, ExecutionStatus, Json, JsonObject, Usage } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ToolExecution } from '../context/tool-execution.js'

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
