import { dirname, isAbsolute, posix } from 'node:path'
import { type JsonObject, type Judge, JuristError, type Jury } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult, JuryDescription } from '../result/records.js'
import type { RunOverview } from '../result/trial-figures.js'
import { hostEnvironment, storeOf } from '../run/check-run.js'
import { classifier, recordingOf } from '../run/failures.js'
import { modelConditions, refuseMissingKeys } from '../run/models.js'
import { openTrials, type RunPlace, runTrials } from '../run/open-run.js'
import { notifying } from '../run/run-context.js'
import { type ExperimentRun, startedRun } from '../run/run-experiment.js'
import { juryOfOne } from '../run/settings.js'
import { memoryStore } from '../store/memory-store.js'
import { newRunId } from '../store/names.js'
import { offeringLabels } from '../store/offered-labels.js'
import type { ResultStore, RunManifest, RunWriter } from '../store/store.js'
import { rejudgeJuries } from './rejudge-juries.js'
import { type RejudgeOptions, rejudgeRules } from './rejudge-options.js'
import { type Rejudging, rejudgeTrial } from './rejudge-trial.js'
import { storedContext } from './stored-context.js'

/**
 * Judges the trials of a stored run again, with another jury or only some tiers, without calling the agent. The stored run is
 * never changed: a new one of kind `rejudge` names the run it comes from. A trial that cannot be judged again (its workspace was
 * not kept, say) is skipped with a reason and does not count in the new pass rate. Starts immediately.
 *
 * @param run a result, or the id of one in `store`
 * @returns the new run: its events by iterating, its `result`, and `cancel`
 * @throws (through `result`) `option-invalid`, `run-unknown`, `tier-unknown`, `store-failed`; never for what a judge does
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { rejudge } from '@jurist/experiment/rejudge'
 *
 * const { result } = rejudge('20261121T091500123Z-4kq7rm', outputText({ equals: '4' }), { store: 'results' })
 * const { passRate } = await result
 */
export function rejudge(
  run: ExperimentResult | string,
  jury: Jury | Judge,
  options: RejudgeOptions = {},
): ExperimentRun {
  const runId = newRunId()
  return startedRun({ id: runId }, options, (place) => execute(run, jury, options, { ...place, runId }))
}

async function execute(
  wanted: ExperimentResult | string,
  jury: Jury | Judge,
  given: RejudgeOptions,
  place: RejudgePlace,
): Promise<RunOverview> {
  const options = checkOptions('rejudge', given, rejudgeRules)
  if (typeof jury !== 'function')
    throw new JuristError('judge-invalid', 'rejudge: give a jury or a judge, a function of a context.', {
      name: 'jury',
    })
  const { store, close } = storeOf(options)
  const resultsDirectory = typeof options.store === 'string' ? options.store : undefined
  try {
    const run = await sourceRun(wanted, store)
    const open = { ...options, store, resultsDirectory }
    return await offeringLabels(run.lineage?.root ?? run.id, store, () => performRejudge(run, jury, open, place))
  } finally {
    await close()
  }
}

async function sourceRun(wanted: ExperimentResult | string, store: ResultStore): Promise<ExperimentResult> {
  if (typeof wanted !== 'string') return wanted
  const run = await store.load(wanted)
  if (run !== undefined) return run
  throw new JuristError('run-unknown', `The store has no run ${wanted}. Pass the id of a run that list() returns.`, {
    id: wanted,
  })
}

interface RejudgePlace extends Pick<RunPlace, 'tell' | 'cancellation'> {
  readonly runId: string
}

/** Options with the opened store. */
interface OpenRejudge extends Omit<RejudgeOptions, 'store'> {
  readonly store: ResultStore
  /** The store's directory, if the caller gave it. */
  readonly resultsDirectory: string | undefined
}

/** Judges the trials of a run again, and stores the results. */
async function performRejudge(
  run: ExperimentResult,
  judge: Jury | Judge,
  options: OpenRejudge,
  { cancellation, runId, tell }: RejudgePlace,
): Promise<RunOverview> {
  const { filter = () => true, tiers, concurrency = 4 } = options
  const { judgeTimeoutMs, judgeFailedRuns } = limitsOf(run, options)
  const items = run.items.filter((item) => filter(item))
  const jury = juryOfOne(judge)
  const juries = await rejudgeJuries(run, items, jury, options)
  const judgement = { jury, description: juries.description, tiers: tiers ?? null, judgeTimeoutMs, judgeFailedRuns }
  const ids = items.map(({ itemId }) => itemId)
  const began = performance.now()
  const writer = await openWriter(options, rejudgedManifest(run, judgement, runId, ids))
  if (options.context === undefined) await fetchKept(options, writer, run, items)
  const trials = items.length
  const { experimentName, variant } = run
  tell({ type: 'experiment-start', experimentName, kind: 'rejudge', variant, trials, resumed: 0 })
  const recordPrompts = run.configuration['recordPrompts'] !== false
  refuseMissingKeys([{ jury }])
  const recording = recordingOf({ projectDirectory: process.cwd(), recordPrompts, askThrough: options.askThrough })
  const rejudging: Rejudging = {
    ...{ run, juryOf: juries.of, judgeFailedRuns, judgeTimeoutMs, tell, cancellation },
    beforeJury: options.beforeJury,
    context: options.context ?? storedContext(storedContextOptions(options, writer)),
    recording,
    notify: notifying(tell),
    classify: classifier({}, recording, (code, message) => tell({ type: 'warning', code, message, itemId: null })),
  }
  const isStored = await isIn(options.store, run)
  const open = openTrials(
    {
      ...{ writer, cancellation, tell, concurrency, taken: [], planned: trials, limits: noLimits, beganMs: began },
      experimentTimeoutMs: null,
      trials: items.map((item, index) => ({ item, index })),
    },
    async ({ item }) => {
      tell({ type: 'item-start', itemId: item.itemId, repetition: item.repetition, attempt: 1 })
      return movedPaths(await rejudgeTrial(rejudging, item), run, isStored)
    },
  )
  await runTrials([open], concurrency)
  return open.finish()
}

