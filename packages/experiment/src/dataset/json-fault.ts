/** The first place where a text stops being JSON. */
export interface JsonFault {
  /** In UTF-16 units from the start. */
  readonly offset: number
  /** Such as `expected "," or "}" but found "x"`. */
  readonly problem: string
}

/** What may come next. */
type Step = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'after'

interface Scan {
  readonly text: string
  /** The brackets around the place, the outermost first. */
  readonly open: ('{' | '[')[]
  at: number
  step: Step
}

const space = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literal = /true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Where a text that is not JSON goes wrong. Works without recursion, so that no depth can overflow the stack. */
export function jsonFault(text: string): JsonFault {
  const scan: Scan = { text, open: [], at: 0, step: 'value' }
  for (;;) {
    scan.at = endOf(space, text, scan.at) ?? scan.at
    const problem = steps[scan.step](scan, text[scan.at])
    if (problem !== undefined) return problem
  }
}

/** Each takes one token, or says why it cannot. */
const steps: { readonly [step in Step]: (scan: Scan, found: string | undefined) => JsonFault | undefined } = {
  value: takeValue,
  'first-value': (scan, found) => (found === ']' ? close(scan) : takeValue(scan, found)),
  key: (scan, found) => (found === '"' ? takeString(scan, 'colon') : expected(scan, 'a key in double quotes')),
  'first-key': (scan, found) => {
    if (found === '}') return close(scan)
    return found === '"' ? takeString(scan, 'colon') : expected(scan, 'a key in double quotes or "}"')
  },
  colon: (scan, found) => (found === ':' ? skip(scan, 'value') : expected(scan, '":"')),
  after: (scan, found) => {
    const around = scan.open.at(-1)
    if (around === undefined) return expected(scan, 'nothing more')
    const closing = around === '{' ? '}' : ']'
    if (found === closing) return close(scan)
    if (found !== ',') return expected(scan, `"," or "${closing}"`)
    return skip(scan, around === '{' ? 'key' : 'value')
  },
}

function takeValue(scan: Scan, found: string | undefined): JsonFault | undefined {
  if (found === '{' || found === '[') {
    scan.open.push(found)
    return skip(scan, found === '{' ? 'first-key' : 'first-value')
  }
  if (found === '"') return takeString(scan, 'after')
  const end = endOf(number, scan.text, scan.at) ?? endOf(literal, scan.text, scan.at)
  if (end === undefined) return expected(scan, 'a value')
  scan.at = end
  scan.step = 'after'
  return undefined
}

function takeString(scan: Scan, next: Step): JsonFault | undefined {
  const { text } = scan
  let at = scan.at + 1
  while (text[at] !== '"') {
    if (at >= text.length) return { offset: scan.at, problem: 'this string has no closing quote' }
    if (text.charCodeAt(at) < 0x20)
      return { offset: at, problem: 'a string may hold no line break or control character' }
    const end = text[at] === '\\' ? endOf(escaped, text, at) : at + 1
    if (end === undefined) return { offset: at, problem: 'this backslash escapes nothing that JSON knows' }
    at = end
  }
  scan.at = at
  return skip(scan, next)
}

function close(scan: Scan): undefined {
  scan.open.pop()
  return skip(scan, 'after')
}

function skip(scan: Scan, next: Step): undefined {
  scan.at += 1
  scan.step = next
}

function expected({ text, at }: Scan, wanted: string): JsonFault {
  const code = text.codePointAt(at)
  const found = code === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(code))
  return { offset: at, problem: `expected ${wanted} but found ${found}` }
}

/** Where a match that begins at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
