const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/**
 * A number of bytes with a decimal unit.
 *
 * @example
 * bytesText(1_234_567) // '1.2 MB'
 */
export function bytesText(bytes: number): string {
  let [value, at] = [bytes, 0]
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1_000
    at += 1
  }
  return `${at === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[at]}`
}
