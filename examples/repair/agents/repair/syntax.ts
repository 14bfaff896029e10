import { parse } from '@babel/parser'
import type { Node } from '@babel/types'

export type { Node }

/** One source file of the program under repair. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** A node of the syntax tree with the nodes around it, the nearest first. */
export interface Spot {
  readonly source: Source
  readonly node: Node
  readonly around: readonly Node[]
}

/** The text from `start` to `end` becomes `text`. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Every node of a source that is no type, outermost first. A source that does not parse has none. */
export function spotsOf(source: Source): readonly Spot[] {
  const spots: Spot[] = []
  const visit = (node: Node, around: readonly Node[]): void => {
    if (isType(node)) return
    spots.push({ source, node, around })
    for (const child of childrenOf(node)) visit(child, [node, ...around])
  }
  const program = programOf(source)
  if (program !== undefined) visit(program, [])
  return spots
}

function programOf({ path, text }: Source): Node | undefined {
  try {
    return parse(text, {
      sourceType: 'unambiguous',
      plugins: /\.[cm]?ts$/.test(path) ? ['typescript'] : [],
      allowReturnOutsideFunction: true,
      attachComment: false,
    }).program
  } catch {
    return undefined
  }
}

/** Types are not executed. What surrounds an expression, such as `x as T`, is looked through. */
const isType = ({ type }: Node): boolean =>
  type.startsWith('TS') && !/^TS(As|Satisfies|NonNull|TypeAssertion)/.test(type)

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Where a node begins and ends in its text. */
export function rangeOf(node: Node): { readonly start: number; readonly end: number } {
  return { start: node.start ?? 0, end: node.end ?? 0 }
}

/** The text of a node as it is written. */
export function textOf({ text }: Source, node: Node): string {
  const { start, end } = rangeOf(node)
  return text.slice(start, end)
}

export function replaced(node: Node, text: string): Edit {
  return { ...rangeOf(node), text }
}

export function inserted(at: number, text: string): Edit {
  return { start: at, end: at, text }
}

/** Applies edits that do not overlap. At the same place, the one that comes first in the list comes first in the text. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** The line of a place, counted from 1. */
export function lineAt({ text }: Source, at: number): number {
  return text.slice(0, at).split('\n').length
}
