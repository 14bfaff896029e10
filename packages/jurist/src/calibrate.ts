/**
 * Measures how well judges agree with people: calibrations of one or several judges, scorers, and the statistics alone.
 *
 * @example
 * import { altTest, calibrate, exactCategoryMatch } from 'jurist/calibrate'
 *
 * const { report } = await calibrate({ name: 'tone', candidate: tone, items: 'labelled.jsonl', scorer: exactCategoryMatch() })
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/experiment/calibrate'
