import { isPlainObject } from '@jurist/core/internal'
import { readClaudeSession } from './read-claude-session.js'
import { readCodexSession } from './read-codex-session.js'
import type { TraceDocument } from './trace-files.js'
import type { Trajectory } from './trajectory.js'

/** The lines of a session file of Claude Code or Codex as events, or every problem with its place. */
export function readSession(
  documents: readonly TraceDocument[],
  name: string,
): { readonly value: Trajectory } | { readonly problems: readonly string[] } {
  const values = documents.map(({ value }) => value)
  const read = values.some(isCodexLine) ? readCodexSession : values.some(isClaudeLine) ? readClaudeSession : undefined
  if (read === undefined) return { problems: ['it is neither a session of Claude Code nor a rollout of Codex'] }
  const warnings: string[] = []
  const value = read(documents, name, warnings)
  const malformed = warnings.filter((warning) => warning.startsWith('malformed: '))
  const problems = new Set(malformed.map((one) => `${one.slice('malformed: '.length)} has the wrong type`))
  if (problems.size > 0) return { problems: [...problems] }
  return { value: { ...value, notes: [...value.notes, ...new Set(warnings)] } }
}

/** Whether a line is one of a session file. */
export function isSession(value: unknown): boolean {
  return isCodexLine(value) || isClaudeLine(value)
}

function isCodexLine(value: unknown): boolean {
  const types: readonly unknown[] = ['session_meta', 'response_item', 'event_msg', 'turn_context']
  return isPlainObject(value) && isPlainObject(value['payload']) && types.includes(value['type'])
}

function isClaudeLine(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    (value['type'] === 'user' || value['type'] === 'assistant') &&
    isPlainObject(value['message'])
  )
}
