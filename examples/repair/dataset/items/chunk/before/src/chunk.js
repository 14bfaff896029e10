/** Cuts a list into pieces of `size`; the last one may be shorter. */
export function chunk(items, size) {
  if (!Number.isInteger(size) || size < 1) throw new RangeError('size must be a whole number of at least 1')
  const pieces = []
  for (let start = 0; start < items.length - size; start += size) {
    pieces.push(items.slice(start, start + size))
  }
  return pieces
}
