import { usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import * as v from 'valibot'
import type { Client } from './clients.js'

/** What a coding agent says about the moment at which it runs a hook. */
export interface HookEvent {
  readonly client: Client
  /** The agent's name of the session. */
  readonly session: string
  /** Where the agent works now. */
  readonly cwd: string | undefined
  /** Whether the agent works because of an earlier block. `undefined`: the agent does not say. */
  readonly isContinued: boolean | undefined
  /** The last message of the agent. */
  readonly message: string | undefined
  /** Whether the user or a failure ended the turn, so that nothing was finished. */
  readonly isBroken: boolean
}

/** The largest event that is read, in characters. */
const maxEventCharacters = 4_194_304

const text = v.optional(v.string())

/** Fields of Claude Code and Codex, and of Cursor, which has `conversation_id`. */
const eventSchema = v.object({
  session_id: text,
  conversation_id: text,
  cwd: text,
  workspace_roots: v.optional(v.array(v.string())),
  stop_hook_active: v.optional(v.boolean()),
  loop_count: v.optional(v.number()),
  last_assistant_message: v.nullish(v.string()),
  status: text,
})

/**
 * Reads the event on standard input.
 *
 * @param client who runs the hook, where the command line says so. Default: as the event looks
 * @throws `usage-invalid` for anything that is not an event
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
    isBroken: status === 'aborted' || status === 'error',
  }
}
