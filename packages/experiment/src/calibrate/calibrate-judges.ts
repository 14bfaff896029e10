import { optionInvalid } from '@jurist/core/internal'
import { counted, grouped, pEquals, percent, points } from '../result/amounts.js'
import type { ExperimentResult } from '../result/records.js'
import { calibrate } from './calibrate.js'
import type { ReportOptions } from './calibrate-options.js'
import type { CalibrationResult } from './calibration.js'
import { type JudgeComparison, type JudgeRow, type JudgesCalibration, judgeComparisons } from './judges-calibration.js'
import { type CalibrateJudgesOptions, plannedJudges } from './planned-judges.js'
import { calibrationOf } from './report/calibration-report.js'

/**
 * Calibrates several judges on the same items, one after the other, and sets them side by side: one table of agreement,
 * kappa, flips and price, and each pair of them by McNemar's exact test with Holm's correction. Each judge is a separate
 * stored run, `name.judge`. If items contain recorded answers with two places exchanged (`metadata.saidSwapped`), these
 * are compared too.
 *
 * @throws what `calibrate` throws, and `option-invalid` where there are no judges
 *
 * @example
 * import { calibrateJudges } from '@jurist/experiment/calibrate'
 *
 * // Rows such as {"id":"1","task":"…","label":"pass","said":{"gpt4":"pass","palm2":"fail"}}
 * const { table, comparisons } = await calibrateJudges({ name: 'pairs', items: 'pairs.jsonl' })
 */
export async function calibrateJudges(options: CalibrateJudgesOptions): Promise<JudgesCalibration> {
  const { name, calibrations } = await plannedJudges(options)
  const made: CalibrationResult[] = []
  for (const calibration of calibrations) {
    if (options.signal?.aborted === true && made.length > 0) break
    made.push(await calibrate(calibration))
  }
  return judgesCalibration(name, made)
}

/**
 * Several judges on the same items in one table, from their stored runs: agreement, kappa, flips and price of each, and every
 * two of them by McNemar's exact test with Holm's correction. Nothing is judged.
 *
 * @param runs of kind `judge`; of two runs of one judge the later one in the list counts
 * @throws `option-invalid` for runs of another kind, and for none
 *
 * @example
 * import { calibrate, judgesCalibrationOf, recorded } from '@jurist/experiment/calibrate'
 *
 * const items = 'pairs.jsonl'
 * const gpt4 = await calibrate({ name: 'pairs', candidate: recorded('gpt4'), items })
 * const palm2 = await calibrate({ name: 'pairs', candidate: recorded('palm2'), items })
 * const { table, comparisons } = judgesCalibrationOf('pairs', [gpt4.result, palm2.result])
 */
export function judgesCalibrationOf(
  name: string,
  runs: readonly ExperimentResult[],
  options?: ReportOptions,
): JudgesCalibration {
  if (runs.length === 0) optionInvalid('runs', 'judgesCalibrationOf: give at least one run of kind judge.')
  return judgesCalibration(
    name,
    runs.map((run) => calibrationOf(run, options)),
  )
}

function judgeOf({ metadata, experimentName }: ExperimentResult): string {
  const { candidate } = metadata
  return typeof candidate === 'string' ? candidate : experimentName
}

/** Everything that follows from the calibrations of several judges. Of two of one judge the later one counts. */
export function judgesCalibration(name: string, made: readonly CalibrationResult[]): JudgesCalibration {
  const calibrations = Object.fromEntries(made.map((calibration) => [judgeOf(calibration.result), calibration]))
  const table = Object.entries(calibrations)
    .map(([judge, calibration]) => rowOf(judge, calibration))
    .sort((one, other) => (other.agreement ?? -1) - (one.agreement ?? -1))
  const comparisons = judgeComparisons(calibrations)
  return { name, calibrations, table, comparisons, notes: notesOf(table, comparisons, calibrations) }
}

function rowOf(judge: string, { result, report }: CalibrationResult): JudgeRow {
  const { agreement, kappa, counts, consistency } = report
  return {
    judge,
    run: result.id,
    trials: counts.trials,
    scored: counts.scored,
    matches: counts.matches,
    agreement: agreement.value,
    interval: agreement.wilson ?? agreement.bootstrap,
    kappa: kappa.value,
    flipRate: consistency.swap?.flipRate ?? null,
    flipPairs: consistency.swap?.items ?? 0,
    costUsd: result.judgeCostUsd,
    pricedTrials: result.items.filter(({ judgeCostUsd }) => judgeCostUsd !== null).length,
  }
}

function notesOf(
  table: readonly JudgeRow[],
  comparisons: readonly JudgeComparison[],
  calibrations: Readonly<Record<string, CalibrationResult>>,
): readonly string[] {
  const own = Object.entries(calibrations).flatMap(([judge, { report }]) =>
    report.notes.map((note) => `${judge}: ${note}`),
  )
  return [...bestNotes(table, comparisons), ...unevenNotes(table), ...own]
}

/** Whether the best of the table is better than the next, or only the first of several that are indistinguishable. */
function bestNotes(table: readonly JudgeRow[], comparisons: readonly JudgeComparison[]): readonly string[] {
  const [best, ...others] = table.filter(({ agreement }) => agreement !== null)
  if (best === undefined || others.length === 0) return []
  const alike = others.filter(({ judge }) => !isBetter(best.judge, judge, comparisons)).map(({ judge }) => judge)
  const rate = `${best.judge} agrees most often, ${percent(best.agreement)}`
  if (alike.length === 0) {
    const [next] = others
    const duel = comparisons.find(({ judges }) => judges.includes(best.judge) && judges.includes(next?.judge ?? ''))
    const difference =
      duel === undefined
        ? ''
        : ` (the next one, ${next?.judge}: ${points(-Math.abs(duel.difference ?? 0))} points, ${pEquals(duel.holm)} after Holm)`
    return [`${rate}, and is better than every other judge${difference}.`]
  }
  return [
    `${rate}; not distinguishable from it: ${alike.join(', ')} (exact McNemar after Holm). The cheapest of these may suffice.`,
  ]
}

function isBetter(best: string, judge: string, comparisons: readonly JudgeComparison[]): boolean {
  const duel = comparisons.find(({ judges }) => judges.includes(best) && judges.includes(judge))
  if (duel?.isDifferent !== true || duel.difference === null) return false
  return duel.judges[0] === best ? duel.difference > 0 : duel.difference < 0
}

/** Rates of different trials cannot be put in an order. */
function unevenNotes(table: readonly JudgeRow[]): readonly string[] {
  const counts = table.map(({ scored }) => scored)
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  if (fewest === most) return []
  return [
    `The judges were scored on ${grouped(fewest)} to ${counted(most, 'trial')}: agreement and kappa are each of their own trials, and only the comparisons are of the trials that both were scored on.`,
  ]
}
