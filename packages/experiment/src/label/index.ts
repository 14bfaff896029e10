/**
 * Labels that people give to stored trials: files of labels, samples to label, and how far people agree. Needs Node.
 *
 * @example
 * import { currentLabels, labelAgreement, readLabels } from '@jurist/experiment/label'
 *
 * const lines = await readLabels('labels.jsonl')
 * console.log(currentLabels(lines).length, labelAgreement(lines).pairs)
 */
import '../errors.js'

export type { Ends } from '../result/statistics/bets.js'
export {
  estimateRate,
  type LabelledDifference,
  type LabelledRate,
  type LabelledRateInput,
  type LabelledStratum,
} from '../result/statistics/labelled-rate.js'
export { type CalibrateRunOptions, calibrateRun, type RunCalibration } from './calibrate-run.js'
export {
  estimateDifference,
  estimateRun,
  type RunEstimate,
} from './estimate-run.js'
export { type HumanQueueOptions, humanQueue, type QueuedTrial, queuedTrials } from './human-queue.js'
export { currentLabels, type Label } from './label.js'
export {
  type AnnotatorPair,
  type JudgeOnLabels,
  type LabelAgreement,
  type LabelDisagreement,
  labelAgreement,
  type Matches,
} from './label-agreement.js'
export { appendLabel, readLabels } from './label-file.js'
export {
  confidenceOfVerdict,
  type LabelledTrial,
  type SampleOptions,
  stratifiedSample,
  uniformSample,
} from './label-sample.js'
