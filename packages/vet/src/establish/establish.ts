import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import {
  completed,
  copyWorkspaces,
  type Dataset,
  type DatasetItem,
  type Experiment,
  type ExperimentOptions,
  type Reporter,
  runExperiment,
  trialOf,
} from '@jurist/experiment'
import { changedItems } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { TestsLock } from '@jurist/workspace/commands'
import { checkedDataset, derivedExperiment } from '../derived-experiment.js'
import { type FreeJudging, freeJudging, hasPaidMembers } from '../free-members.js'
import { referenceName, rememberedReferences, rightAnswer } from '../reference-agent.js'
import { foundInRun, pairedRuns } from '../resumed-runs.js'
import { type EstablishedItem, type EstablishReport, establishReport, hasEnded } from './establish-report.js'
import {
  type DecidedTrials,
  decidedTrials,
  establishedItem,
  hasCanaries,
  type ItemTrials,
  testsOf,
} from './established-item.js'

/** Options of `establish`. Each of them has a default. */
export interface EstablishOptions {
  /**
   * The number of trials per item with the reference, and of those without any change. Different results make an item
   * flaky. Default 3.
   */
  readonly repeat?: number
  /** Whether `tests.lock.json` is written next to the `item.json` of each solvable item. Default `false`. */
  readonly write?: boolean
  /** Whether jury members that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** A run id, or `latest` for the newest unfinished run of this kind, if there is one. Default: a new run. */
  readonly resume?: string
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

const rules: { readonly [name in keyof Required<EstablishOptions>]: OptionRule } = {
  repeat: option.integer(1),
  write: option.boolean,
  free: option.boolean,
  resume: option.string,
  signal: option.anything,
  onEvent: option.function,
}

/** Implements `establish` of `vetting.ts`. */
export async function establish(
  experiment: ExperimentOptions | Experiment,
  options?: EstablishOptions,
): Promise<EstablishReport> {
  return (await establishItems(experiment, options)).report
}

/** The report, with the trials that later steps need not repeat. */
export interface Established {
  readonly report: EstablishReport
  readonly decided: DecidedTrials
  /** Whether no member that judged costs money. */
  readonly isFree: boolean
}

/**
 * Establishes items for later steps.
 *
 * @param usesLocks whether the lock of an item decides as in a run, if it was made for this version of the item.
 * Default: tests and canaries are searched again
 */
export async function establishItems(
  experiment: ExperimentOptions | Experiment,
  options: EstablishOptions | undefined,
  usesLocks: boolean = false,
): Promise<Established> {
  const given = checkOptions<EstablishOptions>('establish', options, rules)
  const { repeat = 3 } = given
  const dataset = await checkedDataset(experiment)
  const items = await itemsOf(dataset, experiment)
  const provision = experiment.provision ?? copyWorkspaces()
  const filtered = { ...experiment, filter: { id: [...items.keys()], status: 'any' }, provision } as const
  const judging = given.free === true ? freeJudging(filtered) : undefined
  const locks = usesLocks ? locksOf(items) : new Map<string, TestsLock>()
  const scene = { experiment: judging?.experiment ?? filtered, dataset, items, given, freed: judging?.freed }
  const { results, established, decided } = await performed(scene, { repeat, locks })
  const isWritten = given.write === true && results.every(hasEnded)
  const written = isWritten ? await writeLocks(dataset, items, established) : []
  const report = establishReport({
    results,
    items: established,
    repeat,
    isolation: (await provision.isolation?.()) ?? 'undeclared',
    ...(provision.network === undefined ? {} : { network: provision.network.hosts }),
    skippedMembers: judging?.skipped() ?? [],
    written,
  })
  const [{ jury }] = results
  const isFree = jury?.judges.every(({ kind }) => kind === 'deterministic') === true && !asksModels(scene.experiment)
  return { report, decided, isFree }
}

function asksModels({ jury }: ExperimentOptions): boolean {
  return jury !== undefined && hasPaidMembers(jury)
}

/** Returns the locks that fit the current version of their items, with the canaries of their judges. */
function locksOf(items: ReadonlyMap<string, DatasetItem>): ReadonlyMap<string, TestsLock> {
  return new Map(
    [...items].flatMap(([id, { testsLock, hash }]) =>
      testsLock?.itemHash === hash && testsLock.canaries !== undefined ? [[id, testsLock] as const] : [],
    ),
  )
}

async function itemsOf(dataset: Dataset, { filter }: ExperimentOptions): Promise<ReadonlyMap<string, DatasetItem>> {
  const items = new Map<string, DatasetItem>()
  for await (const item of dataset.items(filter)) items.set(item.id, item)
  if (items.size > 0) return items
  const message = `establish: no item of the dataset ${dataset.name} is selected. Select other items.`
  optionInvalid('dataset', message)
}

interface Performed {
  readonly results: readonly [ExperimentResult, ...ExperimentResult[]]
  readonly established: readonly EstablishedItem[]
  readonly decided: DecidedTrials
}

interface Rounds {
  readonly repeat: number
  /** The tests and canaries that decide from the start, by item. */
  readonly locks: ReadonlyMap<string, TestsLock>
}

/**
 * Runs the trials that search for tests. If the tests that they find decide, a second run follows with them, unless the
 * first was interrupted.
 */
async function performed(
  scene: TrialScene & { readonly given: EstablishOptions },
  { repeat, locks }: Rounds,
): Promise<Performed> {
  const { experiment, items, given } = scene
  const resumed = given.resume === undefined ? {} : await pairedRuns(experiment, given.resume, 'establish')
  const found = await runTrials(scene, { repeat, step: 'find', resume: resumed.found, lockOf: (id) => locks.get(id) })
  const fingerprint = found.jury?.fingerprint ?? ''
  const own = new Map([...items].map(([id, item]) => [id, trialsOf(item, found, repeat)]))
  const first = new Map(
    [...items].map(([id, item]) => [id, establishedItem(item, trialsIn(own, id), fingerprint, locks.get(id))]),
  )
  const expecting = new Set(
    found.items.flatMap((trial) =>
      testsOf(trial)?.expectsLock === true && !locks.has(trial.itemId) ? trial.itemId : [],
    ),
  )
  const known = [...first].filter(([id, { tests }]) => locks.has(id) || !hasCanaries(tests))
  const alike = new Map(known.map(([id]) => [id, trialsIn(own, id)]))
  if (expecting.size === 0 || !hasEnded(found))
    return { results: [found], established: [...first.values()], decided: decidedTrials(alike) }
  const decided = await runTrials(
    { ...scene, items: new Map([...items].filter(([id]) => expecting.has(id))) },
    {
      ...{ repeat: 1, step: 'decide', resume: resumed.decided, foundIn: found.id },
      lockOf: (id) => first.get(id)?.tests ?? undefined,
    },
  )
  const established = [...items].flatMap(([id, item]) => {
    const known = first.get(id)
    if (known === undefined || !expecting.has(id)) return known ?? []
    const { tests, flaky, lock } = known
    alike.set(id, trialsOf(item, decided, 1))
    return { ...establishedItem(item, trialsIn(alike, id), fingerprint), tests, flaky, lock }
  })
  return { results: [found, decided], established, decided: decidedTrials(alike) }
}

function trialsIn(all: ReadonlyMap<string, ItemTrials>, id: string): ItemTrials {
  return all.get(id) ?? { reference: [], idle: [] }
}

/**
 * Writes `tests.lock.json` of each item that is solvable and whose tests distinguish its reference from no change.
 * Items without their own directory are skipped.
 *
 * @returns the files that changed, relative to the dataset
 */
async function writeLocks(
  { directory }: Dataset,
  items: ReadonlyMap<string, DatasetItem>,
  established: readonly EstablishedItem[],
): Promise<readonly string[]> {
  if (directory === null) return []
  const written: string[] = []
  for (const { itemId, solvable, tests, lock } of established) {
    const path = items.get(itemId)?.path ?? null
    if (path === null || tests === null || solvable !== true || lock === 'same' || tests.failToPass.length === 0)
      continue
    const file = join(path, 'tests.lock.json')
    const whole = join(directory, `${file}.${process.pid}`)
    await writeFile(whole, `${JSON.stringify(tests, null, 2)}\n`)
    await rename(whole, join(directory, file))
    written.push(file)
  }
  return written
}

interface TrialScene {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly given: { readonly signal?: AbortSignal; readonly onEvent?: Reporter }
  readonly freed: FreeJudging['freed'] | undefined
}

interface Trials {
  readonly repeat: number
  readonly step: 'find' | 'decide'
  /** The run to resume. */
  readonly resume: string | undefined
  /** The run in which the deciding tests were found. */
  readonly foundIn?: string
  /** The deciding tests. Default: none, even if the dataset has a lock. */
  readonly lockOf?: (itemId: string) => DatasetItem['testsLock']
}

/** Tries the items. The first repetitions of an item apply its reference; the others change nothing. */
async function runTrials(scene: TrialScene, trials: Trials): Promise<ExperimentResult> {
  const { experiment, dataset, items, given, freed } = scene
  const { repeat, step, resume, foundIn, lockOf = () => undefined } = trials
  const references = rememberedReferences(experiment.provision ?? copyWorkspaces())
  const derived = derivedExperiment(experiment, {
    async agent(task) {
      const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
      const item = items.get(itemId)
      if (item === undefined || repetition > referenceTrials(item, repeat))
        return completed({ metadata: { tried: 'nothing' } })
      const reference = references.of(itemId, repetition)
      const output = await rightAnswer(task, { item, reference, solution: experiment.vet?.solution })
      return completed({ output, metadata: { tried: referenceName } })
    },
    dataset: changedItems(dataset, ({ id, jury }) => {
      const item = items.get(id)
      return {
        repetitions: item === undefined ? null : plannedTrials(item, repeat),
        testsLock: lockOf(id),
        ...(jury === null || freed === undefined ? {} : { jury: freed(jury) }),
      }
    }),
    provision: references.provision,
    conditions: { ...experiment.conditions, establish: { step, repeat } },
    metadata: { ...experiment.metadata, ...(foundIn === undefined ? {} : foundInRun(foundIn)) },
  })
  const filter = { id: [...items.keys()], status: 'any' } as const
  const { signal, onEvent } = given
  const run = runExperiment(
    { ...derived, filter },
    {
      kind: 'establish',
      signal,
      onEvent,
      resume,
    },
  )
  return run.result
}

/** The number of trials that an item needs. */
export function plannedTrials(item: DatasetItem, repeat: number): number {
  return referenceTrials(item, repeat) + idleTrials(item, repeat)
}

/** The number of trials that apply the reference. They come first. */
function referenceTrials({ reference, expectedOutput }: DatasetItem, repeat: number): number {
  return reference === null && expectedOutput === null ? 0 : repeat
}

/**
 * The number of trials without any change. There are none if no change is the right answer and the reference is tried.
 */
function idleTrials(item: DatasetItem, repeat: number): number {
  return item.noChange && referenceTrials(item, repeat) > 0 ? 0 : repeat
}

/** Separates the trials of an item with the reference from those without any change. */
function trialsOf(item: DatasetItem, { items }: ExperimentResult, repeat: number): ItemTrials {
  const own = items.filter(({ itemId }) => itemId === item.id)
  const count = referenceTrials(item, repeat)
  return {
    reference: own.filter(({ repetition }) => repetition <= count),
    idle: own.filter(({ repetition }) => repetition > count),
  }
}
