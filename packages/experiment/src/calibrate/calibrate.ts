import { flatten, type JsonObject, juryOf, majority, named } from '@jurist/core'
import { failureOf, isJury } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { summarize, summaryOf } from '../result/summarize.js'
import { resultWithItems } from '../result/trial-figures.js'
import { type EventLog, eventLog, now, type Tell } from '../run/events.js'
import { modelConditions } from '../run/models.js'
import { openedStore } from '../store/memory-store.js'
import { newRunId } from '../store/names.js'
import type { ResultStore, RunManifest, RunWriter } from '../store/store.js'
import { type CalibrateOptions, type CalibrateSettings, calibrateSettings } from './calibrate-options.js'
import type { CalibrationResult } from './calibration.js'
import { calibrationTrial } from './calibration-trial.js'
import { refuseWithoutLabels } from './check-labels.js'
import { type CalibrationHost, calibrationHost } from './host.js'
import { type LabelledItems, labelledItems } from './labelled-items.js'
import { exchangedContext, hasExchanged, isReplay } from './recorded.js'
import { calibrationOf } from './report/calibration-report.js'
import { scorerInfo } from './scorer.js'

/**
 * Measures how well a judge or a jury agrees with labels: the judge is under test. The run is stored with the kind
 * `judge`. When the signal fires, the report covers the trials judged by then, and the run is `interrupted`.
 *
 * @throws `option-invalid` naming everything that is wrong, also where no item has a label that can be used;
 * `name-invalid`, `dataset-invalid`, `store-failed`; never for what the candidate, `input`, `expected` or the scorer throw: those trials are unscored
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { calibrate } from '@jurist/experiment/calibrate'
 *
 * const strict = outputText({ equals: '4' })
 * const { agreementRate, report } = await calibrate({ name: 'strict', candidate: strict, items: 'labelled.jsonl' })
 * console.log(agreementRate, report.kappa.value, report.falsePassRate)
 */
export async function calibrate(options: CalibrateOptions): Promise<CalibrationResult> {
  return await calibrationRun(options)
}

/** `calibrate`, with more in the metadata of the run. */
export async function calibrationRun(options: CalibrateOptions, metadata: JsonObject = {}): Promise<CalibrationResult> {
  const given = calibrateSettings(options)
  const host = await calibrationHost()
  const labelled = await labelledItems(given, host)
  const settings = withExchanged(given, labelled.items)
  refuseWithoutLabels(settings, labelled.items)
  const log = eventLog()
  if (settings.onEvent !== undefined) log.listen(settings.onEvent)
  const { store, close } = openedStore(settings, host.fileStore)
  try {
    return calibrationOf(await judged(settings, labelled, { host, store, log, metadata }))
  } finally {
    await close()
    await log.end()
  }
}

/** A judge of recorded answers is also asked with two places exchanged, if the items have those answers. */
function withExchanged(settings: CalibrateSettings, items: LabelledItems['items']): CalibrateSettings {
  const isKept = settings.swap === undefined && isReplay(settings.candidate) && hasExchanged(items)
  return isKept ? { ...settings, swap: exchangedContext } : settings
}

interface Place {
  readonly host: CalibrationHost
  readonly store: ResultStore
  readonly log: EventLog
  /** Beside the names of the candidate and the scorer. */
  readonly metadata: JsonObject
}

async function judged(
  settings: CalibrateSettings,
  { items, version }: LabelledItems,
  { host, store, log, metadata }: Place,
): Promise<ExperimentResult> {
  const beganMs = performance.now()
  const manifest = await manifestOf(settings, version, host, metadata)
  const writer = await store.open({ ...manifest, itemOrder: items.map(({ id }) => id) })
  const tell: Tell = (event) => log.push({ at: now(), runId: writer.runId, ...event })
  const { signal = new AbortController().signal } = settings
  const trials = manifest.planned
  const { name: experimentName } = settings
  tell({ type: 'experiment-start', experimentName, kind: 'judge', variant: null, trials, resumed: 0 })
  try {
    await performTrials({ settings, items, writer, tell, signal })
    const stopReason = signal.aborted ? 'cancelled' : null
    const status = signal.aborted ? 'interrupted' : 'completed'
    const result = await writer.finish({ status, stopReason, durationMs: performance.now() - beganMs })
    const message = signal.aborted ? failureOf(signal.reason).message : ''
    const remaining = result.counts.notRun
    if (stopReason !== null) tell({ type: 'experiment-stop', reason: stopReason, message, remaining })
    tell({ type: 'experiment-end', status, summary: summaryOf(result) })
    return await resultWithItems(result)
  } catch (thrown) {
    // A failing store may fail again here: its first error is the one that counts.
    await writer.release().catch(() => undefined)
    tell({ type: 'experiment-end', status: 'failed', summary: summarize({ items: [], planned: trials }) })
    throw thrown
  }
}

async function manifestOf(
  settings: CalibrateSettings,
  version: LabelledItems['version'],
  host: CalibrationHost,
  metadata: JsonObject,
): Promise<RunManifest> {
  const { candidate, candidateName, scorer, judgeTimeoutMs, repetitions, name } = settings
  const jury = host.describeJury(isJury(candidate) ? candidate : juryOf(majority(), named(candidate, candidateName)))
  const { name: scorerName, options: scorerOptions } = scorerInfo(scorer)
  return {
    schemaVersion: 1,
    id: newRunId(),
    experimentName: name,
    kind: 'judge',
    variant: null,
    session: null,
    lineage: null,
    dataset: version,
    code: await host.code(),
    environment: host.environment,
    conditions: {
      dataset: version.hash,
      candidate: jury.fingerprint,
      scorer: { name: scorerName, ...scorerOptions },
      judgeTimeoutMs,
      ...modelConditions({ jury: candidate }),
    },
    configuration: configurationOf(settings),
    jury,
    knowledge: null,
    baseline: null,
    startedAt: new Date().toISOString(),
    planned: version.selectedItemCount * repetitions,
    metadata: { ...metadata, candidate: candidateName, scorer: scorerName },
  }
}

/** The options as data: functions by name, and the options from which a report can be made again. */
function configurationOf(settings: CalibrateSettings): JsonObject {
  const { candidate, candidateName, scorer, repetitions, concurrency, judgeTimeoutMs, swap } = settings
  const { ordinal = null, level = null, resamples = null, seed = null, altTest = null } = settings
  const { name, numeric, options } = scorerInfo(scorer)
  return {
    candidate: { name: candidateName, isJury: isJury(candidate) },
    scorer: { name, numeric: numeric === null ? null : { ...numeric }, options },
    ...{ repetitions, concurrency, judgeTimeoutMs, swap: swap !== undefined },
    ...{ ordinal, level, resamples, seed, altTest: altTest === null ? null : { ...altTest } },
  }
}

interface Performing {
  readonly settings: CalibrateSettings
  readonly items: readonly DatasetItem[]
  readonly writer: RunWriter
  readonly tell: Tell
  readonly signal: AbortSignal
}

/**
 * Shows every item to the candidate, `concurrency` concurrently; each result is stored before its event. Ends early when the
 * signal fires; rejects when the store does.
 */
async function performTrials(performing: Performing): Promise<void> {
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
        // If one worker cannot store, the others stop, since their judgments could not be stored either.
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
