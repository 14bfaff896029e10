import type { Json } from '@jurist/core'

/** The arguments of a call, in the form in which isolated code receives them. */
export type Input = readonly Json[]

const longestCall = 20_000
const mostCalls = 500

/**
 * Returns the arguments of a function's calls in tests if all of them are literals of JavaScript or Python, in order
 * and without duplicates. Tests that a program contains as a string are read as well.
 *
 * @param alias another name by which the tests may call it
 */
export function recordedInputs(texts: readonly string[], name: string, alias?: string): readonly Input[] {
  const names = [name, ...(alias === undefined ? [] : [alias])].map((one) => one.replaceAll('$', '\\$'))
  const call = new RegExp(`(?<![\\w$])(?:${names.join('|')})\\s{0,9}\\(`, 'g')
  const found = new Map<string, Input>()
  for (const text of texts.flatMap((whole) => [whole, ...programsIn(whole)]))
    for (const { index, 0: begin } of text.matchAll(call)) {
      if (found.size >= mostCalls) break
      const start = index + begin.length
      const input = list({ text: text.slice(start, start + longestCall), at: 0 }, ')')
      if (input !== undefined) found.set(JSON.stringify(input), input)
    }
  return [...found.values()]
}

/** Returns the multi-line strings in a source. */
function programsIn(text: string): readonly string[] {
  const strings = [...text.matchAll(new RegExp(quoted.source, 'g'))].map(([found]) => unquoted(found))
  return strings.filter((one) => one.includes('\n'))
}

const constants: { readonly [word: string]: Json } = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: { $: 'undefined' },
  NaN: { $: 'number', is: 'NaN' },
  Infinity: { $: 'number', is: 'Infinity' },
}
const space = /(?:\s|\/\/.*|#.*)*/y
const number = /[-+]?(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])/y
const word = /[A-Za-z_$][\w$]*/y
const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`/y
const deepest = 50

interface Cursor {
  readonly text: string
  at: number
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at
  const [found] = pattern.exec(cursor.text) ?? []
  if (found !== undefined) cursor.at += found.length
  return found
}

function sign(cursor: Cursor, wanted: string): boolean {
  take(cursor, space)
  const isThere = cursor.text.startsWith(wanted, cursor.at)
  if (isThere) cursor.at += wanted.length
  return isThere
}

/**
 * Reads the values up to a closing sign; a trailing comma is allowed. Returns `undefined` if one of them is not a
 * literal.
 */
function list(cursor: Cursor, closing: string, depth = 0): readonly Json[] | undefined {
  const values: Json[] = []
  while (!sign(cursor, closing)) {
    const value = literal(cursor, depth + 1)
    if (value === undefined) return undefined
    values.push(value)
    if (sign(cursor, ',')) continue
    return sign(cursor, closing) ? values : undefined
  }
  return values
}

function record(cursor: Cursor, depth: number): Json | undefined {
  const members: { [key: string]: Json } = {}
  while (!sign(cursor, '}')) {
    take(cursor, space)
    const key = string(cursor) ?? take(cursor, word) ?? take(cursor, number)
    const value = key === undefined || !sign(cursor, ':') ? undefined : literal(cursor, depth + 1)
    if (key === undefined || value === undefined || key === '__proto__' || key === '$') return undefined
    members[key] = value
    if (sign(cursor, ',')) continue
    return sign(cursor, '}') ? members : undefined
  }
  return members
}

function string(cursor: Cursor): string | undefined {
  const found = take(cursor, quoted)
  return found === undefined ? undefined : unquoted(found)
}

function tuple(cursor: Cursor, depth: number): Json | undefined {
  const is = list(cursor, ')', depth)
  return is === undefined ? undefined : is.length === 1 ? is[0] : { $: 'tuple', is }
}

function literal(cursor: Cursor, depth: number): Json | undefined {
  if (depth > deepest) return undefined
  if (sign(cursor, '[')) return list(cursor, ']', depth)
  if (sign(cursor, '{')) return record(cursor, depth)
  if (sign(cursor, '(')) return tuple(cursor, depth)
  const found = string(cursor)
  if (found !== undefined) return found
  const digits = take(cursor, number)
  if (digits !== undefined) return Number(digits.replaceAll('_', ''))
  const name = take(cursor, word)
  return name === undefined || !Object.hasOwn(constants, name) ? undefined : constants[name]
}

const escapes: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r', 0: '\0', b: '\b', f: '\f', v: '\v' }

function unquoted(literal: string): string {
  return literal.slice(1, -1).replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi, (_, ...parts) => {
    const [long, short, byte, letter] = parts as readonly (string | undefined)[]
    const code = long ?? short ?? byte
    if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
    return escapes[letter ?? ''] ?? (letter === '\n' ? '' : (letter ?? ''))
  })
}
