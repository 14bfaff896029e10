/**
 * Human labels for stored trials: files of labels, samples to label, and the agreement between people.
 *
 * @example
 * import { currentLabels, readLabels } from 'jurist/label'
 *
 * const labels = currentLabels(await readLabels('labels.jsonl'))
 */
export * from '@jurist/experiment/label'
