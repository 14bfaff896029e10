import { type JudgmentContext, withJudging } from './context.js'
import type { Judge } from './judge.js'

function has(fact: 'runsCommands' | 'readsReports', judges: readonly Judge[]): boolean {
  return judges.some(({ info = {} }) => info[fact] === true || has(fact, info.judges ?? []))
}

export function isRunningCommands(judge: Judge): boolean {
  return has('runsCommands', [judge])
}

export function areMixed(judges: readonly Judge[]): boolean {
  return has('runsCommands', judges) && has('readsReports', judges)
}

export function withCommandsBeside(context: JudgmentContext): JudgmentContext {
  return withJudging(context, { commandsBeside: true })
}

/**
 * Whether other judges of the same jury run commands, each in its own copy. A report in the workspace is then the one
 * that the agent left.
 */
export function hasCommandsBeside({ judging }: JudgmentContext): boolean {
  return judging?.commandsBeside === true
}
