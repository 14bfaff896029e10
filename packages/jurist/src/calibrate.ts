/**
 * Measures the agreement of judges with people: calibrations of one or several judges, scorers, and the statistics on
 * their own.
 *
 * @example
 * import { altTest, calibrate, exactCategoryMatch } from 'jurist/calibrate'
 *
 * const { report } = await calibrate({ name: 'tone', candidate: tone, items: 'labelled.jsonl', scorer: exactCategoryMatch() })
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/experiment/calibrate'
