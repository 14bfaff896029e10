import { freeze } from './brand.js'
import type { JudgmentContext } from './context.js'

const recorder: unique symbol = Symbol('prompt recorder')

/** What is kept of a text: without secrets, for example. */
type Recorder = (text: string) => string

/**
 * A context whose model judges keep what they asked, and not only what was answered. Both are kept as `recorded` returns
 * them.
 *
 * @example
 * await jury.vote(recordingPrompts(context, (text) => text.replaceAll(apiKey, '***')))
 */
export function recordingPrompts(context: JudgmentContext, recorded: Recorder): JudgmentContext {
  return freeze({ ...context, [recorder]: recorded })
}

/** How a context records prompts; `undefined`: it does not. */
export function promptRecorderOf(context: JudgmentContext & { readonly [recorder]?: Recorder }): Recorder | undefined {
  return context[recorder]
}
