import type { BehaviourComparison } from '@jurist/experiment/compare'
import { behaviourRows, itemsOf, noBehaviour } from '@jurist/experiment/internal/results'
import { type Trajectory, type TransitionModel, trajectory, transitionModel } from '@jurist/experiment/journal'
import { type ItemResult, outcomeOf, type RunResult, type TrialOutcome } from '@jurist/experiment/result'
import type { ReadableDirectories } from './changes.js'
import { trialEvents } from './journals.js'

export type BehaviourDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | {
      readonly state: 'read'
      /** The number of trials in the run. `model` covers the first 400 that have a journal. */
      readonly total: number
      readonly model: TransitionModel
      readonly figures: BehaviourFigures
      /** Trials with loops, the longest loop first. */
      readonly loops: readonly LoopedTrial[]
    }

/** The differences in the actions of two runs' agents, as the table of a comparison. */
export type BehaviourBetweenDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | {
      readonly state: 'read'
      readonly items: number
      readonly isTested: boolean
      readonly rows: ReturnType<typeof behaviourRows>
      readonly alikeButOther: BehaviourComparison['alikeButOther']
    }

export function behaviourBetween(behaviour: BehaviourComparison | null): BehaviourBetweenDocument {
  if (behaviour === null) return { state: 'unknown', reason: noBehaviour }
  const { items, isTested, alikeButOther } = behaviour
  return { state: 'read', items, isTested, rows: behaviourRows(behaviour), alikeButOther }
}

interface BehaviourFigures {
  readonly toolCalls: number
  readonly toolErrors: number
  readonly fixCycles: number
  readonly redundantReads: number
  readonly looped: number
}

export interface LoopedTrial {
  readonly itemId: string
  readonly repetition: number
  readonly outcome: TrialOutcome
  readonly loops: Trajectory['loops']
}

const maxJournals = 400
const maxLooped = 200

interface ReadTrial {
  readonly item: ItemResult
  readonly path: Trajectory
}

export async function behaviourDocument(directories: ReadableDirectories, run: RunResult): Promise<BehaviourDocument> {
  const trials: ReadTrial[] = []
  const items = await itemsOf(run)
  for (const item of items) {
    if (trials.length >= maxJournals) break
    const events = await trialEvents(directories, run, item)
    if (events.length > 0) trials.push({ item, path: trajectory(events) })
  }
  if (trials.length === 0)
    return {
      state: 'unknown',
      reason: 'No trial of this run has a journal: the agent recorded nothing, or the journals were not kept.',
    }
  return {
    state: 'read',
    total: items.length,
    model: transitionModel(trials.map(({ item, path }) => ({ sequence: path.sequence, end: outcomeOf(item) }))),
    figures: figuresOf(trials),
    loops: loopedTrials(trials),
  }
}

function figuresOf(trials: readonly ReadTrial[]): BehaviourFigures {
  const sum = (measure: (path: Trajectory) => number) => trials.reduce((total, { path }) => total + measure(path), 0)
  return {
    toolCalls: sum(({ toolCalls }) => toolCalls),
    toolErrors: sum(({ toolErrors }) => toolErrors),
    fixCycles: sum(({ fixCycles }) => fixCycles),
    redundantReads: sum(({ redundantReads }) => redundantReads.length),
    looped: sum(({ loops }) => (loops.length > 0 ? 1 : 0)),
  }
}

function loopedTrials(trials: readonly ReadTrial[]): readonly LoopedTrial[] {
  const lengthOf = ({ loops }: LoopedTrial) =>
    Math.max(...loops.map(({ pattern, repeats }) => pattern.length * repeats))
  return trials
    .flatMap(({ item, path: { loops } }) => {
      const { itemId, repetition } = item
      return loops.length === 0 ? [] : [{ itemId, repetition, outcome: outcomeOf(item), loops }]
    })
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, maxLooped)
}
