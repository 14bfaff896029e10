import { type JudgmentContext, stopped } from '@jurist/core'
import type { SilentContext } from './context.js'
import type { Limit } from './limited.js'

const limitOf = Symbol('limit')
type Limited = { readonly [limitOf]: Pick<Limit, 'signal'> }

// The same getter for every object. A getter of its own, as in `{ get signal() {…} }`, gives each object a hidden class of
// its own; these are born old, and keep everything their getters can see alive until the next full garbage collection.
const signal = {
  enumerable: true,
  get(this: Limited) {
    return this[limitOf].signal()
  },
}

/**
 * Gives an object a property `signal`, the signal of a limit, which is made when it is first read: most steps never ask, and
 * a controller costs more than all the rest of a limit.
 *
 * @example
 * const request = withSignal({ item, repetition }, limit)
 */
export function withSignal<Target extends object>(
  target: Target,
  limit: Pick<Limit, 'signal'>,
): Target & { readonly signal: AbortSignal } {
  Object.defineProperty(target, limitOf, { value: limit })
  return Object.defineProperty(target, 'signal', signal) as Target & { readonly signal: AbortSignal }
}

/** A context whose judges have to stop when a step does; frozen. */
export function contextWithin(context: SilentContext, limit: Limit): JudgmentContext {
  Object.defineProperty(context, stopped, { value: limit.isCut })
  return Object.freeze(withSignal(context, limit))
}
