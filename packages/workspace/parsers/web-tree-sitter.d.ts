import type { Language, Parser } from 'web-tree-sitter'

export type { Node, Parser } from 'web-tree-sitter'

/** The parser with its own module and memory. */
export function treeSitter(): { readonly Language: typeof Language; readonly Parser: typeof Parser }
