/**
 * What people say of stored trials: files of labels, samples to label, and how far people agree. Needs Node.
 *
 * @example
 * import { currentLabels, labelAgreement, readLabels } from '@jurist/experiment/label'
 *
 * const lines = await readLabels('labels.jsonl')
 * console.log(currentLabels(lines).length, labelAgreement(lines).pairs)
 */
import '../errors.js'

export { calibrateRun } from './calibrate-run.js'
export { humanQueue, queuedTrials } from './human-queue.js'
export { currentLabels, type Label } from './label.js'
export { labelAgreement } from './label-agreement.js'
export { appendLabel, readLabels } from './label-file.js'
export { confidenceOfVerdict, stratifiedSample, uniformSample } from './label-sample.js'
