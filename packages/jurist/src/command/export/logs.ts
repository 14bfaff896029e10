import { resultWithItems } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../../config/problems.js'
import { atifOf } from '../../export/atif.js'
import { evalLog, evalSample } from '../../export/inspect.js'
import type { Results } from '../results-store.js'
import { recordedEvents } from '../trial-evidence.js'

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
