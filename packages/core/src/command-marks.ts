import { judgesIn, madeOf } from './composition.js'
import type { JudgmentContext } from './context.js'
import type { Judge } from './judge.js'

const runs = Symbol('runs commands')
const reads = Symbol('reads reports')
const beside = Symbol('commands beside')

/**
 * Marks a judge, made just now, that runs commands of the workspace. Judges that are combined with it can know that.
 *
 * @example
 * import { type Judge, runsCommands } from '@jurist/core'
 *
 * export const builds: Judge = runsCommands(async ({ workspace }) => (await workspace.run('make')).exitCode === 0)
 */
export function runsCommands<J extends Judge>(judge: J): J {
  return Object.defineProperty(judge, runs, { value: true })
}

/**
 * Marks a judge, made just now, that reads reports which commands write, and does not run these commands itself.
 *
 * @example
 * import { type Judge, readsReports } from '@jurist/core'
 *
 * export const covered: Judge = readsReports(({ workspace }) => workspace.exists('coverage/coverage-summary.json'))
 */
export function readsReports<J extends Judge>(judge: J): J {
  return Object.defineProperty(judge, reads, { value: true })
}

/** Gives a combination the marks of its members, and the models that they call. */
export function marked<J extends Judge>(combination: J, judges: readonly Judge[]): J {
  return madeOf(combination, { judges })
}

function has(mark: symbol, judges: readonly object[]): boolean {
  return judges.some((judge) => mark in judge || has(mark, judgesIn(judge)))
}

/** Whether a judge, or one that it is made of, runs commands of the workspace. */
export function isRunningCommands(judge: Judge): boolean {
  return has(runs, [judge])
}

/** Whether a judge among these reads reports while another one runs commands. */
export function areMixed(judges: readonly Judge[]): boolean {
  return has(runs, judges) && has(reads, judges)
}

/** A context that says that other judges run commands, each in its own copy. */
export function withCommandsBeside(context: JudgmentContext): JudgmentContext {
  return Object.freeze({ ...context, [beside]: true })
}

/**
 * Whether judges that are combined with this one run commands, each in its own copy: a report in the workspace is then
 * the one that the agent left.
 */
export function hasCommandsBeside(context: JudgmentContext): boolean {
  return beside in context
}
