import type { Member } from '../declaration.js'
import { textOf } from '../items.js'
import { wholePart } from './parts.js'
import type { ScriptStructure } from './structure.js'
import { children, type SyntaxNode } from './syntax-node.js'

/**
 * An import as one member for each name that it brings, without a place, so that neither the order of imports nor
 * their grouping counts. An import for its effects alone brings no name: `undefined`.
 */
export function importedNames(
  structure: ScriptStructure,
  statement: SyntaxNode,
  from: number,
  to: number,
): readonly Member[] | undefined {
  const { stream } = structure
  const specifiers = children(statement, 'specifiers')
  const [first] = specifiers
  const last = specifiers.at(-1)
  if (statement.type !== 'ImportDeclaration' || first === undefined || last === undefined) return undefined
  const start = stream.indexAt(first.start)
  const open = stream.texts[start - 1] === '{' ? start - 1 : start
  const source = stream.texts.indexOf('from', stream.indexAt(last.end))
  return specifiers.map(({ type, start: begin, end }) => {
    const braces = type === 'ImportSpecifier' ? [source - 1] : []
    const name = wholePart(structure, '', stream.indexAt(begin), stream.indexAt(end)).items
    const items = [
      ...wholePart(structure, '', from, open).items,
      ...name,
      ...braces,
      ...wholePart(structure, '', source, to).items,
    ]
    const parts = [{ kind: 'differs', label: '', items, end: to }] as const
    return { key: '(module)', sort: 'import', anonymous: true, first: from, last: to - 1, parts }
  })
}

/** The members without those that say what an earlier one said. */
export function withoutRepeatedImports({ stream }: ScriptStructure, members: readonly Member[]): readonly Member[] {
  const seen = new Set<string>()
  return members.filter((member) => {
    if (member.sort !== 'import') return true
    const text = textOf(
      stream,
      member.parts.flatMap(({ items }) => items),
    )
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  })
}
