/** Shared by the packages of this repository. Not for users' programs: names change without notice. */

export { anySignal, endsWithin, timeLeft } from './abort-signals.js'
export {
  executionStatuses,
  isInvocationStatus,
  type ToolResult,
} from './agent.js'
export { inRepetition } from './asking.js'
export { onErrorOption as tierOnErrorOption } from './cascade.js'
export { hasCommandsBeside, isRunningCommands } from './commands-beside.js'
export { executionStatus, executionStatusWords, withJudging } from './context.js'
export { ownTurns } from './conversation/own-turns.js'
export { scenarioOf } from './conversation/scenario.js'
export { failureOf, keepStacks, stackOf } from './errors.js'
export type { VerdictRow } from './explain.js'
export { isJudgeFact, judgedWorkspace, openedWhenUsed } from './fault.js'
export { joinedJudgment, joinedJury } from './joined-jury.js'
export { frozenJson, isPlainObject, type Place, pointer, type Raise } from './json.js'
export { giveInfo, isInWorkspace, judgmentFrom, markInWorkspace, modelAddressOf, optionsIn } from './judge.js'
export {
  type DescribingConfig,
  describeJudge,
  type JudgeDescription,
  judgeDescriptionOf,
  pathOption,
  referenceOption,
} from './judge-description.js'
export type { ModelInfo } from './judge-model.js'
export { modelInfoOf, modelsUsedBy } from './judge-model.js'
export { type OwnContext, ownContextOf } from './judge-workspace.js'
export { search } from './judges/search.js'
export { concluded } from './judgment.js'
export { type ErrorJudgment, type FailJudgment, judgmentFromJson, judgmentStatuses } from './judgment-record.js'
export { juryOptions, withJudgeAt, withJudges } from './jury.js'
export type { SelectiveOptions } from './jury-member.js'
export { type FinalTier, type GateTier, isJury, type JuryMember } from './jury-member.js'
export { noticesIn } from './llm/evidence.js'
export { type MustDecideOptions, mustDecideOption } from './must-decide.js'
export { openedWorkspace, openPathsWith } from './open-path.js'
export {
  abortSignal,
  arrayOf,
  checkOptions,
  checkRequired,
  described,
  type FieldRules,
  fieldProblems,
  finite,
  hasFields,
  namedStrings,
  nonBlank,
  type OptionDescription,
  type OptionDescriptions,
  type OptionRule,
  objectOf,
  openRate,
  option,
  optionInvalid,
  printed,
  propertiesOf,
  rangeOf,
  recordOf,
} from './options.js'
export { isOutput } from './output.js'
export { besideThreshold, decimalsBeside, readScore } from './score.js'
export { ownConfidence } from './selective-judge.js'
export {
  argumentsOf,
  type PairedCall,
  pairedCalls,
  stepsOfEvents,
  stepsOfExecutions,
  type ToolCallEvent,
  type ToolResultEvent,
  waitingCalls,
} from './tool-step.js'
export { type Held, type HeldConversation, heldConversation, turnsRule } from './turn.js'
export { withoutReference } from './unjudgeable.js'
export { type Spent, totalCost, totalSpent, totalUsage, usageCounts } from './usage.js'
export { type TierOutcome, tierPolicies } from './verdict.js'
export { votes } from './votes/catalog.js'
export { type VoteDescription, voteDescriptionOf } from './votes/vote.js'
export {
  checkListing,
  checkRun,
  emptyWorkspace,
  maxEntries,
  maxReadBytes,
  normalizePath,
  notStarted,
} from './workspace.js'
