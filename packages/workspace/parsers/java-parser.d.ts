export { parse } from 'java-parser'
