import type { CalibrationResult } from '@jurist/experiment/calibrate'
import { percent, score } from '@jurist/experiment/result'
import type { Thresholds } from '../config/config.js'

/** Which thresholds a judge misses, in words. */
export function missesOf({ report }: CalibrationResult, thresholds: Thresholds): readonly string[] {
  const { agreement, kappa, altTest, consistency } = report
  // The alternative annotator test, and whether a judge agrees with itself, need no label.
  const isMeasured = [agreement.value, altTest?.winningRate, consistency.repeats, consistency.swap].some(
    (figure) => figure !== null && figure !== undefined,
  )
  const below = (what: string, value: number | null, wanted: number | undefined, shown: (value: number) => string) =>
    wanted === undefined || (value !== null && value + 1e-9 >= wanted)
      ? []
      : [`${what} ${value === null ? 'unknown' : shown(value)}, ${shown(wanted)} wanted`]
  return [
    ...(isMeasured ? [] : ['nothing was scored']),
    ...below('agreement', agreement.value, thresholds.agreement, (value) => percent(value)),
    ...below("Cohen's kappa", kappa.value, thresholds.kappa, score),
  ]
}
