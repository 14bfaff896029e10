import { type Brackets, pairBrackets } from '../brackets.js'
import type { TokenStream } from '../token-stream.js'

/** A token stream of Java with its brackets paired: what the scanners of declarations read. */
export interface JavaSource extends TokenStream, Brackets {}

/** Pairs the brackets of `stream`. */
export function javaSource(stream: TokenStream): JavaSource {
  return { ...stream, ...pairBrackets(stream.texts) }
}
