import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { evalLog, evalSample } from '../export/inspect/eval-log.js'
import type { Results } from './results-store.js'
import { recordedEvents } from './trial-journal.js'

/** A run as a log of Inspect in JSON. A log holds one evaluation, so one run. */
export async function* inspectLog(
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
): AsyncGenerator<string, void> {
  const reading = runs[Symbol.asyncIterator]()
  const { value: first } = await reading.next()
  const { value: second } = await reading.next()
  if (first === undefined) return
  if (second !== undefined)
    throw usageInvalid('run', `A log of Inspect holds one run, and there are ${first.id} and ${second.id}. Name one.`)
  const run = await resultWithItems(first)
  yield `${JSON.stringify(evalLog(run)).slice(0, -1)},"samples":[`
  for (const [at, item] of run.items.entries()) {
    const events = await recordedEvents(results, run, item)
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(evalSample(item, events))}`
  }
  yield '\n]}\n'
}
