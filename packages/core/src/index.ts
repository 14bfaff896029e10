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
export type { Check } from './check.js'
export { type ContextInput, type ExecutionStatus, type JudgmentContext, judgmentContext } from './context.js'
export { type Failure, failureOf, JuristError, type Problems } from './errors.js'
export { frozenJson, isPlainObject, type Json, type JsonObject, type Place, pointer, type Raise } from './json.js'
export { infoOf, type Judge, type JudgeInfo, type JudgeKind, named, runJudge, withInfo } from './judge.js'
export * from './judgment.js'
export { judgmentFromJson } from './judgment-json.js'
export { checkOptions, type OptionRule, option, printed } from './options.js'
export * from './output.js'
export * from './score.js'
export { totalCost, totalUsage, type Usage } from './usage.js'
export * from './workspace.js'
