import type { CommandResult, ExecutionStatus, Json, JsonObject, Usage } from '@jurist/core'
import type { ToolExecution } from '../context/tool-execution.js'

/** What an argument can take from a task. */
export type CommandVariable =
  | 'prompt'
  | 'systemPrompt'
  | 'model'
  | 'workspace'
  | 'timeoutSeconds'
  | `metadata.${string}`

/** One argument with `{{name}}` in place of values, or a group that is left out while the variable has no value. */
export type Argument = string | { readonly when: CommandVariable; readonly then: readonly string[] }

/** What was read out of a command's output. */
export interface CommandReading {
  readonly text?: string
  readonly data?: Json
  /** Default `success`. */
  readonly status?: ExecutionStatus
  readonly usage?: Usage
  readonly costUsd?: number
  readonly model?: string
  readonly sessionId?: string
  readonly turns?: number
  readonly toolExecutions?: readonly ToolExecution[]
  /** Kept under `command.<key>`. */
  readonly metadata?: JsonObject
}

/**
 * How output is read: `text`, as it is without colours; `json`, one value whose `result`, `response` or `text` is the
 * answer; `json-lines`, the last line that is an object with such a field; or a function.
 */
export type ReadCommand = 'text' | 'json' | 'json-lines' | ((outcome: CommandResult) => CommandReading)
