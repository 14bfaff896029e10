import type { StopReason } from '../result/records.js'
import { summarize, summaryOf } from '../result/summarize.js'
import type { RunOverview, SummarizedTrial } from '../result/trial-figures.js'
import type { RunEnd, RunWriter } from '../store/store.js'
import type { Cancellation } from './cancellation.js'
import type { Tell } from './event-log.js'

/** A run whose trials have all ended. */
export interface Ending {
  readonly writer: RunWriter
  readonly cancellation: Cancellation
  readonly tell: Tell
  /** The figures of every trial of the run that has ended. */
  readonly finished: readonly SummarizedTrial[]
  /** What made the run fail. */
  readonly failure: { readonly thrown: unknown } | null
  readonly trials: number
  readonly durationMs: number
}

/** Stores the end of a run and emits its last event. Rejects with the error that made the run fail; its trials are stored. */
export async function endRun(ending: Ending): Promise<RunOverview> {
  const { writer, cancellation, tell, failure, durationMs } = ending
  if (failure !== null) return failRun(ending, failure.thrown)
  const { reason } = cancellation
  try {
    const result = await writer.finish({ status: statusOf(reason), stopReason: reason, durationMs })
    tell({ type: 'experiment-end', status: result.status, summary: summaryOf(result) })
    return result
  } catch (thrown) {
    return failRun(ending, thrown)
  }
}

/** The status of a run that ends, by why it was stopped. */
export function statusOf(reason: StopReason | null): RunEnd['status'] {
  switch (reason) {
    case null:
      return 'completed'
    case 'cancelled':
      return 'interrupted'
    case 'bail':
    case 'infrastructure':
    case 'budget':
    case 'experiment-timeout':
      return 'stopped'
    default:
      return reason satisfies never
  }
}

async function failRun({ writer, tell, finished, trials, durationMs }: Ending, thrown: unknown): Promise<never> {
  // A store that fails may fail here as well: the first error counts.
  const written = writer.finish({ status: 'failed', stopReason: null, durationMs })
  await written.catch(() => writer.release()).catch(() => undefined)
  tell({ type: 'experiment-end', status: 'failed', summary: summarize({ items: finished, planned: trials }) })
  throw thrown
}
