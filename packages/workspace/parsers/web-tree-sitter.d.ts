export { Language, Parser } from 'web-tree-sitter'
