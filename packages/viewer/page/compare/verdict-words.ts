import type { Comparison } from '@jurist/experiment/compare'
import { count, pEquals } from '../amounts.js'

/** What a comparison amounts to, in a sentence or two. */
export function verdictWords(verdict: Comparison['verdict'], passRate: Comparison['passRate']): string {
  const numbers =
    passRate === null
      ? 'No item was decided in both runs.'
      : `${count(passRate.test.better)} items better, ${count(passRate.test.worse)} worse, ${count(passRate.test.same)} the same; ${pEquals(passRate.test.pValue)} (${passRate.test.method === 'mcnemar-exact' ? 'McNemar, exact' : 'sign test, exact'}).`
  switch (verdict) {
    case 'improved':
      return `Improved. ${numbers}`
    case 'regressed':
      return `Regressed. ${numbers}`
    case 'no-difference-detected':
      return `No difference was detected. ${numbers}`
    case 'insufficient-data':
      return `There are too few items to say anything. ${numbers}`
    default:
      return verdict satisfies never
  }
}
