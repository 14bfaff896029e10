/**
 * Cascades whose thresholds carry a bound on their mistakes.
 *
 * @example
 * import { calibrateCascade } from 'jurist/certify'
 *
 * const { certificate, why } = await calibrateCascade({ name: 'answers', items: 'labelled.jsonl', tiers })
 */
export * from '@jurist/experiment/certify'
