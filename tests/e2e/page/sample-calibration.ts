import { fail, type Judge, jury, majority, numerical, pass } from '@jurist/core'
import { calibrate } from '@jurist/experiment/calibrate'
import { type DatasetItem, dataset } from '@jurist/experiment/dataset'
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
    swap: (context) => ({ ...context, metadata: { ...context.metadata, repetition: 'swapped' } }),
    annotators: ({ metadata }) =>
      Object.fromEntries(['ann', 'ben', 'cat'].map((name) => [name, rated(name, metadata)])),
    altTest: { epsilon: 0.1 },
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

/** What an annotator says: one label in ten is another one. */
function rated(name: string, { index }: DatasetItem['metadata']): string {
  return isGood(Number(index)) === chance(`${name} ${index}`) >= 0.1 ? 'pass' : 'fail'
}

/** A judge that is right more often the more certain it is; `strictness` moves where it draws the line. */
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
