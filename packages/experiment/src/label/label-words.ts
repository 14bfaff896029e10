import type { AnnotatorPair } from './label-agreement.js'

/** `ana and ben agree on 18 of 20 trials (kappa 0.78)`. */
export function pairText({ annotators, agreeing, trials, kappa }: AnnotatorPair): string {
  const measure = kappa === null ? '' : ` (kappa ${kappa.toFixed(2)})`
  return `${annotators.join(' and ')} agree on ${agreeing} of ${trials} trials${measure}`
}

/** The categories of a line that a person types: `math, careless`. */
export function categoriesIn(line: string): readonly string[] {
  const words = line.split(',').map((word) => word.trim())
  return [...new Set(words.filter((word) => word !== ''))]
}
