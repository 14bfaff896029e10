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
export type { StandardSchema } from '../standard-schema.js'
export { json } from './classifiers/json.js'
export { answerLine, labels, passFail } from './classifiers/labels.js'
export { matched } from './classifiers/matched.js'
export { scoreLine } from './classifiers/score-line.js'
export { fence, freshNonce } from './fence.js'
export { agentJudge } from './judges/agent-judge.js'
export { correctness, verifyLines } from './judges/correctness.js'
export { criteria } from './judges/criteria.js'
export { gEval } from './judges/g-eval.js'
export { pairwise } from './judges/pairwise.js'
export { rubric } from './judges/rubric.js'
export { semanticDiff } from './judges/semantic-diff.js'
export { llmJudge } from './llm-judge.js'
export { budget } from './middleware/budget.js'
export { cached, type ModelCache, memoryCache, requestKey } from './middleware/cached.js'
export type { Cassette, CassetteStore } from './middleware/cassette.js'
export { type Price, priced } from './middleware/priced.js'
export { rateLimit, type SharedLimit } from './middleware/rate-limit.js'
export { replay } from './middleware/replay.js'
export { retry } from './middleware/retry.js'
export { type ModelMiddleware, wrapModel } from './middleware/wrap-model.js'
export {
  type Classify,
  type JudgeModel,
  type JudgeModelRequest,
  type JudgeModelResponse,
  type ModelMessage,
  type ModelOptions,
  type Prompt,
  type TokenLogprob,
  userRequest,
} from './model.js'
export { modelAgent } from './model-agent.js'
export { modelJudge } from './model-judge.js'
export { recorded } from './recorded.js'
export { promptTemplate } from './template.js'
