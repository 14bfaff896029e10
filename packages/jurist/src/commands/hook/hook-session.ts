import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Judge, Jury } from '@jurist/core'
import { completed, type Provision, runExperiment } from '@jurist/experiment'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import * as v from 'valibot'
import type { Client, Decision, Moment } from './clients.js'

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

const pin = v.object({
  /** The judged directory. */
  project: v.string(),
  /** The user's config. */
  original: v.string(),
  /** The config that judges. */
  file: v.string(),
  /** The copy that contains it; `null` if the config is outside the project. */
  tree: v.nullable(v.string()),
  /** The state of the project in that copy. */
  before: v.nullable(v.string()),
  /** The commit of the copy; `null` for the uncommitted state of the files. */
  commit: v.nullable(v.string()),
  pinnedAt: v.string(),
  /** Whether the session had already begun. */
  isLate: v.boolean(),
})

const sessionSchema = v.object({
  /** The agent's id of the session. */
  session: v.string(),
  /** The run with its judgments. */
  runId: v.string(),
  /** The directory in which the session began. */
  directory: v.string(),
  /** `null` if there was no config when the session began. */
  pin: v.nullable(pin),
  /** The number of times in a row that the agent was not allowed to stop. */
  blocks: v.number(),
})

/** The config that judges a session, copied to a place outside the agent's work. */
export type Pin = v.InferOutput<typeof pin>

export type HookSession = v.InferOutput<typeof sessionSchema>

/** The directory for sessions and pinned configs, outside every project. */
export function hooksDirectory(): string {
  return join(homedir(), '.jurist', 'hooks')
}

/** The directory for compiled configs: each judgment of a session is a separate process. */
export function compiledDirectory(): string {
  return join(hooksDirectory(), 'compiled')
}

/** Returns a short hash for the name of a file. */
export function shortName(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function fileOf({ client, session }: Pick<HookEvent, 'client' | 'session'>): string {
  return join(hooksDirectory(), 'sessions', `${shortName(client, session)}.json`)
}

/** Returns the session of an event; `undefined` if it is unknown. */
export async function readSession(event: Pick<HookEvent, 'client' | 'session'>): Promise<HookSession | undefined> {
  const text = await readFile(fileOf(event), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })
  if (text === undefined) return undefined
  const read = v.safeParse(sessionSchema, parseObject(text))
  return read.success ? read.output : undefined
}

export async function keepSession(event: Pick<HookEvent, 'client' | 'session'>, session: HookSession): Promise<void> {
  await keepRecord(fileOf(event), session)
}

/** Writes a JSON file that only this user can read. Readers see either the old or the new content. */
export async function keepRecord(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(next, file)
}

const keptMs = 30 * 24 * 3_600_000

/** Deletes the files of sessions that were not continued for 30 days. */
export async function sweepSessions(): Promise<void> {
  for (const part of ['sessions', 'trees', 'compiled']) {
    const directory = join(hooksDirectory(), part)
    const names = await readdir(directory).catch(() => [])
    for (const name of names) {
      const found = await stat(join(directory, name)).catch(() => undefined)
      if (found !== undefined && Date.now() - found.mtimeMs > keptMs)
        await rm(join(directory, name), { recursive: true, force: true })
    }
  }
}

/** The subject and the settings of a judgment in a session. */
interface Judging {
  readonly moment: Exclude<Moment, 'start'>
  readonly event: HookEvent
  readonly pin: Pin
  readonly name: string
  readonly jury: Jury | Judge
  /** The task, for judges that read it. */
  readonly goal: string | undefined
  readonly timeoutMs: number
  /** Whether judges work in the directory itself. */
  readonly inPlace: boolean
  readonly signal: AbortSignal
}

/** Judges the directory of a session: a run with one trial, which is not yet stored. */
export async function judgeSession(judging: Judging): Promise<ExperimentResult> {
  const { moment, event, pin, name, jury, goal, timeoutMs, signal } = judging
  const { client, message } = event
  const run = runExperiment(
    {
      name: 'hook',
      dataset: [{ id: moment, task: goal ?? 'The request of the user, which is not recorded.' }],
      // The agent has already worked. Its output is the directory and its last message.
      agent: () => completed(message ?? ''),
      jury,
      provision: directoryOf(judging),
      judgeTimeoutMs: timeoutMs,
      retries: { attempts: 1 },
      journal: false,
      preserveWorkspaces: 'none',
      projectDirectory: pin.project,
      metadata: { session: event.session, client, jury: name, pinnedCommit: pin.commit, pinnedLate: pin.isLate },
    },
    { kind: 'hook', signal },
  )
  return run.result
}

/**
 * Provides the directory itself, since a session is judged in place. A judge that runs commands gets a copy, unless
 * `inPlace` is set.
 */
function directoryOf({ pin, inPlace }: Judging): Provision {
  return async () => {
    const workspace = localWorkspace(pin.project, inPlace ? { judges: 'in-place' } : {})
    return {
      workspace,
      before: pin.before === null ? null : readOnly(localWorkspace(pin.before)),
      reference: null,
      origin: { kind: 'session' },
      keepAt: async () => undefined,
      [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
    }
  }
}

/**
 * Adds a judgment as a trial to the run of its session. The failing trials of the item `stop` count how many times the
 * agent finished too early.
 *
 * @throws `store-failed`, `run-locked`
 */
export async function keepJudgment(
  store: ResultStore,
  { runId }: HookSession,
  result: ExperimentResult,
  { kind }: Decision,
): Promise<void> {
  const earlier = await store.load(runId)
  const items = earlier?.items ?? []
  const added = result.items.map((item): ItemResult => {
    const repetition = items.filter(({ itemId }) => itemId === item.itemId).length + 1
    return { ...item, repetition, metadata: { ...item.metadata, decision: kind } }
  })
  const all = [...items, ...added]
  const { startedAt = result.startedAt } = earlier ?? {}
  const durationMs = Date.parse(result.endedAt ?? result.startedAt) - Date.parse(startedAt)
  await store.save({ ...result, id: runId, startedAt, durationMs, planned: all.length, items: all })
}
