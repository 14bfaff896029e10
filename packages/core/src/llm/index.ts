/**
 * Judges that ask a model: prompt, model, classify, each replaceable.
 *
 * @example
 * import { answerLine, modelJudge, promptTemplate } from '@jurist/core/llm'
 *
 * const polite = modelJudge({
 *   name: 'polite',
 *   prompt: promptTemplate('polite', 'Is this polite?\n\n{{ output}}\n\nEnd with "Answer: YES" or "Answer: NO".', {
 *     fenced: ['output'],
 *   }),
 *   model,
 *   classify: answerLine(),
 * })
 */

export type { TokenAlternative } from '../judge-model.js'
export type { StandardIssue, StandardResult, StandardSchema } from '../standard-schema.js'
export { json } from './classifiers/json.js'
export type { LabelOptions } from './classifiers/labels.js'
export { answerLine, labels, passFail } from './classifiers/labels.js'
export { type LabelMeaning, matched } from './classifiers/matched.js'
export type { Scale } from './classifiers/probability.js'
export { type ScoreLineOptions, scoreLine } from './classifiers/score-line.js'
export { fence, freshNonce } from './fence.js'
export { type AgentJudgeOptions, agentJudge } from './judges/agent-judge.js'
export { correctness, verifyLines } from './judges/correctness.js'
export { criteria } from './judges/criteria.js'
export { type GEvalOptions, gEval } from './judges/g-eval.js'
export { type PairwiseOptions, pairwise } from './judges/pairwise.js'
export { type RubricCriterion, rubric } from './judges/rubric.js'
export { semanticDiff } from './judges/semantic-diff.js'
export { budget } from './middleware/budget.js'
export { cached, type ModelCache, memoryCache, requestKey } from './middleware/cached.js'
export { type Price, type PriceTable, priced } from './middleware/priced.js'
export { type RateLimitOptions, rateLimit, type SharedLimit } from './middleware/rate-limit.js'
export type { Cassette, CassetteEntry, CassetteStore } from './middleware/replay.js'
export { replay } from './middleware/replay.js'
export { type RetryOptions, retry } from './middleware/retry.js'
export { type ModelMiddleware, wrapModel } from './middleware/wrap-model.js'
export {
  type Classify,
  type JudgeModel,
  type JudgeModelRequest,
  type JudgeModelResponse,
  type ModelInfo,
  type ModelMessage,
  type ModelOptions,
  type Prompt,
  type RenderedPrompt,
  type TokenLogprob,
  userRequest,
} from './model.js'
export { type Models, modelAgent, recorded } from './model-agent.js'
export { type LlmJudgeOptions, llmJudge, type ModelJudgeOptions, modelJudge } from './model-judge.js'
export { type PromptTemplate, promptTemplate, type TemplateOptions } from './template.js'
