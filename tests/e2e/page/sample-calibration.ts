import { fail, type Judge, jury, majority, numerical, pass } from '@jurist/core'
import { calibrate } from '@jurist/experiment/calibrate'
import { dataset } from '@jurist/experiment/dataset'
import type { ResultStore } from '@jurist/experiment/store'
import { chance } from './chance.js'

/** Makes a calibration of a jury of five against eighty labels, twice each. */
export async function makeSampleCalibration(store: ResultStore): Promise<string> {
  const { result } = await calibrate({
    name: 'clarity',
    candidate: jury({
      judges: {
        strict: judgeOf('strict', 0.12),
        lenient: judgeOf('lenient', -0.18),
        plain: judgeOf('plain', 0),
        careful: judgeOf('careful', 0.04),
        quick: judgeOf('quick', -0.1),
      },
      vote: majority(),
    }),
    items: dataset({
      name: 'answers',
      items: Array.from({ length: 80 }, (_, index) => ({
        id: `answer-${String(index + 1).padStart(2, '0')}`,
        task: 'Say what was changed, and how it was checked.',
        metadata: { label: isGood(index) ? 'pass' : 'fail', output: answers[index % answers.length] ?? '', index },
      })),
    }),
    repetitions: 2,
    store,
  })
  return result.id
}

const answers: readonly string[] = [
  'Totals are counted in cents. All 14 tests pass.',
  'Done.',
  'I changed what was asked for, and the build is green.',
  'The tests could not be run, but it should work now.',
]

function isGood(index: number): boolean {
  return chance(`label ${index}`) < 0.6
}

/** A judge that is right more often the surer it is; `strictness` moves where it draws the line. */
function judgeOf(name: string, strictness: number): Judge {
  return async ({ metadata }) => {
    const { index, repetition } = metadata as { readonly index: number; readonly repetition: number }
    const doubt = chance(`${name} ${index} ${repetition}`)
    const belief = (isGood(index) ? 0.74 : 0.26) + (doubt - 0.5) * 0.8 - strictness
    const value = Math.round(Math.min(1, Math.max(0, belief)) * 100) / 100
    const say = value >= 0.5 ? pass : fail
    return say(
      value >= 0.5 ? 'It says what was changed and why that is right.' : 'It does not say how it was checked.',
      {
        score: numerical(value),
        metadata: { confidence: Math.abs(value - 0.5) + 0.5 },
      },
    )
  }
}
