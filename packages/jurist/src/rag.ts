/**
 * Judges of retrieval: relevance of the context, grounding of the answer in it, and hallucinations.
 *
 * @example
 * import { faithfulness, hallucination } from 'jurist/rag'
 *
 * const grounded = jury({ judges: { faithful: faithfulness({ model }), sober: hallucination({ model }) } })
 */
export * from '@jurist/core/rag'
