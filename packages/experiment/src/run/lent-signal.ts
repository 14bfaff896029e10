import type { JudgmentContext, Workspace } from '@jurist/core'
import { stopped } from '@jurist/core/internal'
import { lateProperty } from '../provision/late-property.js'
import type { Limit } from './limited.js'

const signal = lateProperty<'signal', AbortSignal>('signal')
const workspace = lateProperty<'workspace', Workspace>('workspace')

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
  return signal(target, limit.signal)
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
  return Object.freeze(withSignal(workspace(context, made), limit))
}
