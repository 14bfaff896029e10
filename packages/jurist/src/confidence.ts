/**
 * Sources of a judge's confidence, for judges and cascades that decide only if their confidence is high enough.
 *
 * @example
 * import { selectiveJudge } from 'jurist'
 * import { votes } from 'jurist/confidence'
 *
 * const sure = selectiveJudge(judge, { threshold: 0.8, confidence: votes(5) })
 */
export * from '@jurist/core/confidence'
