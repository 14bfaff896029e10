import type { ExperimentResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { revisionOf } from './revision.js'
import type { Shelf } from './shelf.js'

/** A run without its trials. */
export interface RunDocument {
  readonly revision: string
  readonly run: Omit<ExperimentResult, 'items'>
  readonly scoreKeys: readonly string[]
  /** The runs of the same session, this one among them, oldest first; only this one without a session. */
  readonly variants: readonly RunEntry[]
}

/** Everything about a run but its trials. */
export async function runDocument(result: ExperimentResult, shelf: Shelf): Promise<RunDocument> {
  const { items: _, ...run } = result
  const entries = await shelf.entries()
  const siblings = entries.filter(
    ({ id, session, experimentName }) =>
      id === run.id || (session !== null && session === run.session && experimentName === run.experimentName),
  )
  return { revision: revisionOf(result), run, scoreKeys: Object.keys(run.scores), variants: siblings.toReversed() }
}
