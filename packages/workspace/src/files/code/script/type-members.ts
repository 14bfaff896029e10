import type { Member } from '../declaration.js'
import { elementKeys, elementName, isMethod, typeMemberKey } from './names.js'
import { withOverloadsJoined } from './overloads.js'
import { elementParts, wholePart } from './parts.js'
import type { ScriptStructure } from './structure.js'
import { children, type SyntaxNode } from './syntax-node.js'

/** The elements of the class `name`: methods and accessors anywhere, everything else in its place. */
export function classMembers(structure: ScriptStructure, name: string, body: SyntaxNode): readonly Member[] {
  const keyOf = elementKeys(children(body, 'body'))
  let blocks = 0
  const members = pieces(structure, body).map(({ node, from, to }): Member => {
    if (node.type === 'StaticBlock') blocks++
    const own = node.type === 'StaticBlock' ? `static{${blocks}}` : (elementName(node) ?? typeMemberKey(node))
    return {
      key: `${name}.${own}`,
      sort: isMethod(node) ? 'method' : 'field',
      first: from,
      last: to - 1,
      parts: elementParts(structure, node, from, to),
      ...(keyOf(node) === undefined ? { sequence: 'elements' } : {}),
    }
  })
  return withOverloadsJoined(members, ({ sort }) => sort === 'method')
}

/** The members of the interface `name`: their order counts only among namesakes. */
export function interfaceMembers(structure: ScriptStructure, name: string, body: SyntaxNode): readonly Member[] {
  const members = pieces(structure, body).map(({ node, from, to }): Member => {
    const key = `${name}.${typeMemberKey(node)}`
    return { key, first: from, last: to - 1, parts: [wholePart(structure, 'signature', from, to)] }
  })
  return withOverloadsJoined(members, () => true)
}

function pieces({ stream }: ScriptStructure, body: SyntaxNode) {
  let from = stream.indexAt(body.start) + 1
  return children(body, 'body').map((node) => {
    const to = stream.indexAt(node.end)
    const piece = { node, from, to }
    from = to
    return piece
  })
}
