import type { MutableLanguage } from './construct.js'
import { java } from './java.js'
import { python } from './python.js'
import { script } from './script.js'
import { tokenLanguages } from './tokens.js'

/** The languages whose sources can be mutated. */
export const mutableLanguages: readonly MutableLanguage[] = [script, python, java, ...tokenLanguages]

/** The language of a source; `undefined` for tests and for everything else. */
export function languageOfSource(path: string): MutableLanguage | undefined {
  return mutableLanguages.find((one) => one.isSource(path) && !one.isTest(path))
}
