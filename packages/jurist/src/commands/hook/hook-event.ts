import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import * as v from 'valibot'
import type { Client } from './clients.js'

/** The event that a coding agent passes to a hook. */
export interface HookEvent {
  readonly client: Client
  /** The agent's id of the session. */
  readonly session: string
  /** The current working directory of the agent. */
  readonly cwd: string | undefined
  /** Whether the agent works because of an earlier block; `undefined` if the agent does not report it. */
  readonly isContinued: boolean | undefined
  /** The last message of the agent. */
  readonly message: string | undefined
  /** The file of the session. */
  readonly transcript: string | undefined
  /** Whether the user or a failure ended the turn, so that nothing was finished. */
  readonly isBroken: boolean
}

/** The maximum size of an event, in characters. */
const maxEventCharacters = 4_194_304

const text = v.optional(v.string())

/** The fields of Claude Code and Codex, and of Cursor, which uses `conversation_id`. */
const eventSchema = v.object({
  session_id: text,
  conversation_id: text,
  cwd: text,
  workspace_roots: v.optional(v.array(v.string())),
  stop_hook_active: v.optional(v.boolean()),
  loop_count: v.optional(v.number()),
  last_assistant_message: v.nullish(v.string()),
  transcript_path: v.nullish(v.string()),
  status: text,
})

/**
 * Reads the event from standard input.
 *
 * @param client the client that runs the hook, if the command line names it. Default: detected from the event
 * @throws `usage-invalid` for an invalid event
 */
export function readEvent(given: string, client: Client | undefined): HookEvent {
  const value = given.length > maxEventCharacters ? undefined : parseObject(given)
  const read = v.safeParse(eventSchema, value)
  const session = read.success ? (read.output.session_id ?? read.output.conversation_id) : undefined
  if (!read.success || session === undefined)
    throw usageInvalid(
      'stdin',
      `Standard input is not the event of a hook: a JSON object with a "session_id" or "conversation_id". Coding agents call this command: ${commandLine('hook', 'install', 'AGENT')}`,
    )
  const { conversation_id, cwd, workspace_roots, stop_hook_active, loop_count, last_assistant_message, status } =
    read.output
  return {
    client: client ?? (conversation_id === undefined ? 'claude' : 'cursor'),
    session,
    cwd: cwd ?? workspace_roots?.[0],
    isContinued: stop_hook_active ?? (loop_count === undefined ? undefined : loop_count > 0),
    message: last_assistant_message ?? undefined,
    transcript: read.output.transcript_path ?? undefined,
    isBroken: status === 'aborted' || status === 'error',
  }
}
