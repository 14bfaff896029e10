import { freeze } from './brand.js'
import type { JudgmentContext } from './context.js'
import type { JudgeModel } from './judge-model.js'

/** The model that answers a judge instead: the same one behind a cache, for example. */
type Through = (model: JudgeModel, repetition: number) => JudgeModel

let current: Through | undefined

/**
 * From now on the judges of this process ask their models through this function; `undefined`: directly. Agents always ask
 * directly.
 */
export function judgesAskThrough(through: Through | undefined): void {
  current = through
}

const repetition: unique symbol = Symbol('repetition')

/** A context of a repeated judgment: a cache must not answer it with what an earlier repetition was answered. */
export function inRepetition(context: JudgmentContext, number: number): JudgmentContext {
  return freeze({ ...context, [repetition]: number })
}

/** Which repetition of a judgment a context is for: 1 unless it says otherwise. */
export function repetitionOf(context: JudgmentContext & { readonly [repetition]?: number }): number {
  const given = context[repetition] ?? context.metadata['repetition']
  return typeof given === 'number' ? given : 1
}

/** The model that a judge asks. */
export function askedModel(model: JudgeModel, context: JudgmentContext): JudgeModel {
  return current === undefined ? model : current(model, repetitionOf(context))
}
