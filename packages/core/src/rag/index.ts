/**
 * Judges of answers that rest on retrieved text: was the right thing retrieved, does the answer keep to it?
 *
 * @example
 * import { cascade, jury } from '@jurist/core'
 * import { contextualRelevance, faithfulness } from '@jurist/core/rag'
 *
 * cascade([
 *   { name: 'retrieval', jury: jury({ judges: { relevance: contextualRelevance({ model }) } }), policy: 'reject-on-any-fail' },
 *   { name: 'answer', jury: jury({ judges: { faithful: faithfulness({ model }) } }), policy: 'final' },
 * ])
 */
export { type AnswerRelevanceOptions, answerRelevance } from './answer-relevance.js'
export { type ContextPrecisionOptions, contextPrecision } from './context-precision.js'
export { type ContextRecallOptions, contextRecall } from './context-recall.js'
export { contextualRelevance } from './contextual-relevance.js'
export { type FaithfulnessOptions, faithfulness } from './faithfulness.js'
export { hallucination } from './hallucination.js'
export { type RagFacts, ragFacts, ragKeys } from './rag-facts.js'
