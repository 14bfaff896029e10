/**
 * The quantile of sorted values by linear interpolation at (n − 1)p: type 7 of Hyndman and Fan 1996, The American
 * Statistician 50:361. There must be a value.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const place = (sorted.length - 1) * p
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1]
  return high === undefined ? low : low + (place - below) * (high - low)
}
