import type { ResultStore, RunEntry, RunSession } from '@jurist/experiment/store'

/** A session, and the experiment that it belongs to. */
export type SessionName = Pick<RunSession, 'experimentName' | 'session'>

/**
 * Removes the sessions of experiments of which no run is left, also those that an earlier removal has left. A session that is
 * running stays, because its process may be about to begin a run, unless one of the removed runs was an interrupted one of it.
 *
 * @param removed the runs that were removed just now
 */
export async function removeEmptySessions(
  store: ResultStore,
  experiments: ReadonlySet<string>,
  removed: readonly RunEntry[],
): Promise<readonly SessionName[]> {
  const { sessions } = store
  if (sessions.remove === undefined) return []
  const gone: SessionName[] = []
  for (const experimentName of experiments) {
    const interrupted = removed.filter((run) => run.experimentName === experimentName && run.status === 'interrupted')
    const ended = new Set(interrupted.map(({ session }) => session))
    const found = (await sessions.list(experimentName)).filter(
      ({ session, status, variants }) => variants.length > 0 && (status !== 'running' || ended.has(session)),
    )
    if (found.length === 0) continue
    const [ids, used] = await runsOf(store, experimentName)
    for (const { session, variants } of found) {
      if (used.has(session) || variants.some(({ runId }) => ids.has(runId))) continue
      if (await sessions.remove(experimentName, session)) gone.push({ experimentName, session })
    }
  }
  return gone
}

/** The ids of the runs of an experiment, and their sessions. */
async function runsOf(store: ResultStore, experimentName: string) {
  const [ids, used] = [new Set<string>(), new Set<string>()]
  for await (const { id, session } of store.list({ experimentName, includeExcluded: true })) {
    ids.add(id)
    if (session !== null) used.add(session)
  }
  return [ids, used] as const
}
