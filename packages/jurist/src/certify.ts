/**
 * Cascades whose thresholds guarantee an upper bound on their error rate.
 *
 * @example
 * import { calibrateCascade } from 'jurist/certify'
 *
 * const { certificate, why } = await calibrateCascade({ name: 'answers', items: 'labelled.jsonl', tiers })
 */
export * from '@jurist/experiment/certify'
