import type { Judge, Jury } from '@jurist/core'
import type {
  CalibrateOptions,
  CalibrationResult,
  cohenKappa,
  JudgeScorer,
  JudgeScorerResult,
} from '@jurist/experiment/calibrate'
import type { Comparison, ItemChange } from '@jurist/experiment/compare'
import type { ExperimentResult, Interval } from '@jurist/experiment/result'
import { expectTypeOf, test } from 'vitest'

type Kappa = ReturnType<typeof cohenKappa>

test('calibrations', () => {
  expectTypeOf<CalibrateOptions['candidate']>().toEqualTypeOf<Judge | Jury>()
  expectTypeOf<ReturnType<JudgeScorer>>().toEqualTypeOf<JudgeScorerResult>()
  expectTypeOf<CalibrationResult['result']>().toEqualTypeOf<ExperimentResult>()
  expectTypeOf<CalibrationResult['report']['kappa']>().toEqualTypeOf<Kappa>()
  expectTypeOf<Kappa['interval']>().toEqualTypeOf<Interval | null>()
  const scorer: JudgeScorer = ({ actual, expectedLabel }) =>
    expectedLabel === null
      ? { scored: false, why: 'label-missing', reasoning: '' }
      : { scored: true, match: true, score: 1, expected: expectedLabel, predicted: actual.status, reasoning: '' }
  // @ts-expect-error a reason that there is not
  const wrong: JudgeScorer = () => ({ scored: false, why: 'tired', reasoning: '' })
  expectTypeOf(scorer).toEqualTypeOf(wrong)
})

test('comparisons', () => {
  expectTypeOf<Comparison['items']>().toEqualTypeOf<readonly ItemChange[]>()
  expectTypeOf<Comparison['costUsd']>().toEqualTypeOf<Comparison['durationMs']>()
  expectTypeOf<Comparison['scores'][string]['delta']>().toEqualTypeOf<number | null>()
})
