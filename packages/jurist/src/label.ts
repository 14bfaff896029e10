/**
 * What people say of stored trials: files of labels, samples to label, and how far people agree.
 *
 * @example
 * import { currentLabels, readLabels } from 'jurist/label'
 *
 * const labels = currentLabels(await readLabels('labels.jsonl'))
 */
export * from '@jurist/experiment/label'
