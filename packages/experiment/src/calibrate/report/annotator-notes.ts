import { percent } from '../../result/amounts.js'
import type { CalibrationReport } from '../calibration.js'

/** What a reader should know of the alternative annotator test. */
export function annotatorNotes({ altTest }: Pick<CalibrationReport, 'altTest'>): readonly string[] {
  if (altTest === null) return []
  const { passes, constant, epsilon, minimumItems } = altTest
  if (passes === null)
    return [
      `The alternative annotator test decided nothing: no annotator rated ${minimumItems} items that the candidate and another annotator judged as well. Rate more items, or lower the option altTest.minimumItems.`,
    ]
  if (!passes || constant?.passes !== true) return []
  return [
    `Always saying ${constant.label} passes the alternative annotator test as well (winning rate ${percent(constant.winningRate)} at epsilon ${epsilon}): passing it says little about the candidate. Try a smaller altTest.epsilon.`,
  ]
}
