/**
 * The journals of trials: the events that agents recorded while they worked, and their analysis.
 *
 * @example
 * import { readJournal, trajectory } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal('results/sums/20261121T091500123Z-4kq7rm/journal/one--1.jsonl')
 * const { sequence, loops, fixCycles } = trajectory(events)
 */
import '../errors.js'

export { readJournal } from './stored-journal.js'
export type { RedundantRead } from './tool-calls.js'
export { type Loop, type LoopKind, type Trajectory, type TrajectoryOptions, trajectory } from './trajectory.js'
export { type EndedSequence, type TransitionModel, transitionModel } from './transition-model.js'
