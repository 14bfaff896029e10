export interface Review {
  readonly author: string
  readonly rating?: number
}

const neutral = 3

/** The mean rating, a missing one counted as 3; undefined when there are no reviews. */
export function averageRating(reviews: readonly Review[]): number | undefined {
  if (reviews.length === 0) return undefined
  let sum = 0
  for (const review of reviews) sum += review.rating ?? neutral
  return sum / reviews.length
}
