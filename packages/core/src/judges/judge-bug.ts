import { failureOf, JuristError } from '../errors.js'

/** Errors of the language: a judge that throws them is wrong itself. */
const languageErrors: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError'])

/**
 * Whether the judge is to blame for what was thrown: an error of the language, a pattern that is none, or one that does
 * not end. A text that is no JSON is a fault of the text, although the language calls it a SyntaxError; the errors of
 * assertion libraries are no bugs.
 */
export function isBug(thrown: unknown): boolean {
  if (JuristError.is(thrown, 'regex-timeout') || JuristError.is(thrown, 'pattern-invalid')) return true
  const { name, code, message } = failureOf(thrown)
  if (code === 'ERR_ASSERTION' || !languageErrors.has(name)) return false
  return name !== 'SyntaxError' || !message.includes('JSON')
}
