/** Deeper nesting is not data that people put into a cell. */
const maxDepth = 32

/** A parsed value and the position after it. */
interface Parsed {
  readonly value: unknown
  readonly end: number
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['None', null],
  ['nan', null],
  ['True', true],
  ['False', false],
])

/**
 * The list, tuple or dictionary that a string holds as Python or numpy prints it: `['a', "it's"]`, `['a'\n 'b']`,
 * `array([1, 2], dtype=int64)`, `{'a': None}`. `undefined` for anything else.
 *
 * @see https://docs.python.org/3/reference/lexical_analysis.html#string-and-bytes-literals
 */
export function parsePython(text: string): unknown {
  const parsed = valueAt(text, skipped(text, 0), 0)
  return parsed !== undefined && skipped(text, parsed.end) === text.length ? parsed.value : undefined
}

/** Past white space. */
function skipped(text: string, start: number): number {
  const space = /\s*/y
  space.lastIndex = start
  space.exec(text)
  return space.lastIndex
}

function valueAt(text: string, at: number, depth: number): Parsed | undefined {
  if (depth > maxDepth) return undefined
  if (text[at] === '[') return membersAt(text, at + 1, ']', depth)
  if (text[at] === '(') return membersAt(text, at + 1, ')', depth)
  if (text[at] === '{') return entriesAt(text, at + 1, depth)
  const array = matchAt(/(?:np\.)?array\(/y, text, at)
  if (array !== undefined) return arrayAt(text, array.end, depth)
  return stringAt(text, at) ?? scalarAt(text, at)
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found === null ? undefined : { found, end: pattern.lastIndex }
}

/** Members are separated by a comma, as in a list, or by white space alone, as numpy prints them. */
function membersAt(text: string, start: number, close: string, depth: number): Parsed | undefined {
  const value: unknown[] = []
  for (let at = skipped(text, start); ; ) {
    if (text[at] === close) return { value, end: at + 1 }
    const member = valueAt(text, at, depth + 1)
    if (member === undefined) return undefined
    value.push(member.value)
    const next = skipped(text, member.end)
    at = text[next] === ',' ? skipped(text, next + 1) : next
    if (at === member.end && text[at] !== close) return undefined
  }
}

function entriesAt(text: string, start: number, depth: number): Parsed | undefined {
  const entries: [string, unknown][] = []
  for (let at = skipped(text, start); ; ) {
    if (text[at] === '}') return { value: Object.fromEntries(entries), end: at + 1 }
    const key = valueAt(text, at, depth + 1)
    const colon = key === undefined ? 0 : skipped(text, key.end)
    if (key === undefined || text[colon] !== ':') return undefined
    const member = valueAt(text, skipped(text, colon + 1), depth + 1)
    if (member === undefined) return undefined
    entries.push([String(key.value), member.value])
    const next = skipped(text, member.end)
    if (text[next] !== ',' && text[next] !== '}') return undefined
    at = text[next] === ',' ? skipped(text, next + 1) : next
  }
}

/** Parses the rest of `array([…], dtype=object)`. */
function arrayAt(text: string, start: number, depth: number): Parsed | undefined {
  const members = valueAt(text, skipped(text, start), depth + 1)
  const rest = members && matchAt(/\s*(?:,\s*(?:dtype|shape)=[^()[\]]*(?:\([^()]*\))?)*\s*\)/y, text, members.end)
  return members && rest && { value: members.value, end: rest.end }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['0', '\0'],
  ['\n', ''],
])

function stringAt(text: string, at: number): Parsed | undefined {
  const single = matchAt(/[ub]?'((?:[^'\\]|\\[\s\S])*)'/iy, text, at)
  const found = single ?? matchAt(/[ub]?"((?:[^"\\]|\\[\s\S])*)"/iy, text, at)
  if (found === undefined) return undefined
  const value = (found.found[1] ?? '').replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([\s\S]))/gi,
    (whole, byte?: string, short?: string, long?: string, letter = '') => {
      const point = Number.parseInt(byte ?? short ?? long ?? '', 16)
      if (!Number.isNaN(point)) return point > 0x10ffff ? whole : String.fromCodePoint(point)
      return escapes.get(letter) ?? (/['"\\]/.test(letter) ? letter : whole)
    },
  )
  return { value, end: found.end }
}

function scalarAt(text: string, at: number): Parsed | undefined {
  const scalar = matchAt(/[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?|None|True|False|nan/iy, text, at)
  if (scalar === undefined) return undefined
  const [written] = scalar.found
  if (words.has(written)) return { value: words.get(written), end: scalar.end }
  const value = Number(written.replaceAll('_', ''))
  return Number.isFinite(value) ? { value, end: scalar.end } : undefined
}
