import type { ResultStore, RunLines, StoredRunName } from './store.js'

/** The stores of runs that are judged now and keep their labels themselves, by the id of the run; the last one counts. */
const offered = new Map<string, readonly RunLines[]>()

/**
 * Lets judges read the labels of a run from its store while `action` runs. A judge has a context and no store, and labels of a
 * store of files are found without one.
 */
export async function offeringLabels<Value>(
  runId: string,
  { labels }: Pick<ResultStore, 'labels'>,
  action: () => Promise<Value>,
): Promise<Value> {
  if (labels === undefined) return await action()
  offered.set(runId, [...(offered.get(runId) ?? []), labels])
  try {
    return await action()
  } finally {
    const others = (offered.get(runId) ?? []).toSpliced((offered.get(runId) ?? []).lastIndexOf(labels), 1)
    if (others.length > 0) offered.set(runId, others)
    else offered.delete(runId)
  }
}

/** The lines of labels of a run in the store that offers them; `''` where none does. */
export async function offeredLabels(run: StoredRunName): Promise<string> {
  return (await offered.get(run.id)?.at(-1)?.read(run)) ?? ''
}
