import type { TokenStream } from '../token-stream.js'
import { bindings } from './bindings.js'
import { type Block, declaredName, keywordOf, type Statement } from './statements.js'

/**
 * A test of which statements of one body may change places with neighbours that may too: undecorated functions whose
 * defaults are literals, whose annotations do nothing and whose names are bound once in that body.
 */
export function movableIn(stream: TokenStream, statements: Block['statements']): (statement: Statement) => boolean {
  const counts = bindings(stream, statements)
  return function isMovable(statement) {
    const name = declaredName(stream, statement)
    if (name === undefined || keywordOf(stream, statement) !== 'def' || statement.from !== statement.start) return false
    return counts.get(name) === 1 && hasLiteralDefaults(stream, statement) && !mayAct(stream, statement)
  }
}

function hasLiteralDefaults({ texts }: TokenStream, { start, clauses }: Statement): boolean {
  const end = clauses[0]?.to ?? start
  let depth = 0
  for (let at = start; at < end; at++) {
    const text = texts[at] ?? ''
    if (text === '(' || text === '[' || text === '{') depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    else if (text === '=' && depth === 1 && !isLiteral(texts, at + 1)) return false
  }
  return true
}

/** What an annotation does when the function is defined: a call, a binding, a loop, a text that is made. */
const acts = /^(?::=|for|await|yield|[rRtT]?[fFtT][rR]?["'])/
const beforeCall = /^(?:[\p{L}\p{N}_]+|\)|\]|\}|.*["'])$/u
const notCalled: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'lambda'])

function mayAct({ texts }: TokenStream, { start, clauses }: Statement): boolean {
  const end = clauses[0]?.to ?? start
  const parameters = texts.indexOf('(', start)
  for (let at = start; at < end; at++) {
    const [text = '', before = ''] = [texts[at], texts[at - 1]]
    if (acts.test(text)) return true
    if (text === '(' && at !== parameters && beforeCall.test(before) && !notCalled.has(before)) return true
  }
  return false
}

const literal = /^(?:[\d.]|None$|True$|False$|[rRuUbB]{0,2}["'])/

/** Whether nothing but a number, a string, `None`, `True` or `False` stands from `from` to the next parameter. */
function isLiteral(texts: readonly string[], from: number): boolean {
  const start = texts[from] === '-' ? from + 1 : from
  let end = start
  while (literal.test(texts[end] ?? '')) end++
  return end > start && (texts[end] === ',' || texts[end] === ')')
}
