import { JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
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
import { changedItems, openedDataset } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { derivedExperiment } from '../derived-experiment.js'
import { freeJudging } from '../free-members.js'
import { rememberedReferences, rightAnswer } from '../reference-agent.js'
import type { EstablishReport } from './establish-report.js'
import { establishedItem, type ItemTrials } from './established-item.js'
import { testsOf } from './named-tests.js'
import { establishReport } from './report-of.js'
import { writeLocks } from './write-locks.js'

/** Options of `establish`. */
export interface EstablishOptions {
  /** How often the reference, and nothing, are tried on each item: what differs between them is flaky. Default 3. */
  readonly repeat?: number
  /** Whether `tests.lock.json` is written beside the `item.json` of each item that is solvable. Default `false`. */
  readonly write?: boolean
  /** Whether members of the jury that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** A run id, or `latest`: the newest unfinished run of this kind, else a new one. */
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

/** The work of `establish` of `vetting.ts`. */
export async function establish(
  experiment: ExperimentOptions | Experiment,
  options?: EstablishOptions,
): Promise<EstablishReport> {
  const given = checkOptions<EstablishOptions>('establish', options, rules)
  const dataset = await openedDataset(experiment)
  const items = await itemsOf(dataset, experiment)
  const provision = experiment.provision ?? copyWorkspaces()
  const filtered = { ...experiment, filter: { id: [...items.keys()], status: 'any' }, provision } as const
  const judging = given.free === true ? freeJudging(filtered) : undefined
  const scene: Scene = { experiment: judging?.experiment ?? filtered, dataset, items, given, freed: judging?.freed }
  const found = await runTrials(scene, { repeat: given.repeat ?? 3, lockOf: () => undefined, step: 'find' })
  const established = await decided(scene, found)
  const written = given.write === true ? await writeLocks(dataset, items, established) : []
  return establishReport({
    result: found,
    items: established,
    repeat: given.repeat ?? 3,
    isolation: (await provision.isolation?.()) ?? 'undeclared',
    skippedMembers: judging?.skipped() ?? [],
    written,
  })
}

interface Scene {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly given: EstablishOptions
  readonly freed: ReturnType<typeof freeJudging>['freed'] | undefined
}

async function itemsOf(dataset: Dataset, { filter }: ExperimentOptions): Promise<ReadonlyMap<string, DatasetItem>> {
  const items = new Map<string, DatasetItem>()
  for await (const item of dataset.items(filter)) items.set(item.id, item)
  if (items.size > 0) return items
  const message = `establish: no item of the dataset ${dataset.name} is selected. Select other items.`
  throw new JuristError('option-invalid', message, { option: 'dataset' })
}

/** What each item is worth, by a second run where the found tests decide. */
async function decided(scene: Scene, found: ExperimentResult) {
  const fingerprint = found.jury?.fingerprint ?? ''
  const repeat = scene.given.repeat ?? 3
  const first = new Map(
    [...scene.items].map(([id, item]) => [id, establishedItem(item, trialsOf(item, found, repeat), fingerprint)]),
  )
  const expecting = new Set(found.items.flatMap((trial) => (testsOf(trial)?.expectsLock === true ? trial.itemId : [])))
  if (expecting.size === 0) return [...first.values()]
  const items = new Map([...scene.items].filter(([id]) => expecting.has(id)))
  const lockOf = (id: string) => first.get(id)?.tests ?? undefined
  const result = await runTrials({ ...scene, items }, { repeat: 1, lockOf, step: 'decide' })
  return [...first].map(([id, established]) => {
    const item = items.get(id)
    if (item === undefined) return established
    const { tests, flaky } = established
    return { ...establishedItem(item, trialsOf(item, result, 1), fingerprint), tests, flaky, lock: established.lock }
  })
}

interface Trials {
  readonly repeat: number
  readonly lockOf: (itemId: string) => DatasetItem['testsLock']
  readonly step: 'find' | 'decide'
}

async function runTrials(scene: Scene, { repeat, lockOf, step }: Trials): Promise<ExperimentResult> {
  const { experiment, dataset, items, given, freed } = scene
  const references = rememberedReferences(experiment.provision ?? copyWorkspaces())
  const derived = derivedExperiment(experiment, {
    async agent(task) {
      const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
      const item = items.get(itemId)
      if (item === undefined || repetition > referenceTrials(item, repeat)) return completed()
      const reference = references.of(itemId, repetition)
      const output = await rightAnswer(task, { item, reference, solution: experiment.vet?.solution })
      return completed(output === undefined ? {} : { output })
    },
    dataset: changedItems(dataset, ({ id, jury }) => {
      const item = items.get(id)
      return {
        repetitions: item === undefined ? null : referenceTrials(item, repeat) + idleTrials(item, repeat),
        testsLock: lockOf(id),
        ...(jury === null || freed === undefined ? {} : { jury: freed(jury) }),
      }
    }),
    provision: references.provision,
    conditions: { ...experiment.conditions, establish: { step, repeat } },
  })
  const filter = { id: [...items.keys()], status: 'any' } as const
  const { signal, onEvent, resume } = given
  const run = runExperiment(
    { ...derived, filter },
    {
      kind: 'establish',
      ...(signal === undefined ? {} : { signal }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(resume === undefined || step === 'decide' ? {} : { resume }),
    },
  )
  return run.result
}

/** How many trials of an item have its reference laid down; they come first. */
function referenceTrials({ reference, expectedOutput }: DatasetItem, repeat: number): number {
  return reference === null && expectedOutput === null ? 0 : repeat
}

/** How many have nothing done. Where that is the right answer, those with the reference say it all. */
function idleTrials(item: DatasetItem, repeat: number): number {
  return item.noChange && referenceTrials(item, repeat) > 0 ? 0 : repeat
}

function trialsOf(item: DatasetItem, { items }: ExperimentResult, repeat: number): ItemTrials {
  const own = items.filter(({ itemId }) => itemId === item.id)
  const count = referenceTrials(item, repeat)
  return {
    reference: own.filter(({ repetition }) => repetition <= count),
    idle: own.filter(({ repetition }) => repetition > count),
  }
}
