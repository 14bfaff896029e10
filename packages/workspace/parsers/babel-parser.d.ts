export { type ParserOptions, type ParserPlugin, parse } from '@babel/parser'
