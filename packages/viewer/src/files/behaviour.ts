import { stat } from 'node:fs/promises'
import {
  readJournal,
  type Trajectory,
  type TransitionModel,
  trajectory,
  transitionModel,
} from '@jurist/experiment/journal'
import { type ExperimentResult, type ItemResult, outcomeOf, type TrialOutcome } from '@jurist/experiment/result'
import { journalFile, maxJournalBytes } from './journal.js'
import type { Places } from './sides.js'

/** How agents went about a run, as their journals tell. */
export type BehaviourDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | {
      readonly state: 'read'
      /** Trials of the run; `model` is of the first that have a journal. */
      readonly total: number
      readonly model: TransitionModel
      readonly figures: BehaviourFigures
      /** Trials that went round in circles, the worst first. */
      readonly loops: readonly LoopedTrial[]
    }

/** Sums over the journals that were read. */
interface BehaviourFigures {
  readonly toolCalls: number
  readonly toolErrors: number
  readonly fixCycles: number
  readonly redundantReads: number
  readonly looped: number
}

/** A trial with a loop. */
export interface LoopedTrial {
  readonly itemId: string
  readonly repetition: number
  readonly outcome: TrialOutcome
  readonly loops: Trajectory['loops']
}

/** So many journals are read. */
const mostJournals = 400
const mostLooped = 200

interface Walked {
  readonly item: ItemResult
  readonly walk: Trajectory
}

/** Reads the journals of a run and sums them up. */
export async function behaviourDocument(places: Places, run: ExperimentResult): Promise<BehaviourDocument> {
  const walked: Walked[] = []
  for (const item of run.items) {
    if (walked.length >= mostJournals) break
    const file = await journalFile(places, run, item)
    if (file === undefined || (await stat(file)).size > maxJournalBytes) continue
    walked.push({ item, walk: trajectory((await readJournal(file)).events) })
  }
  if (walked.length === 0)
    return {
      state: 'unknown',
      reason: 'No trial of this run has a journal: the agent told nothing, or they were not kept.',
    }
  return {
    state: 'read',
    total: run.items.length,
    model: transitionModel(walked.map(({ item, walk }) => ({ sequence: walk.sequence, end: outcomeOf(item) }))),
    figures: figuresOf(walked),
    loops: loopedTrials(walked),
  }
}

function figuresOf(walked: readonly Walked[]): BehaviourFigures {
  const sum = (measure: (walk: Trajectory) => number) => walked.reduce((total, { walk }) => total + measure(walk), 0)
  return {
    toolCalls: sum(({ toolCalls }) => toolCalls),
    toolErrors: sum(({ toolErrors }) => toolErrors),
    fixCycles: sum(({ fixCycles }) => fixCycles),
    redundantReads: sum(({ redundantReads }) => redundantReads.length),
    looped: sum(({ loops }) => (loops.length > 0 ? 1 : 0)),
  }
}

function loopedTrials(walked: readonly Walked[]): readonly LoopedTrial[] {
  const lengthOf = ({ loops }: LoopedTrial) =>
    Math.max(...loops.map(({ pattern, repeats }) => pattern.length * repeats))
  return walked
    .flatMap(({ item, walk: { loops } }) => {
      const { itemId, repetition } = item
      return loops.length === 0 ? [] : [{ itemId, repetition, outcome: outcomeOf(item), loops }]
    })
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, mostLooped)
}
