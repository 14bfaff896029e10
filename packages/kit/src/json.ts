/** The value that a JSON string holds; `undefined`, which no JSON value is, when it is not JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object that a JSON string holds; `undefined` when it is not JSON, or holds anything else. */
export function parseObject(text: string): { readonly [key: string]: unknown } | undefined {
  const value = parseOrUndefined(text)
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The values of JSON lines, blank lines left out; `undefined` for each line that is not JSON. */
export function parseLines(text: string): readonly unknown[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseOrUndefined(line)]))
}

/** The values as JSON lines: each on its own line, with a line break after the last one. */
export function jsonLines(values: Iterable<unknown>): string {
  let text = ''
  for (const value of values) text += `${JSON.stringify(value)}\n`
  return text
}
