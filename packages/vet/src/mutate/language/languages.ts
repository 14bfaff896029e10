import { codeLanguage } from '@jurist/kit/code-languages'
import type { MutableLanguage, Words } from './construct.js'
import type { TokenLanguage } from './tokens.js'

const words: Words = { true: 'true', false: 'false', nothing: 'null', noStatement: ';' }

/** The languages whose sources can be mutated. The reader of a language is loaded with its first source. */
export const mutableLanguages: readonly MutableLanguage[] = [
  {
    ...codeLanguage('javascript'),
    words: { ...words, nothing: 'undefined' },
    read: async (source, path) => (await import('./script.js')).readScript(source, path),
  },
  {
    ...codeLanguage('python'),
    words: { true: 'True', false: 'False', nothing: 'None', noStatement: 'pass' },
    read: async (source) => (await import('./python.js')).readPython(source),
  },
  { ...codeLanguage('java'), words, read: async (source) => (await import('./java.js')).readJava(source) },
  readByTokens('go', 'nil'),
  readByTokens('rust', 'None'),
  readByTokens('c++', 'nullptr'),
  readByTokens('c#', 'null'),
]

function readByTokens(name: TokenLanguage, nothing: string): MutableLanguage {
  return {
    ...codeLanguage(name),
    words: { ...words, nothing },
    read: async (source) => (await import('./tokens.js')).readTokens(source, name),
  }
}

/** Returns the language of a source; `undefined` for tests and all other files. */
export function languageOfSource(path: string): MutableLanguage | undefined {
  return mutableLanguages.find((one) => one.isSource(path) && !one.isTest(path))
}
