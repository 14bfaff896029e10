import type { DiagnosticRule } from './diagnosis.js'
import { editedUntested, loop, readWithoutWrite, repeatedError } from './rules/behaviour.js'
import { judgeAbstained, judgeError } from './rules/broken-judge.js'
import { commandFailed, comparisonFailed } from './rules/failed-evidence.js'
import { agentFailed, setupFailed } from './rules/failed-trial.js'
import { criterionUnclear, jurySplit, knowledgeUnread, toolUnused } from './rules/whole-runs.js'

/**
 * The rules that `diagnose` has: first what is certain, then what the evidence of judges shows, then what the behaviour of the
 * agent suggests.
 *
 * @example
 * diagnose(results, { rules: [myRule, ...defaultRules] })
 */
export const defaultRules: readonly DiagnosticRule[] = Object.freeze([
  agentFailed,
  setupFailed,
  judgeError,
  judgeAbstained,
  commandFailed,
  comparisonFailed,
  criterionUnclear,
  knowledgeUnread,
  toolUnused,
  repeatedError,
  loop,
  readWithoutWrite,
  editedUntested,
  jurySplit,
])
