import type { Language, Parser } from 'web-tree-sitter'

export type { Node, Parser } from 'web-tree-sitter'

/** The parser with a module and a memory of its own. */
export function treeSitter(): { readonly Language: typeof Language; readonly Parser: typeof Parser }
