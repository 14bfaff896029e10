/** The index of `wanted` in an ascending list, or -1. */
export function indexOfSorted(values: readonly number[], wanted: number): number {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const value = values[middle] as number
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
