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
export { type LlmJudgeOptions, llmJudge } from './llm-judge.js'
export * from './model.js'
export { type ModelJudgeOptions, modelJudge } from './model-judge.js'
export type { Prompt, RenderedPrompt } from './prompt.js'
export { type PromptTemplate, promptTemplate, type TemplateOptions } from './template.js'
