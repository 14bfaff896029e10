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
export { hasCommandsBeside, readsReports, runsCommands } from './beside.js'
export { type CascadeOptions, cascade } from './cascade.js'
export type { Check } from './check.js'
export { allOf, anyOf, inOneCopy, not } from './combinators.js'
export { type ContextInput, type ExecutionStatus, type JudgmentContext, judgmentContext, stopped } from './context.js'
export { allowedVariables } from './environment.js'
export { type Failure, failureOf, JuristError, type Problems } from './errors.js'
export { explain, flatten, type VerdictRow } from './explain.js'
export { blamed, isJudgeFact, judgedWorkspace } from './fault.js'
export { frozenJson, isPlainObject, type Json, type JsonObject, type Place, pointer, type Raise } from './json.js'
export { infoOf, type Judge, type JudgeInfo, type JudgeKind, named, runJudge, withInfo } from './judge.js'
export { type AssertionTools, assertions } from './judges/assertions.js'
export type { ContentRule } from './judges/content-rule.js'
export type { SoftExpectation } from './judges/expectation.js'
export { fileContent } from './judges/file-content.js'
export { fileExists } from './judges/file-exists.js'
export { outputText } from './judges/output-text.js'
export { search } from './judges/search.js'
export { supersetOf } from './judges/superset-of.js'
export * from './judgment.js'
export { judgmentFromJson } from './judgment-json.js'
export { type JuryOptions, jury, juryOf, voteOn } from './jury.js'
export { type MustDecideOptions, mustDecide } from './must-decide.js'
export { checkOptions, type OptionRule, option, printed } from './options.js'
export { type JuryOutline, outlineOf } from './outline.js'
export * from './output.js'
export { type OwnContext, type OwnView, ownContextOf, ownView } from './own-view.js'
export * from './score.js'
export { isJury, type Jury, type Seat, type WeightedSeat } from './seat.js'
export { isThenable, type Soon, soon } from './soon.js'
export { keepStacks, stackOf } from './stacks.js'
export type * from './tier.js'
export { unjudgeable } from './unjudgeable.js'
export { totalCost, totalUsage, type Usage } from './usage.js'
export { type TierOutcome, type Verdict, verdictFromJson } from './verdict.js'
export type { Aggregation, AggregationStrategy, Ballot, OnError } from './votes/aggregation.js'
export { average } from './votes/average.js'
export { allMustPass, type ConsensusOptions, consensus } from './votes/consensus.js'
export { type MajorityOptions, majority } from './votes/majority.js'
export { median } from './votes/median.js'
export type { NumericVoteOptions } from './votes/numeric.js'
export { type PluralityOptions, plurality } from './votes/plurality.js'
export type { Vote, VoteInfo } from './votes/vote.js'
export { weightedAverage } from './votes/weighted-average.js'
export type * from './workspace.js'
export { emptyWorkspace, maxEntries, maxReadBytes, normalizePath } from './workspace.js'
