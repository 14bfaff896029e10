import { type JsonObject, JuristError } from '@jurist/core'
import type { RunStatus } from '../result/records.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { RunSession, VariantEntry } from '../store/sessions.js'
import type { ResultStore } from '../store/store.js'

/** The name of a session that is given none: the instant, in UTC. */
export function sessionName(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`
}

/** The record of a session that begins. */
export async function createSession(
  { sessions }: ResultStore,
  experimentName: string,
  wanted: string,
  { session, metadata }: { readonly session: string | undefined; readonly metadata: JsonObject },
): Promise<RunSession> {
  return session === undefined
    ? await createNumbered(sessions, experimentName, wanted, metadata)
    : await sessions.create({ session: wanted, experimentName, metadata })
}

/** Two sessions that nobody named may begin within one second: the later ones are `…-2`, `…-3`. */
async function createNumbered(
  sessions: ResultStore['sessions'],
  experimentName: string,
  wanted: string,
  metadata: JsonObject,
): Promise<RunSession> {
  for (let number = 1; ; number++) {
    const session = number === 1 ? wanted : `${wanted}-${number}`
    try {
      return await sessions.create({ session, experimentName, metadata })
    } catch (error) {
      if (!(error instanceof JuristError && error.code === 'name-duplicate')) throw error
    }
  }
}

/** The session that goes on: by its name, else the newest one that is not over. */
export async function knownSession(
  { sessions }: ResultStore,
  experimentName: string,
  session: string | undefined,
): Promise<RunSession | undefined> {
  if (session !== undefined) return sessions.load(experimentName, session)
  const newest = await sessions.mostRecent(experimentName)
  return newest?.status === 'running' ? newest : undefined
}

/** The entry of a variant whose run has ended. */
export function endedEntry(variant: string, result: RunOverview): VariantEntry {
  const { id, status, passRate, costUsd, durationMs, counts } = result
  return { variant, runId: id, status, passRate, trials: counts.run, costUsd, durationMs }
}

/** The entry of a variant whose run has begun, or of which nothing else is known. */
export function bareEntry(variant: string, runId: string, status: RunStatus): VariantEntry {
  return { variant, runId, status, passRate: null, trials: 0, costUsd: null, durationMs: 0 }
}
