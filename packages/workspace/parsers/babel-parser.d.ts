export { parse } from '@babel/parser'
