import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalEvent } from '@jurist/core'
import { readJournal } from '@jurist/experiment/journal'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { inside } from './inside.js'
import type { Places } from './sides.js'

/** A larger journal is not read. */
export const maxJournalBytes: number = 32 * 1024 * 1024
const mostEvents = 3_000

/** What an agent told while it worked. */
export type JournalDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | {
      readonly state: 'read'
      readonly events: readonly JournalEvent[]
      /** Events of the journal, of which `events` are the first. */
      readonly total: number
      /** Lines that could not be read. */
      readonly dropped: number
    }

/** The journal of a trial. */
export async function journalDocument(
  places: Places,
  run: ExperimentResult,
  item: ItemResult,
): Promise<JournalDocument> {
  const file = await journalFile(places, run, item)
  if (file === undefined)
    return { state: 'unknown', reason: 'There is no journal: the agent told nothing, or it was not kept.' }
  const { size } = await stat(file)
  if (size > maxJournalBytes) return { state: 'unknown', reason: `The journal is too large: ${size} bytes.` }
  const { events, dropped } = await readJournal(file)
  return { state: 'read', events: events.slice(0, mostEvents), total: events.length, dropped }
}

/** Where the journal of a trial is; `undefined` when there is none. */
export async function journalFile(
  { directory }: Places,
  run: ExperimentResult,
  { journalPath }: ItemResult,
): Promise<string | undefined> {
  if (directory === undefined || journalPath === null) return undefined
  return inside([directory], join(directory, run.experimentName, run.id), journalPath)
}
