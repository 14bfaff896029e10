import { type JudgmentContext, withJudging } from './context.js'
import type { Judge } from './judge.js'

function has(fact: 'runsCommands' | 'readsReports', judges: readonly Judge[]): boolean {
  return judges.some(({ info = {} }) => info[fact] === true || has(fact, info.judges ?? []))
}

/** Whether a judge, or one that it is made of, runs commands of the workspace. */
export function isRunningCommands(judge: Judge): boolean {
  return has('runsCommands', [judge])
}

/** Whether a judge among these reads reports while another one runs commands. */
export function areMixed(judges: readonly Judge[]): boolean {
  return has('runsCommands', judges) && has('readsReports', judges)
}

/** A context of judges that run beside others which run commands, each in its own copy. */
export function withCommandsBeside(context: JudgmentContext): JudgmentContext {
  return withJudging(context, { commandsBeside: true })
}

/**
 * Whether judges that are combined with this one run commands, each in its own copy: a report in the workspace is then
 * the one that the agent left.
 */
export function hasCommandsBeside({ judging }: JudgmentContext): boolean {
  return judging?.commandsBeside === true
}
