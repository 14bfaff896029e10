import type { Part } from '../declaration.js'
import { declarationIn } from './names.js'
import { child, children, type SyntaxNode } from './parse-script.js'
import { type ScriptStructure, structured } from './structure.js'

/** A part of a statement or element and the index where it begins; it ends where the next one begins. */
interface Cut {
  readonly label: string
  readonly from: number
}

/** The parts of the declaration from `from` to `to`, in the order of its `cuts`; what comes before them is header. */
function partsAt(structure: ScriptStructure, from: number, to: number, cuts: readonly Cut[]): readonly Part[] {
  return [{ label: 'header', from }, ...cuts].map(({ label, from: start }, index) => {
    const end = Math.max(start, cuts[index]?.from ?? to)
    const kind = label === 'header' ? 'header' : 'differs'
    return { kind, label, items: structured(structure, start, end), end }
  })
}

/** The parts of a named statement. Of a class or interface only the header: its members are compared by themselves. */
export function statementParts(
  structure: ScriptStructure,
  statement: SyntaxNode,
  from: number,
  to: number,
): readonly Part[] {
  const { stream } = structure
  const declaration = declarationIn(statement)
  const body = child(declaration, 'body')
  const bodyAt = body === undefined ? to : stream.indexAt(body.start)
  const keyword = (words: readonly string[]) => find(structure, stream.indexAt(declaration.start), to, words)
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return partsAt(structure, from, to, [
        { label: 'signature', from: keyword(['function']) },
        { label: 'body', from: bodyAt },
      ])
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
      return partsAt(structure, from, bodyAt, [])
    case 'TSEnumDeclaration':
      return partsAt(structure, from, to, [{ label: 'body', from: keyword(['{']) }])
    case 'TSModuleDeclaration':
      return partsAt(structure, from, to, [{ label: 'body', from: bodyAt }])
    case 'TSTypeAliasDeclaration':
      return partsAt(structure, from, to, [{ label: 'value', from: keyword(['type']) }])
    case 'VariableDeclaration':
      return variableParts(structure, declaration, from, to)
    default:
      return partsAt(structure, from, to, [{ label: 'value', from: find(structure, from, to, ['default']) + 1 }])
  }
}

function variableParts(structure: ScriptStructure, declaration: SyntaxNode, from: number, to: number) {
  const start = structure.stream.indexAt(declaration.start)
  const keyword = structure.stream.texts[start] === 'declare' ? start + 1 : start
  const [declarator] = children(declaration, 'declarations')
  const name = declarator && child(declarator, 'id')
  const assigned = find(structure, structure.stream.indexAt(name?.end ?? declaration.end), to, ['='])
  return partsAt(structure, from, to, [
    { label: 'signature', from: keyword },
    { label: 'initializer', from: assigned },
  ])
}

/** The parts of a method, accessor or field; any other class element is one part. */
export function elementParts(
  structure: ScriptStructure,
  element: SyntaxNode,
  from: number,
  to: number,
): readonly Part[] {
  const { stream } = structure
  const key = child(element, 'key')
  if (key === undefined) return [wholePart(structure, 'body', from, to)]
  const name = stream.indexAt(key.start) - (element['computed'] === true ? 1 : 0)
  const body = child(element, 'body')
  const annotation = child(element, 'typeAnnotation')
  const isField = element.type.endsWith('Property')
  const rest = isField
    ? find(structure, stream.indexAt(annotation?.end ?? key.end), to, ['='])
    : body === undefined
      ? to
      : stream.indexAt(body.start)
  return partsAt(structure, from, to, [
    { label: 'signature', from: name },
    { label: isField ? 'initializer' : 'body', from: rest },
  ])
}

/** Everything from `from` to `to` as one part. */
export function wholePart(structure: ScriptStructure, label: string, from: number, to: number): Part {
  return { kind: 'differs', label, items: structured(structure, from, to), end: to }
}

/** The index of the first token from `from` that is one of `words`, or `to`. */
function find({ stream }: ScriptStructure, from: number, to: number, words: readonly string[]): number {
  for (let index = from; index < to; index++) if (words.includes(stream.texts[index] ?? '')) return index
  return to
}
