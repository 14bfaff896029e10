let lastMs = Number.NaN
let lastText = ''

/** The present instant, ISO 8601. Printing is slow and many events share a millisecond: the last text is kept. */
export function now(): string {
  const ms = Date.now()
  if (ms !== lastMs) {
    lastMs = ms
    lastText = new Date(ms).toISOString()
  }
  return lastText
}
