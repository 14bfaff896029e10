import type { Json } from '../../json.js'
import { canonicalJson } from '../canonical-json.js'
import type { Unread } from '../classify.js'

/** The JSON that a text holds and what stands around it, or why none can be told. */
export type FoundJson = JsonInText | Unread

export interface JsonInText {
  readonly value: Json
  readonly before: string
  readonly after: string
}

/** A stretch of a text. */
interface Part {
  readonly start: number
  readonly end: number
  readonly text: string
}

const fencedBlock = /```(?:[\w+-]*[ \t]*\r?\n)?([\s\S]*?)```/g
const deepest = 200

/**
 * The JSON in a text: the whole of it, else what its fenced blocks hold, else its outermost `{…}` and `[…]`. Several that
 * are equal count as one; several that differ are ambiguous.
 */
export function jsonIn(text: string): FoundJson {
  const whole = parsed(text, [{ start: 0, end: text.length, text }])
  if (whole !== 'none') return whole
  const fenced = parsed(text, fencedParts(text))
  return fenced === 'none' ? parsed(text, balancedParts(text)) : fenced
}

/** Every JSON value in a text, fenced or not, and the text without them. */
export function allJsonIn(text: string): { readonly values: readonly Json[]; readonly rest: string } {
  const parts = balancedParts(text).filter((part) => parse(part.text).length > 0)
  const ends = [0, ...parts.map(({ end }) => end)]
  const between = [...parts.map(({ start }) => start), text.length].map((start, index) =>
    text.slice(ends[index], start),
  )
  return { values: parts.flatMap((part) => parse(part.text)), rest: between.join(' ') }
}

function fencedParts(text: string): readonly Part[] {
  return [...text.matchAll(fencedBlock)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    text: found[1] ?? '',
  }))
}

function parsed(text: string, parts: readonly Part[]): FoundJson {
  const found = parts.flatMap((part) => parse(part.text).map((value) => ({ ...part, value })))
  const last = found.at(-1)
  if (last === undefined) return 'none'
  if (new Set(found.map(({ value }) => canonicalJson(value))).size > 1) return 'ambiguous'
  return { value: last.value, before: text.slice(0, last.start), after: text.slice(last.end) }
}

/** What is nested too deep for a walk is none. */
function parse(text: string): readonly Json[] {
  try {
    const value = JSON.parse(text) as Json
    return isShallow(value) ? [value] : []
  } catch {
    return []
  }
}

function isShallow(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return true
}

const opening = /[{[]/g
/** A bracket, or a string, which ends with its line at the latest. */
const inside = /[{}[\]]|"(?:[^"\\\n]|\\[^\n])*(?:"|\\?(?:\n|$))/g
const openingOf: { readonly [closing: string]: string } = { '}': '{', ']': '[' }

/** The outermost balanced parts, in one walk; brackets within strings of such a part do not count. */
function balancedParts(text: string): readonly Part[] {
  const open: number[] = []
  const parts: Omit<Part, 'text'>[] = []
  let at = 0
  for (;;) {
    const pattern = open.length === 0 ? opening : inside
    pattern.lastIndex = at
    const [token] = pattern.exec(text) ?? []
    if (token === undefined) return parts.map((part) => ({ ...part, text: text.slice(part.start, part.end) }))
    at = pattern.lastIndex
    if (token === '{' || token === '[') open.push(at - 1)
    const start = open.at(-1)
    if (start === undefined || text[start] !== openingOf[token]) continue
    open.pop()
    while ((parts.at(-1)?.start ?? -1) > start) parts.pop()
    parts.push({ start, end: at })
  }
}
