export { Language, type Node, Parser } from 'web-tree-sitter'
