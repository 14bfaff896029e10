import { flatten } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { ItemResult } from '../result/records.js'
import type { Tell } from '../run/event-log.js'
import type { RunWriter } from '../store/store.js'
import type { CalibrateSettings } from './calibrate-options.js'
import { calibrationTrial } from './calibration-trial.js'

/** What the trials of a calibration have in common. */
export interface Performing {
  readonly settings: CalibrateSettings
  readonly items: readonly DatasetItem[]
  readonly writer: RunWriter
  readonly tell: Tell
  readonly signal: AbortSignal
}

/**
 * Puts every item before the candidate, `concurrency` at once, each result durable before it is told. Ends early when the
 * signal fires; rejects when the store does.
 */
export async function performTrials(performing: Performing): Promise<void> {
  const { settings, items, signal } = performing
  const trials = trialsOf(items, settings.repetitions)
  const total = items.length * settings.repetitions
  const stopped = new AbortController()
  let done = 0

  async function work(): Promise<void> {
    for (const [item, repetition] of trials) {
      if (signal.aborted || stopped.signal.aborted) return
      const result = await performTrial(performing, item, repetition)
      if (result === null) return
      done += 1
      performing.tell({ type: 'item-end', itemId: item.id, repetition, result, done, trials: total })
    }
  }

  const workers = Array.from({ length: Math.min(settings.concurrency, total) }, work)
  const ended = await Promise.allSettled(
    workers.map((worker) =>
      worker.catch((thrown: unknown) => {
        // One worker that cannot store stops the others before they judge what could not be stored either.
        stopped.abort(failureOf(thrown).message)
        throw thrown
      }),
    ),
  )
  const broken = ended.find((end) => end.status === 'rejected')
  if (broken !== undefined) throw broken.reason
}

function* trialsOf(
  items: readonly DatasetItem[],
  repetitions: number,
): Generator<readonly [DatasetItem, number], void> {
  for (const item of items)
    for (let repetition = 1; repetition <= repetitions; repetition += 1) yield [item, repetition]
}

/** `null`: the run was stopped before the trial had ended. */
async function performTrial(
  { settings, writer, tell, signal }: Performing,
  item: DatasetItem,
  repetition: number,
): Promise<ItemResult | null> {
  const place = { itemId: item.id, repetition }
  tell({ type: 'item-start', ...place, attempt: 1 })
  tell({ type: 'item-phase', ...place, phase: 'jury' })
  const result = await calibrationTrial(settings, item, repetition, signal)
  if (signal.aborted && result.failure?.code === 'aborted') return null
  for (const { path, judgment } of result.verdict === null ? [] : flatten(result.verdict))
    tell({ type: 'judgment', ...place, path, judgment })
  tell({ type: 'item-phase', ...place, phase: 'store' })
  await writer.append(result)
  return result
}
