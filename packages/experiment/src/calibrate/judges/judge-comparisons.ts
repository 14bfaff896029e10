import { meanOf } from '../../result/statistics/descriptive.js'
import { holmAdjusted, mcnemarExact } from '../../result/statistics/paired-tests.js'
import type { CalibrationResult } from '../calibration.js'
import { factsOf } from '../kept-facts.js'
import type { JudgeComparison } from './judges-calibration.js'

const significance = 0.05

type Calibrations = Readonly<Record<string, Pick<CalibrationResult, 'result'>>>

/**
 * Every two judges by McNemar's exact test, the family-wise error over all pairs controlled after Holm 1979. Repetitions of an
 * item, and items of a cluster, depend on each other: each item or cluster counts once, for the judge that is right more
 * often on the trials that both were scored on.
 *
 * @param calibrations by judge
 * @returns every two judges, the smallest p value first
 *
 * @example
 * const [duel] = judgeComparisons({ gpt4, palm2 })
 */
export function judgeComparisons(calibrations: Calibrations): readonly JudgeComparison[] {
  const judges = Object.entries(calibrations).map(([name, { result }]) => ({
    name,
    units: matchesByUnit(result.items),
  }))
  const compared = judges.flatMap((one, index) => judges.slice(index + 1).map((other) => comparisonOf(one, other)))
  const adjusted = holmAdjusted(compared.map(({ pValue }) => pValue))
  return compared
    .map((comparison, index) => {
      const holm = adjusted[index] ?? 1
      return { ...comparison, holm, isDifferent: holm < significance }
    })
    .sort((one, other) => one.pValue - other.pValue)
}

/** Whether each trial matched its label, by what depends on each other and then by trial. */
type Units = ReadonlyMap<string, ReadonlyMap<string, boolean>>

interface Measured {
  readonly name: string
  readonly units: Units
}

function matchesByUnit(items: CalibrationResult['result']['items']): Units {
  const units = new Map<string, Map<string, boolean>>()
  for (const item of items) {
    if (item.passed === null) continue
    const unit = factsOf(item).cluster ?? item.itemId
    const trials = units.get(unit) ?? new Map<string, boolean>()
    units.set(unit, trials)
    trials.set(`${item.repetition} ${item.itemId}`, item.passed)
  }
  return units
}

function comparisonOf(one: Measured, other: Measured): Omit<JudgeComparison, 'holm' | 'isDifferent'> {
  const differences = [...one.units].flatMap(([unit, trials]) => differenceOn(trials, other.units.get(unit)))
  const onlyOne = differences.filter((difference) => difference > 0).length
  const onlyOther = differences.filter((difference) => difference < 0).length
  return {
    judges: [one.name, other.name],
    pairs: differences.length,
    onlyOne,
    onlyOther,
    difference: differences.length === 0 ? null : meanOf(differences),
    pValue: mcnemarExact(onlyOther, onlyOne),
  }
}

/** The difference of agreement on the trials that both were scored on; `[]`: there is none. */
function differenceOn(
  trials: ReadonlyMap<string, boolean>,
  others: ReadonlyMap<string, boolean> | undefined,
): readonly number[] {
  const both = [...trials].flatMap(([trial, match]) => {
    const theirs = others?.get(trial)
    return theirs === undefined ? [] : [Number(match) - Number(theirs)]
  })
  return both.length === 0 ? [] : [both.reduce((sum, difference) => sum + difference, 0) / both.length]
}
