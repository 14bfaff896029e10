/**
 * The words and the law of judging.
 *
 * @example
 * import { consensus, fileExists, jury, outputText } from '@jurist/core'
 *
 * const rules = jury({
 *   judges: { readme: fileExists('README.md'), greeting: outputText({ contains: 'Hello' }) },
 *   vote: consensus(),
 * })
 * const verdict = await rules.vote({ workspace, agentOutput: 'Hello!' })
 * console.log(verdict.aggregated.status) // 'pass' when README.md is there
 */
export type * from './agent.js'
export { readsReports, runsCommands } from './beside.js'
export { type CascadeOptions, cascade } from './cascade.js'
export { allOf, anyOf, inOneCopy, not } from './combinators.js'
export { type ContextInput, type ExecutionStatus, type JudgmentContext, judgmentContext } from './context.js'
export { type Failure, JuristError, type Problems } from './errors.js'
export { explain, flatten, type VerdictRow } from './explain.js'
export { blamed } from './fault.js'
export type { Json, JsonObject } from './json.js'
export { infoOf, type Judge, type JudgeInfo, type JudgeKind, named, runJudge, withInfo } from './judge.js'
export { type AssertionTools, assertions } from './judges/assertions.js'
export { fileContent, fileExists } from './judges/files.js'
export { outputText } from './judges/output-text.js'
export { search } from './judges/search.js'
export { supersetOf } from './judges/superset-of.js'
export * from './judgment.js'
export type { Check } from './judgment-record.js'
export { type JuryOptions, jury, juryOf } from './jury.js'
export type { Jury, JuryMember, WeightedJudge } from './jury-member.js'
export { type MustDecideOptions, mustDecide } from './must-decide.js'
export * from './output.js'
export {
  type BooleanScore,
  boolean,
  type CategoricalScore,
  categorical,
  meets,
  type NumericalScore,
  normalize,
  numerical,
  type Score,
} from './score.js'
export type * from './tiers.js'
export { unjudgeable } from './unjudgeable.js'
export { totalCost, totalUsage, type Usage } from './usage.js'
export { type TierOutcome, type Verdict, verdictFromJson } from './verdict.js'
export type { Aggregation, Ballot, OnError } from './votes/aggregation.js'
export * from './votes/counting-votes.js'
export * from './votes/score-votes.js'
export type { Vote, VoteInfo } from './votes/vote.js'
export type * from './workspace.js'