const noLimits = { usd: null, tokens: null, includeJudges: true, bailAfter: null, outageAfter: null }

/** Missing limits are those of the run, so that both can be compared. */
function limitsOf({ conditions }: ExperimentResult, { judgeTimeoutMs, judgeFailedRuns }: OpenRejudge) {
  const before = conditions['judgeTimeoutMs']
  return {
    judgeTimeoutMs: judgeTimeoutMs ?? (typeof before === 'number' && before > 0 ? before : 600_000),
    judgeFailedRuns: judgeFailedRuns ?? conditions['judgeFailedRuns'] === true,
  }
}

/** A run that is not to be kept is written into memory. */
function openWriter(
  { store, save = true }: OpenRejudge,
  manifest: Parameters<ResultStore['open']>[0],
): Promise<RunWriter> {
  return (save ? store : memoryStore()).open(manifest)
}

function storedContextOptions(options: OpenRejudge, { directory }: RunWriter) {
  const { workspaces = 'copy', resultsDirectory, provision, datasetDirectory } = options
  // <results>/<experiment>/<run>
  const results = resultsDirectory ?? (directory === null ? undefined : dirname(dirname(directory)))
  return {
    workspaces,
    resultsDirectory: results,
    provision,
    datasetDirectory,
  }
}

/** Copies files that a store keeps elsewhere to the directory in which the context expects them. */
async function fetchKept(
  { store, resultsDirectory, workspaces }: OpenRejudge,
  { directory }: RunWriter,
  { id }: ExperimentResult,
  items: readonly ItemResult[],
): Promise<void> {
  if (resultsDirectory === undefined && directory !== null && workspaces !== 'none')
    await store.fetchFiles?.(id, dirname(dirname(directory)), items)
}

async function isIn(store: ResultStore, { id }: ExperimentResult): Promise<boolean> {
  return (await store.overview(id)) !== undefined
}

interface Judgement {
  readonly jury: Jury
  /** The description of the jury and of the judges of the items. */
  readonly description: JuryDescription
  readonly tiers: readonly string[] | null
  readonly judgeTimeoutMs: number
  readonly judgeFailedRuns: boolean
}

/** The record of the new run when it begins: the agent, dataset and code of the old one, another jury, and its origin. */
function rejudgedManifest(
  run: ExperimentResult,
  { jury: present, description: jury, tiers, judgeTimeoutMs, judgeFailedRuns }: Judgement,
  id: string,
  itemIds: readonly string[],
): RunManifest {
  const { experimentName, variant, dataset, code, knowledge, metadata, lineage } = run
  const root = lineage?.root ?? run.id
  return {
    schemaVersion: 1,
    id,
    experimentName,
    kind: 'rejudge',
    variant,
    session: null,
    lineage: {
      rejudgedFrom: run.id,
      root,
      systemReinvoked: false,
      originalStartedAt: lineage?.originalStartedAt ?? run.startedAt,
      jury: jury.fingerprint,
      tiers,
    },
    dataset,
    code,
    environment: hostEnvironment(),
    conditions: {
      ...conditionsOf(run, present),
      jury: jury.fingerprint,
      judgeTimeoutMs,
      judgeFailedRuns,
      costAlreadyCounted: root,
    },
    configuration: { ...run.configuration, jury: present.name || 'jury', judgeTimeoutMs, judgeFailedRuns },
    jury,
    knowledge,
    baseline: null,
    startedAt: new Date().toISOString(),
    planned: itemIds.length,
    metadata,
    ...(run.quarantine === undefined ? {} : { quarantine: run.quarantine }),
    itemOrder: [...new Set(itemIds)],
  }
}

/** The conditions of the old run with the models of another jury. */
function conditionsOf({ conditions }: ExperimentResult, jury: Jury): JsonObject {
  const { judgeModels: _, modelPrices: before = {}, ...rest } = conditions
  const { modelPrices, ...present } = modelConditions({ jury })
  const prices = { ...(before as JsonObject), ...modelPrices }
  return { ...rest, ...present, ...(Object.keys(prices).length === 0 ? {} : { modelPrices: prices }) }
}

/**
 * The places of a trial as seen from a new run beside the old one: kept workspaces and journals stay where they are. In
 * another store they cannot be named.
 */
function movedPaths(item: ItemResult, run: ExperimentResult, isBeside: boolean): ItemResult {
  const { workspacePath, journalPath, referencePath, beforePath } = item
  const fromSibling = (path: string | null) => {
    if (path === null || !isBeside) return null
    return posix.normalize(posix.join('..', run.id, path))
  }
  const fromResults = (path: string | null) => (path === null || isBeside || isAbsolute(path) ? path : null)
  return {
    ...item,
    workspacePath: fromSibling(workspacePath),
    journalPath: fromSibling(journalPath),
    referencePath: fromResults(referencePath),
    beforePath: fromResults(beforePath),
  }
}
