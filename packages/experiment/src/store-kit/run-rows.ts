import { checkRunId, checkSafeName } from '../store/names.js'
import { endedHead, entryOf, manifestOf, runningHead } from '../store/run-head.js'
import type { RunEnd, RunManifest } from '../store/store.js'
import { runHeadFromJson } from '../store/stored-record.js'
import { headIn, overviewFrom } from './read-runs.js'
import type { HeadRow, NewRun, StoreBackend } from './store-backend.js'
import { placeOf } from './trial-rows.js'

/**
 * The row of a run that begins, or continues.
 *
 * @throws `run-unknown`, `name-invalid` for names that are not valid
 */
export function runningRow(manifest: RunManifest): NewRun {
  const head = runningHead(checkedNames(manifest))
  return { id: head.id, experimentName: head.experimentName, head: JSON.stringify(head), entry: null }
}

/**
 * What is known of a run since it began.
 *
 * @throws `record-invalid` for a damaged head
 */
export function manifestIn(id: string, head: string): RunManifest {
  return manifestOf(runHeadFromJson(head, placeOf(id)))
}

/** The row of a run that ends, from what is stored of it; `undefined` when it is unknown. */
export async function endedRow(
  backend: StoreBackend,
  id: string,
  { endedAt, ...end }: RunEnd & { readonly endedAt: string },
): Promise<HeadRow | undefined> {
  const run = await backend.read(id, 'figures')
  if (run === undefined) return undefined
  const head = { ...endedHead(headIn(id, run), end), endedAt }
  const { trials } = await overviewFrom(backend, head, { ...run, held: false })
  return { head: JSON.stringify(head), entry: JSON.stringify(entryOf(head, trials, null)) }
}

/** The run, when it can have a row. */
export function checkedNames<Run extends Pick<RunManifest, 'id' | 'experimentName'>>(run: Run): Run {
  checkRunId(run.id)
  checkSafeName(run.experimentName, 'an experiment')
  return run
}
