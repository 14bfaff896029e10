/**
 * Where the confidence of a judge is from, for judges and cascades that decide only where they are sure.
 *
 * @example
 * import { selectiveJudge } from 'jurist'
 * import { votes } from 'jurist/confidence'
 *
 * const sure = selectiveJudge(judge, { threshold: 0.8, confidence: votes(5) })
 */
export * from '@jurist/core/confidence'
