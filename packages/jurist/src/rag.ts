/**
 * Judges of retrieval: whether the context was relevant, whether the answer rests on it, whether it makes things up.
 *
 * @example
 * import { faithfulness, hallucination } from 'jurist/rag'
 *
 * const grounded = jury({ judges: { faithful: faithfulness({ model }), sober: hallucination({ model }) } })
 */
export * from '@jurist/core/rag'
