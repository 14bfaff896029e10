import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseObject } from '@jurist/kit/json'
import * as v from 'valibot'
import type { HookEvent } from './hook-event.js'

const pin = v.object({
  /** The judged directory. */
  project: v.string(),
  /** The config as the user has it. */
  original: v.string(),
  /** The config that judges. */
  file: v.string(),
  /** The copy that it is in; `null`: the config lies outside of the project. */
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

/** Where compiled configs are: each judgment of a session is a process of its own. */
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

/** Keeps a session. A reader sees the old or the new one. */
export async function keepSession(event: Pick<HookEvent, 'client' | 'session'>, session: HookSession): Promise<void> {
  const file = fileOf(event)
  await mkdir(join(hooksDirectory(), 'sessions'), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 })
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
