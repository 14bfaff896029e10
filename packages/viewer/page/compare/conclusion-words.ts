import { type Comparison, findings, flipsText, testText } from '@jurist/experiment/compare'
import { count } from '../amounts.js'

/** What a comparison amounts to, in a sentence or two. */
export function conclusionWords(conclusion: Comparison['conclusion'], passRate: Comparison['passRate']): string {
  const numbers =
    passRate === null
      ? 'No item was decided in both runs.'
      : `${count(passRate.test.better)} items better, ${count(passRate.test.worse)} worse, ${count(passRate.test.same)} the same; ${testText(passRate)}.`
  switch (conclusion) {
    case 'improved':
      return `Improved. ${numbers}`
    case 'regressed':
      return `Regressed. ${numbers}`
    case 'no-difference-detected':
      return `No difference was detected. ${numbers}`
    case 'insufficient-data':
      return `There are too few items to say anything. ${numbers}`
    default:
      return conclusion satisfies never
  }
}

/** How many flips chance alone gives, and which scores moved by more. */
export function chanceWords(comparison: Omit<Comparison, 'items'>): readonly string[] {
  const flips = flipsText(comparison.flips)
  return [...(flips === null ? [] : [flips]), ...findings(comparison)]
}
