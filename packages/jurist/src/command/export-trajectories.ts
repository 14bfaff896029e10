import type { JournalEvent } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { atifOf } from '../export/atif.js'
import type { Results } from './results-store.js'
import { journalDocument } from './trial-journal.js'

/** Each trial as a trajectory, one a line. */
export async function* trajectoryLines(
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
): AsyncGenerator<string, void> {
  for await (const read of runs) {
    const run = await resultWithItems(read)
    for (const item of run.items) {
      const { events } = await journalDocument(results, run, item)
      yield `${JSON.stringify(atifOf(run, item, (events ?? []).filter(isEvent)))}\n`
    }
  }
}

/** A damaged line is left out. */
function isEvent(value: unknown): value is JournalEvent {
  return isPlainObject(value) && typeof value['type'] === 'string'
}
