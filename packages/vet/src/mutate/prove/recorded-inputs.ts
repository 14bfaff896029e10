import type { Json } from '@jurist/core'

/** The arguments of a call, in the form in which isolated code gets them. */
export type Input = readonly Json[]

const longestCall = 20_000
const mostCalls = 500

/**
 * The arguments of the calls of a function in texts of tests, where all of them are literals of JavaScript or Python; each
 * once, in order.
 *
 * @param alias another name by which the tests may call it
 *
 * @example
 * recordedInputs(['assert.equal(sum(1, -2), 3)'], 'sum') // [[1, -2]]
 */
export function recordedInputs(texts: readonly string[], name: string, alias?: string): readonly Input[] {
  const names = [name, ...(alias === undefined ? [] : [alias])].map((one) => one.replaceAll('$', '\\$'))
  const call = new RegExp(`(?<![\\w$])(?:${names.join('|')})\\s{0,9}\\(`, 'g')
  const found = new Map<string, Input>()
  for (const text of texts)
    for (const { index, 0: begin } of text.matchAll(call)) {
      if (found.size >= mostCalls) break
      const read = reader(text.slice(index + begin.length, index + begin.length + longestCall))
      const input = read.list(')')
      if (input !== undefined) found.set(JSON.stringify(input), input)
    }
  return [...found.values()]
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

/** Reads literals one after the other; `undefined` is anything else. */
function reader(text: string) {
  let at = 0
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  function sign(wanted: string): boolean {
    take(space)
    const isThere = text.startsWith(wanted, at)
    if (isThere) at += wanted.length
    return isThere
  }
  /** The values up to a closing sign; a comma may be the last. */
  function list(closing: string, depth = 0): readonly Json[] | undefined {
    const values: Json[] = []
    while (!sign(closing)) {
      const value = depth > deepest ? undefined : literal(depth + 1)
      if (value === undefined) return undefined
      values.push(value)
      if (sign(',')) continue
      return sign(closing) ? values : undefined
    }
    return values
  }
  function record(depth: number): Json | undefined {
    const members: { [key: string]: Json } = {}
    while (!sign('}')) {
      take(space)
      const key = string() ?? take(word) ?? take(number)
      const value = key === undefined || !sign(':') ? undefined : literal(depth + 1)
      if (key === undefined || value === undefined || key === '__proto__' || key === '$') return undefined
      members[key] = value
      if (sign(',')) continue
      return sign('}') ? members : undefined
    }
    return members
  }
  function string(): string | undefined {
    const found = take(quoted)
    return found === undefined ? undefined : unquoted(found)
  }
  function tuple(depth: number): Json | undefined {
    const is = list(')', depth)
    return is === undefined ? undefined : is.length === 1 ? is[0] : { $: 'tuple', is }
  }
  function literal(depth: number): Json | undefined {
    if (depth > deepest) return undefined
    if (sign('[')) return list(']', depth)
    if (sign('{')) return record(depth)
    if (sign('(')) return tuple(depth)
    const found = string()
    if (found !== undefined) return found
    const digits = take(number)
    if (digits !== undefined) return Number(digits.replaceAll('_', ''))
    const name = take(word)
    return name === undefined || !Object.hasOwn(constants, name) ? undefined : constants[name]
  }
  return { list }
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
