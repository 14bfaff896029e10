import {
  completed,
  copyWorkspaces,
  type Dataset,
  type DatasetItem,
  type ExperimentOptions,
  type Reporter,
  runExperiment,
  trialOf,
} from '@jurist/experiment'
import { changedItems } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { derivedExperiment } from '../derived-experiment.js'
import type { FreeJudging } from '../free-members.js'
import { referenceName, rememberedReferences, rightAnswer } from '../reference-agent.js'
import { foundInRun } from '../resumed-runs.js'
import type { ItemTrials } from './established-item.js'

/** What is tried, and by whom it is judged. */
export interface TrialScene {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly given: { readonly signal?: AbortSignal; readonly onEvent?: Reporter }
  readonly freed: FreeJudging['freed'] | undefined
}

/** One run of trials. */
interface Trials {
  readonly repeat: number
  readonly step: 'find' | 'decide'
  /** The run to resume. */
  readonly resume: string | undefined
  /** The run that found the tests that decide now. */
  readonly foundIn?: string
  /** The tests that decide. Default: none, also where the dataset has a lock. */
  readonly lockOf?: (itemId: string) => DatasetItem['testsLock']
}

/** Tries the items: the first repetitions of an item have its reference laid down, the others have nothing done. */
export async function runTrials(scene: TrialScene, trials: Trials): Promise<ExperimentResult> {
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
        repetitions: item === undefined ? null : referenceTrials(item, repeat) + idleTrials(item, repeat),
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

/** How many trials of an item have its reference laid down; they come first. */
function referenceTrials({ reference, expectedOutput }: DatasetItem, repeat: number): number {
  return reference === null && expectedOutput === null ? 0 : repeat
}

/** How many have nothing done. Where that is the right answer, those with the reference say it all. */
function idleTrials(item: DatasetItem, repeat: number): number {
  return item.noChange && referenceTrials(item, repeat) > 0 ? 0 : repeat
}

/** The trials of an item by what was done in them. */
export function trialsOf(item: DatasetItem, { items }: ExperimentResult, repeat: number): ItemTrials {
  const own = items.filter(({ itemId }) => itemId === item.id)
  const count = referenceTrials(item, repeat)
  return {
    reference: own.filter(({ repetition }) => repetition <= count),
    idle: own.filter(({ repetition }) => repetition > count),
  }
}
