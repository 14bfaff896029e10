/**
 * What agents told while they worked, trial by trial, and what can be read from it.
 *
 * @example
 * import { readJournal, trajectory } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal(path)
 * const { sequence, loops, fixCycles } = trajectory(events)
 */
import '../errors.js'

export type { Loop, LoopKind } from './loops.js'
export { readJournal } from './read-journal.js'
export type { RedundantRead, ToolCall } from './tool-calls.js'
export { type Trajectory, type TrajectoryOptions, trajectory } from './trajectory.js'
export { type EndedSequence, type TransitionModel, transitionModel } from './transition-model.js'
