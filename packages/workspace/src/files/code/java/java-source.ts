import { type Brackets, pairBrackets } from '../brackets.js'
import type { TokenStream } from '../token-stream.js'
import { pairAngles } from './angles.js'

/** A token stream of Java with its brackets paired: what the scanners of declarations read. */
export interface JavaSource extends TokenStream, Brackets {
  /** The index behind the `>` that closes the type arguments opened at `open`; `undefined` for a comparison. */
  angleEnd(open: number): number | undefined
}

/** Pairs the brackets of `stream`, those of type arguments included. */
export function javaSource(stream: TokenStream): JavaSource {
  const brackets = pairBrackets(stream.texts)
  const angles = pairAngles(stream.texts, brackets)
  return { ...stream, ...brackets, ...angles, depth: Math.max(brackets.depth, angles.depth) }
}
