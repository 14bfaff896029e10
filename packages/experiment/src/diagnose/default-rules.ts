import type { DiagnosticRule } from './diagnosis.js'
import { editedUntested, loop, readWithoutWrite, repeatedError } from './rules/behaviour.js'
import {
  agentFailed,
  commandFailed,
  comparisonFailed,
  judgeAbstained,
  judgeError,
  setupFailed,
} from './rules/trials.js'
import { criterionUnclear, jurySplit, knowledgeUnread, toolUnused } from './rules/whole-runs.js'

/**
 * The rules that `diagnose` has: first those that are certain, then those based on evidence of judges, then those based
 * on the behaviour of the agent.
 *
 * @example
 * import { type DiagnosticRule, defaultRules, diagnose } from '@jurist/experiment'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const noFinding: DiagnosticRule = { id: 'none', description: 'Finds nothing.', category: 'planning', match: () => [] }
 * await diagnose([aResult()], { rules: [noFinding, ...defaultRules] })
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
