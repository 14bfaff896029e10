import { counted, grouped, rateInterval } from '../../result/amounts.js'
import { wilsonInterval } from '../../result/statistics/rate-intervals.js'
import type { CalibrationReport, ConfusionMatrix } from '../calibration.js'

/** An interval that is wider says little. */
const roughWidth = 0.3

/**
 * What a lead wants to know of a judge: of how many trials that people fail it passes some, and the other way round, with
 * Wilson's intervals, and whether the labels are few.
 */
export function errorSentence(judge: string, { confusion }: Pick<CalibrationReport, 'confusion'>): string {
  const [ofFails, ofPasses] = [errorsOf(confusion, 'fail', 'pass'), errorsOf(confusion, 'pass', 'fail')]
  const rough = [ofFails, ofPasses].filter(({ width }) => width > roughWidth).map(({ labelled }) => labelled)
  return [
    `${judge} passes ${ofFails.count} trials that people fail${ofFails.bounds}`,
    `and fails ${ofPasses.count} that they pass${ofPasses.bounds}.`,
    ...(rough.length === 0 ? [] : [`Rough: people labelled only ${rough.join(' and ')}.`]),
  ].join(' ')
}

/** How many trials with a label are judged otherwise. */
function errorsOf({ labels, matrix }: ConfusionMatrix, label: 'pass' | 'fail', judged: 'pass' | 'fail') {
  const row = matrix[labels.indexOf(label)] ?? []
  const [errors, of] = [row[labels.indexOf(judged)] ?? 0, row.reduce((sum, count) => sum + count, 0)]
  const interval = wilsonInterval(errors, of)
  return {
    count: `${grouped(errors)} of ${grouped(of)}`,
    bounds: interval === null ? '' : ` (95 %: ${rateInterval(interval)})`,
    width: interval === null ? 1 : interval.high - interval.low,
    labelled: counted(of, label, label === 'pass' ? 'passes' : 'fails'),
  }
}
