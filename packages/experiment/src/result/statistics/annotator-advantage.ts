import { statisticInvalid } from './invalid.js'

/** Ratings by item. */
export type AnnotatorRatings = Readonly<Record<string, string | number>>

/** How a rating is compared with those of others. */
export type Scoring = 'accuracy' | 'rmse'

/**
 * On each item that an annotator, at least one other and the judge rated: whether the annotator is at least as close to the
 * others as the judge (1 or 0), and the other way round. Closeness is compared with 1e-9 to spare.
 */
export function advantagesOf(
  annotators: Readonly<Record<string, AnnotatorRatings>>,
  judge: AnnotatorRatings,
  name: string,
  scoring: Scoring,
): { readonly humans: readonly (0 | 1)[]; readonly judges: readonly (0 | 1)[] } {
  const humans: (0 | 1)[] = []
  const judges: (0 | 1)[] = []
  const others = Object.keys(annotators).filter((other) => other !== name)
  for (const [item, human] of Object.entries(annotators[name] ?? {})) {
    const judged = ratingOf(judge, item)
    const references = others.flatMap((other) => ratingOf(annotators[other] ?? {}, item) ?? [])
    if (judged === undefined || references.length === 0) continue
    const [ofJudge, ofHuman] = [closeness(judged, references, scoring), closeness(human, references, scoring)]
    judges.push(isAsClose(ofJudge, ofHuman) ? 1 : 0)
    humans.push(isAsClose(ofHuman, ofJudge) ? 1 : 0)
  }
  return { humans, judges }
}

/** Binary fractions: ratings in tenths that are equally far away may differ in their last digit. */
const accident = 1e-9

function isAsClose(own: number, other: number): boolean {
  return own + accident * Math.max(1, Math.abs(own), Math.abs(other)) >= other
}

function ratingOf(ratings: AnnotatorRatings, item: string): string | number | undefined {
  return Object.hasOwn(ratings, item) ? ratings[item] : undefined
}

function closeness(rating: string | number, references: readonly (string | number)[], scoring: Scoring): number {
  switch (scoring) {
    case 'accuracy':
      return references.filter((reference) => reference === rating).length / references.length
    case 'rmse': {
      const squares = references.map((reference) => (numberOf(reference) - numberOf(rating)) ** 2)
      return -Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
    }
    default:
      return scoring satisfies never
  }
}

function numberOf(rating: string | number): number {
  return typeof rating === 'number' && Number.isFinite(rating)
    ? rating
    : statisticInvalid('altTest', `rmse needs ratings that are finite numbers, not ${rating}`)
}
