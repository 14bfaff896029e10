/**
 * Judges that ask a model: prompt, model, classify, each replaceable.
 *
 * @example
 * import { answerLine, modelJudge, promptTemplate } from '@jurist/core/llm'
 *
 * const polite = modelJudge({
 *   name: 'polite',
 *   prompt: promptTemplate('polite', 'Is this polite?\n\n{{output}}\n\nEnd with "Answer: YES" or "Answer: NO".', {
 *     fenced: ['output'],
 *   }),
 *   model,
 *   classify: answerLine(),
 * })
 */
export { json, type StandardResult, type StandardSchema } from './classifiers/json.js'
export type { LabelOptions } from './classifiers/label-set.js'
export { answerLine, labels, passFail } from './classifiers/labels.js'
export { scoreLine } from './classifiers/score-line.js'
export type { Classify } from './classify.js'
export { fence } from './fence.js'
export { agentJudge } from './judges/agent-judge.js'
export { correctness } from './judges/correctness.js'
export { criteria } from './judges/criteria.js'
export { type GEvalOptions, gEval } from './judges/g-eval.js'
export type { ModelBase } from './judges/model-base.js'
export { type PairwiseOptions, pairwise } from './judges/pairwise.js'
export { type RubricCriterion, rubric } from './judges/rubric.js'
export { semanticDiff } from './judges/semantic-diff.js'
export { verifyLines } from './judges/verify-lines.js'
export { type LlmJudgeOptions, llmJudge } from './llm-judge.js'
export * from './model.js'
export { type ModelJudgeOptions, modelJudge } from './model-judge.js'
export type { Prompt, RenderedPrompt } from './prompt.js'
export { type PromptTemplate, promptTemplate, type TemplateOptions } from './template.js'
