import { counted, grouped, rateInterval } from '../../result/amounts.js'
import { wilsonInterval } from '../../result/statistics/rate-intervals.js'
import type { CalibrationResult, ConfusionMatrix } from '../calibration.js'

/** A wider interval is rough. */
const roughWidth = 0.3

/**
 * Describes the errors of each judge in a sentence: of how many trials that people fail it passes some, and the other way round, with
 * Wilson's intervals; in a last line, whether the labels are few. A member that errs exactly as the jury of one does has no line.
 */
export function errorSentences(
  calibrations: Readonly<Record<string, Pick<CalibrationResult, 'report'>>>,
): readonly string[] {
  const judges = juryFirst(Object.entries(calibrations)).map(([judge, { report }]) => [judge, report] as const)
  const [first, second] = judges
  const isOne = judges.length === 2 && JSON.stringify(first?.[1].confusion) === JSON.stringify(second?.[1].confusion)
  const told = (isOne ? judges.slice(0, 1) : judges).map(([judge, { confusion }]) => {
    return { judge, ofFails: errorsOf(confusion, 'fail', 'pass'), ofPasses: errorsOf(confusion, 'pass', 'fail') }
  })
  const few = told
    .map(({ ofFails, ofPasses }) => [ofFails, ofPasses].filter(({ width }) => width > roughWidth))
    .find((errors) => errors.length > 0)
  const labelled = few?.map((errors) => errors.labelled) ?? []
  return [
    ...told.map(({ judge, ofFails, ofPasses }) => {
      const passes = `passes ${ofFails.count} trials that people fail${ofFails.bounds}`
      const fails = (they: string) => `fails ${ofPasses.count} ${they} pass${ofPasses.bounds}`
      if (ofFails.of > 0) return `${judge} ${passes}${ofPasses.of > 0 ? ` and ${fails('that they')}` : ''}.`
      return `${judge} ${ofPasses.of > 0 ? fails('trials that people') : 'decided no labelled trial'}.`
    }),
    ...(labelled.length === 0 ? [] : [`Rough: people labelled only ${labelled.join(' and ')}.`]),
  ]
}

/** Sorts values by judge: the jury of the run first. */
export function juryFirst<Value>(judges: Iterable<readonly [string, Value]>): readonly (readonly [string, Value])[] {
  return [...judges].toSorted(([one], [other]) => Number(other === 'jury') - Number(one === 'jury'))
}

/** How many trials with a label are judged otherwise. */
function errorsOf({ labels, matrix }: ConfusionMatrix, label: 'pass' | 'fail', judged: 'pass' | 'fail') {
  const row = matrix[labels.indexOf(label)] ?? []
  const [errors, of] = [row[labels.indexOf(judged)] ?? 0, row.reduce((sum, count) => sum + count, 0)]
  const interval = wilsonInterval(errors, of)
  return {
    of,
    count: `${grouped(errors)} of ${grouped(of)}`,
    bounds: interval === null ? '' : ` (95 %: ${rateInterval(interval)})`,
    width: interval === null ? 1 : interval.high - interval.low,
    labelled: counted(of, label, label === 'pass' ? 'passes' : 'fails'),
  }
}
