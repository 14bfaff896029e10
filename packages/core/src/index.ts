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
export type { Agent, AgentTask, Invocation, JournalEvent, Phase, ToolResult, ToolUse, Turn, UserPart } from './agent.js'
export { type CascadeOptions, cascade, type Tiers } from './cascade.js'
export { allOf, anyOf, inOneCopy, not } from './combinators.js'
export {
  type AskThrough,
  type ContextInput,
  type ExecutionStatus,
  type Judging,
  type JudgmentContext,
  judgmentContext,
  type Shortened,
} from './context.js'
export { type Failure, JuristError, type LlmProblems, type Problems } from './errors.js'
export { explain, flatten, type VerdictRow } from './explain.js'
export { blamed, type Fault } from './fault.js'
export type { Json, JsonObject } from './json.js'
export { infoOf, type Judge, type JudgeInfo, type JudgeKind, named, runJudge, withInfo } from './judge.js'
export type { JudgeView, SharedWorkspace } from './judge-workspace.js'
export { type AssertionTools, assertions, type SoftExpectation } from './judges/assertions.js'
export type { ContentRule } from './judges/content-rule.js'
export * from './judges/files.js'
export { outputText } from './judges/output-text.js'
export * from './judges/superset-of.js'
export { abstain, effectiveScore, error, fail, pass, scored } from './judgment.js'
export type {
  AbstainJudgment,
  Check,
  ErrorJudgment,
  Extras,
  FailJudgment,
  Grounds,
  Judgment,
  JudgmentStatus,
  PassJudgment,
  ScoredExtras,
} from './judgment-record.js'
export { type JuryOptions, jury, juryOf } from './jury.js'
export type {
  AcceptTier,
  Confidence,
  ConfidentAnswer,
  ConfidentTier,
  DecideTier,
  FinalTier,
  GateTier,
  Jury,
  JuryMember,
  JuryParts,
  MadeTier,
  RejectTier,
  SelectiveOptions,
  WeightedJudge,
} from './jury-member.js'
export { type MustDecideOptions, mustDecide } from './must-decide.js'
export type { WorkspaceInput } from './open-path.js'
export { type AgentOutput, asText, multimodalOutput, type OutputPart, structuredOutput, textOutput } from './output.js'
export type { BooleanScore, CategoricalScore, NumericalScore, Score } from './score.js'
export { boolean, categorical, meets, normalize, numerical } from './score.js'
export { selectiveJudge } from './selective-judge.js'
export type { ToolStep } from './tool-step.js'
export type { UserFault } from './turn.js'
export { unjudgeable } from './unjudgeable.js'
export type { Usage } from './usage.js'
export { type TierOutcome, type Verdict, verdictFromJson } from './verdict.js'
export * from './votes/counting-votes.js'
export * from './votes/score-votes.js'
export type { Ballot, OnError, Vote, VoteInfo } from './votes/vote.js'
export type {
  CommandResult,
  ListOptions,
  ReadOptions,
  RunOptions,
  Workspace,
  WorkspaceEntry,
  WritableWorkspace,
} from './workspace.js'
