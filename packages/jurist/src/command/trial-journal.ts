import { join } from 'node:path'
import type { JournalEvent } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { journalLines } from '@jurist/experiment/internal/journal'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'
import { localWorkspace } from '@jurist/workspace'
import { journalReport } from '../terminal/journal-report.js'
import type { Terminal } from '../terminal/terminal.js'
import type { Results } from './results-store.js'

const maxBytes = 256 * 1024 * 1024

/** The text of a trial's journal, or the reason why it cannot be shown. Records are untrusted: a path that leads out of the run is refused. */
async function journalText(
  results: Results,
  run: RunResult,
  trial: ItemResult,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const { journalPath } = trial
  const directory = await results.filesOf(run, [trial])
  if (directory === undefined || journalPath === null) return { reason: 'No journal was kept.' }
  try {
    const workspace = localWorkspace(join(directory, run.experimentName, run.id))
    return { text: await workspace.read(journalPath, { maxBytes }) }
  } catch (thrown) {
    return { reason: `The journal cannot be read: ${safeLine(failureOf(thrown).message)}` }
  }
}

/** The journal of a trial, as a person reads it. */
export async function shownJournal(results: Results, run: RunResult, trial: ItemResult, terminal: Terminal) {
  const journal = await journalText(results, run, trial)
  return 'text' in journal ? journalReport(journal.text, terminal) : `  ${journal.reason}`
}

/** The journal of a trial as a document: every record as it was stored, `null` for a damaged line. */
export async function journalDocument(results: Results, run: RunResult, trial: ItemResult) {
  const { itemId, repetition } = trial
  const journal = await journalText(results, run, trial)
  if (!('text' in journal)) return { itemId, repetition, events: null, reason: journal.reason }
  return { itemId, repetition, events: journalLines(journal.text).records.map((record) => record ?? null) }
}

/** What a trial recorded, damaged lines left out; nothing where no journal can be read. */
export async function recordedEvents(
  results: Results,
  run: RunResult,
  trial: ItemResult,
): Promise<readonly JournalEvent[]> {
  const { events } = await journalDocument(results, run, trial)
  return (events ?? []).filter(isEvent)
}

function isEvent(value: unknown): value is JournalEvent {
  return isPlainObject(value) && typeof value['type'] === 'string'
}
