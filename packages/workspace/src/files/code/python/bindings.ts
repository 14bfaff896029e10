import type { TokenStream } from '../token-stream.js'
import { type Block, type Clause, declaredName, type Statement } from './statements.js'

/** How often each name is bound by the statements of one body, functions and classes in it not looked into. */
export function bindings(stream: TokenStream, statements: Block['statements']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const waiting: Statement[] = [...statements]
  for (let statement = waiting.pop(); statement !== undefined; statement = waiting.pop()) {
    const declared = declaredName(stream, statement)
    const names = declared === undefined ? statement.clauses.flatMap((clause) => boundIn(stream, clause)) : [declared]
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    if (declared !== undefined) continue
    for (const { block } of statement.clauses) for (const inner of block?.statements ?? []) waiting.push(inner)
  }
  return counts
}

const assignment = /^(?:[-+*/%@&|^]|\*\*|\/\/|>>|<<)?=$/
const wholeLine: ReadonlySet<string> = new Set(['import', 'from', 'del', 'global', 'nonlocal', 'case', 'type'])

/** The names that the line of a clause may bind: rather one too many than one too few. */
function boundIn({ texts }: TokenStream, { from, to }: Clause): readonly string[] {
  const line = texts.slice(from, to)
  const first = line[0] === 'async' ? line[1] : line[0]
  if (wholeLine.has(first ?? '')) return names(line.slice(1))
  const loop = first === 'for' ? line.slice(1, line.indexOf('in')) : []
  const marked = line.filter((_, index) => line[index - 1] === 'as' || line[index + 1] === ':=')
  return names([...loop, ...marked, ...line.slice(0, lastAssignment(line))])
}

function names(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => /^[A-Za-z_\u0080-\uffff][^"']*$/.test(text) && texts[index - 1] !== '.')
}

/** The index of the last assignment outside brackets; 0 when there is none. */
function lastAssignment(line: readonly string[]): number {
  let depth = 0
  let last = 0
  for (const [index, text] of line.entries()) {
    if (text === '(' || text === '[' || text === '{') depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    else if (depth === 0 && assignment.test(text)) last = index
  }
  return last
}
