/** Returns `undefined`, which is not a JSON value, for invalid JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns `undefined` for invalid JSON and for values that are not objects. */
export function parseObject(text: string): { readonly [key: string]: unknown } | undefined {
  const value = parseOrUndefined(text)
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Skips blank lines and returns `undefined` for each invalid line. */
export function parseLines(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseOrUndefined(line)]))
}

/** Puts each value on its own line, with a line break after the last one. */
export function jsonLines(values: Iterable<unknown>): string {
  let text = ''
  for (const value of values) text += `${JSON.stringify(value)}\n`
  return text
}
