import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { atifOf } from '../export/atif.js'
import type { Results } from './results-store.js'
import { recordedEvents } from './trial-journal.js'

/** Each trial as a trajectory, one a line. */
export async function* trajectoryLines(
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
): AsyncGenerator<string, void> {
  for await (const read of runs) {
    const run = await resultWithItems(read)
    for (const item of run.items) {
      yield `${JSON.stringify(atifOf(run, item, await recordedEvents(results, run, item)))}\n`
    }
  }
}
