import { JuristError } from '@jurist/core'
import type { Documents } from './documents.js'
import { runUnknown } from './refusals.js'
import { checkSafeName } from './safe-name.js'
import type { RunSession, SessionStore, VariantEntry } from './sessions.js'

/** The sessions over any kind of documents. */
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
