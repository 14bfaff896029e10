/**
 * How well a judge agrees with people: calibrations of one judge or of several, scorers, and the statistics by themselves.
 *
 * @example
 * import { altTest, calibrate, exactCategoryMatch } from 'jurist/calibrate'
 *
 * const { report } = await calibrate({ name: 'tone', candidate: tone, items: 'labelled.jsonl', scorer: exactCategoryMatch() })
 */
export * from '@jurist/experiment/calibrate'
