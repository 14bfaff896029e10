import { type JournalEvent, JuristError } from '@jurist/core'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import { isJournalEvent, journalLines } from './journal-events.js'

/**
 * Reads the journal of a trial: its events in order. Damaged lines and events of unknown types are left out and counted
 * in `dropped`; the header is neither.
 *
 * @throws `not-found` when the file does not exist
 *
 * @example
 * import { readJournal } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal('results/add-readme/20261121T091500123Z-4kq7rm/journal/one--1.jsonl')
 */
export async function readJournal(
  path: string,
): Promise<{ readonly events: readonly JournalEvent[]; readonly dropped: number }> {
  const text = await regularFileText(path).catch((cause: unknown) => {
    const problem = isRefusedFile(cause) ? `cannot be read: ${cause.message}` : 'does not exist'
    throw new JuristError('not-found', `${path} ${problem}. Pass a file below journal/ of a run.`, { path }, { cause })
  })
  const { records } = journalLines(text)
  const events = records.filter(isJournalEvent)
  return { events, dropped: records.length - events.length }
}
