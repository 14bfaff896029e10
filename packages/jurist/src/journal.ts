/**
 * The journal of a trial: messages, tool calls and costs, and the transitions of an agent between states.
 *
 * @example
 * import { readJournal, trajectory } from 'jurist/journal'
 *
 * const { events } = await readJournal('fix-1--1.jsonl')
 * const { loops } = trajectory(events)
 */
export * from '@jurist/experiment/journal'
