import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Judge, Jury } from '@jurist/core'
import { completed, type Provision, runExperiment } from '@jurist/experiment'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { parseObject } from '@jurist/kit/json'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import * as v from 'valibot'
import type { Decision, Moment } from './clients.js'
import type { HookEvent } from './hook-event.js'

const pin = v.object({
  /** The judged directory. */
  project: v.string(),
  /** The config as the user has it. */
  original: v.string(),
  /** The config that judges. */
  file: v.string(),
  /** The copy that it is in; `null`: the config is outside the project. */
  tree: v.nullable(v.string()),
  /** What the project was in that copy. */
  before: v.nullable(v.string()),
  /** The commit of the copy; `null`: the files as they were. */
  commit: v.nullable(v.string()),
  pinnedAt: v.string(),
  /** Whether the session had begun before. */
  isLate: v.boolean(),
})

const sessionSchema = v.object({
  /** The agent's name of the session. */
  session: v.string(),
  /** The run that has its judgments. */
  runId: v.string(),
  /** Where it began. */
  directory: v.string(),
  /** `null`: there was no config when the session began. */
  pin: v.nullable(pin),
  /** How often the agent was stopped from stopping, since it last began by itself. */
  blocks: v.number(),
})

/** Which config judges a session, copied to where the agent does not work. */
export type Pin = v.InferOutput<typeof pin>

/** What is known of the session of a coding agent. */
export type HookSession = v.InferOutput<typeof sessionSchema>

/** Where the sessions and the pinned configs are: outside of every project. */
export function hooksDirectory(): string {
  return join(homedir(), '.jurist', 'hooks')
}

/** Where compiled configs are: each judgment of a session is a separate process. */
export function compiledDirectory(): string {
  return join(hooksDirectory(), 'compiled')
}

/** A short name of something, for a file. */
export function shortName(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

function fileOf({ client, session }: Pick<HookEvent, 'client' | 'session'>): string {
  return join(hooksDirectory(), 'sessions', `${shortName(client, session)}.json`)
}

/** The session of an event; `undefined` when nothing is known of it. */
export async function readSession(event: Pick<HookEvent, 'client' | 'session'>): Promise<HookSession | undefined> {
  const text = await readFile(fileOf(event), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })
  if (text === undefined) return undefined
  const read = v.safeParse(sessionSchema, parseObject(text))
  return read.success ? read.output : undefined
}

/** Keeps a session. */
export async function keepSession(event: Pick<HookEvent, 'client' | 'session'>, session: HookSession): Promise<void> {
  await keepRecord(fileOf(event), session)
}

/** Writes a file of JSON for this user alone. A reader sees the old or the new one. */
export async function keepRecord(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  await rename(next, file)
}

const keptMs = 30 * 24 * 3_600_000

/** Deletes what sessions left that were not continued for 30 days. */
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

/** What is judged at a moment of a session. */
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

/** The jury's word on the directory of a session: a run with one trial, which no store has yet. */
export async function judgeSession(judging: Judging): Promise<ExperimentResult> {
  const { moment, event, pin, name, jury, goal, timeoutMs, signal } = judging
  const { client, message } = event
  const run = runExperiment(
    {
      name: 'hook',
      dataset: [{ id: moment, task: goal ?? 'The request of the user, which is not recorded.' }],
      // The agent has worked already: what it leaves is the directory and its last message.
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

/** The directory itself: a session is judged where it is. A judge that runs commands gets a copy, unless `inPlace` is set. */
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
 * Adds a judgment to the run of its session. Each is a trial: how many of the item `stop` fail says how often the agent was
 * done too early.
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
