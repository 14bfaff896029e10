import type { Json } from '../../json.js'
import { canonicalJson } from '../canonical-json.js'
import type { Unread } from '../classify.js'

/** The JSON that a text holds, or why none can be told. */
export type FoundJson = { readonly value: Json } | Unread

const fencedBlock = /```(?:[\w+-]*[ \t]*\r?\n)?([\s\S]*?)```/g

/**
 * The JSON in a text: the whole of it, else what its fenced blocks hold, else its outermost `{…}` and `[…]`. Several that
 * are equal count as one; several that differ are ambiguous.
 */
export function jsonIn(text: string): FoundJson {
  const whole = parsed([text])
  if (whole !== 'none') return whole
  const fenced = parsed([...text.matchAll(fencedBlock)].map(([, block = '']) => block))
  return fenced === 'none' ? parsed(balancedParts(text)) : fenced
}

/** What follows the last fenced block that holds JSON; `undefined` when there is none, or all of the text is JSON. */
export function afterFencedJson(text: string): string | undefined {
  if (parse(text).length > 0) return undefined
  const last = [...text.matchAll(fencedBlock)].findLast(([, block = '']) => parse(block).length > 0)
  return last && text.slice(last.index + last[0].length)
}

function parsed(texts: readonly string[]): FoundJson {
  const values = new Map(texts.flatMap(parse).map((value) => [canonicalJson(value), value]))
  const [value] = values.values()
  if (value === undefined) return 'none'
  return values.size > 1 ? 'ambiguous' : { value }
}

function parse(text: string): readonly Json[] {
  try {
    return [JSON.parse(text) as Json]
  } catch {
    return []
  }
}

const opening = /[{[]/g
/** A bracket, or a string, which ends with its line at the latest. */
const inside = /[{}[\]]|"(?:[^"\\\n]|\\[^\n])*(?:"|\n|$)/g
const openingOf: { readonly [closing: string]: string } = { '}': '{', ']': '[' }

/** The outermost balanced parts, in one walk; brackets within strings of such a part do not count. */
function balancedParts(text: string): readonly string[] {
  const open: number[] = []
  const parts: { readonly start: number; readonly end: number }[] = []
  let at = 0
  for (;;) {
    const pattern = open.length === 0 ? opening : inside
    pattern.lastIndex = at
    const [token] = pattern.exec(text) ?? []
    if (token === undefined) return parts.map(({ start, end }) => text.slice(start, end))
    at = pattern.lastIndex
    if (token === '{' || token === '[') open.push(at - 1)
    const start = open.at(-1)
    if (start === undefined || text[start] !== openingOf[token]) continue
    open.pop()
    while ((parts.at(-1)?.start ?? -1) > start) parts.pop()
    parts.push({ start, end: at })
  }
}
