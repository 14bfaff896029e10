import { type JudgmentContext, stopped, type Workspace } from '@jurist/core'
import { withWorkspace } from '../provision/made-workspace.js'
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

/** A context that still lacks what is made when it is asked for. */
export type BareContext = Omit<JudgmentContext, 'signal' | 'workspace'>

/**
 * A context whose judges have to stop when a step does; frozen.
 *
 * @param made makes the workspace when a judge first asks for it
 */
export function contextWithin(context: BareContext, limit: Limit, made: () => Workspace): JudgmentContext {
  Object.defineProperty(context, stopped, { value: limit.isCut })
  return Object.freeze(withSignal(withWorkspace(context, made), limit))
}
