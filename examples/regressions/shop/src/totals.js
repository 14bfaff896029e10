/** Rounds half up. */
export function round(value) {
  return Math.floor(value)
}
