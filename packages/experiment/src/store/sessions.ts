import { type JsonObject, JuristError } from '@jurist/core'
import type { RunStatus } from '../result/records.js'
import type { Documents } from './documents.js'
import { checkSafeName, runUnknown } from './names.js'

/** One variant of a session, and the run that measured it. */
export interface VariantEntry {
  readonly variant: string
  readonly runId: string
  readonly status: RunStatus
  readonly passRate: number | null
  readonly trials: number
  readonly costUsd: number | null
  readonly durationMs: number
}

/** One pass over the variants of an experiment. */
export interface RunSession {
  readonly session: string
  readonly experimentName: string
  readonly createdAt: string
  readonly endedAt: string | null
  readonly status: 'running' | 'completed' | 'failed'
  /** In the order in which variants were first put. */
  readonly variants: readonly VariantEntry[]
  readonly metadata: JsonObject
}

/** The sessions of a store. Unknown sessions: `run-unknown`; names that cannot be one: `name-invalid`. */
export interface SessionStore {
  /** @throws `name-duplicate` when the experiment has such a session */
  create(session: {
    readonly session: string
    readonly experimentName: string
    readonly metadata?: JsonObject
  }): Promise<RunSession>
  /** Adds the entry of a variant, or replaces it where it is. */
  put(experimentName: string, session: string, entry: VariantEntry): Promise<RunSession>
  finish(experimentName: string, session: string, status: 'completed' | 'failed'): Promise<RunSession>
  /** Replaces the metadata. A store that cannot do this has no such function. */
  describe?(experimentName: string, session: string, metadata: JsonObject): Promise<RunSession>
  /** Removes a session, and none of its runs; `false` when unknown. A store that cannot do this has no such function. */
  remove?(experimentName: string, session: string): Promise<boolean>
  load(experimentName: string, session: string): Promise<RunSession | undefined>
  /** Oldest first. */
  list(experimentName: string): Promise<readonly RunSession[]>
  mostRecent(experimentName: string): Promise<RunSession | undefined>
}

export function sessionStore(documents: Documents<RunSession>): SessionStore {
  async function load(experimentName: string, session: string): Promise<RunSession | undefined> {
    return await documents.read(...checkedNames(experimentName, session))
  }

  async function change(experimentName: string, session: string, next: (current: RunSession) => RunSession) {
    const names = checkedNames(experimentName, session)
    return await documents.change(...names, (current) => next(current ?? runUnknown(session, 'session')))
  }

  async function list(experimentName: string): Promise<readonly RunSession[]> {
    const sessions = await documents.all(checkSafeName(experimentName, 'an experiment'))
    return [...sessions].sort(byCreation)
  }

  return {
    load,
    list,
    async create({ session, experimentName, metadata = {} }) {
      const names = checkedNames(experimentName, session)
      const createdAt = new Date().toISOString()
      return await documents.change(...names, (current) => {
        if (current !== undefined) nameTaken('session', session)
        return { session, experimentName, createdAt, endedAt: null, status: 'running', variants: [], metadata }
      })
    },
    async put(experimentName, session, entry) {
      return await change(experimentName, session, (current) => ({
        ...current,
        variants: withEntry(current.variants, entry),
      }))
    },
    async finish(experimentName, session, status) {
      const endedAt = new Date().toISOString()
      return await change(experimentName, session, (current) => ({ ...current, status, endedAt }))
    },
    async describe(experimentName, session, metadata) {
      return await change(experimentName, session, (current) => ({ ...current, metadata }))
    },
    async remove(experimentName, session) {
      return await documents.remove(...checkedNames(experimentName, session))
    },
    async mostRecent(experimentName) {
      return (await list(experimentName)).at(-1)
    },
  }
}

function checkedNames(experimentName: string, session: string): [string, string] {
  return [checkSafeName(experimentName, 'an experiment'), checkSafeName(session, 'a session')]
}

function withEntry(variants: readonly VariantEntry[], entry: VariantEntry): readonly VariantEntry[] {
  const index = variants.findIndex(({ variant }) => variant === entry.variant)
  return index < 0 ? [...variants, entry] : variants.with(index, entry)
}

function byCreation(a: RunSession, b: RunSession): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.session < b.session ? -1 : 1)
}

/** Refuses a name that is in use: throws `name-duplicate`. */
export function nameTaken(what: 'session' | 'sweep', name: string): never {
  throw new JuristError('name-duplicate', `There is a ${what} "${name}" already. Choose another name.`, { name })
}
