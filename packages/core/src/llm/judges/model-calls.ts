import type { JudgmentContext } from '../../context.js'
import { guard, thrownJudgment } from '../../judge.js'
import type { Judgment } from '../../judgment.js'
import { callModel } from '../call-model.js'
import { withEvidence } from '../evidence.js'
import type { JudgeModelResponse, ModelOptions } from '../model.js'
import type { RenderedPrompt } from '../prompt.js'
import type { ModelBase } from './model-base.js'

/** What one call of a model brought: a response, or what it threw. */
export type Answer =
  | { readonly ok: true; readonly response: JudgeModelResponse }
  | { readonly ok: false; readonly thrown: unknown }

/** What is particular to one call of several. */
interface CallDetails {
  /** Tells samples of one question apart: in `metadata.sample`, and in the seed when one was given. */
  readonly sample?: number
  /** What the judge asks for, unless the user said otherwise. */
  readonly options?: ModelOptions
}

/** Calls the model and tells what became of it. Never rejects, so that what the other calls cost is known. */
export type Ask = (prompt: RenderedPrompt, context: JudgmentContext, details?: CallDetails) => Promise<Answer>

/** The calls of a judge that makes several. */
export interface ModelCalls {
  readonly ask: Ask
  /**
   * What `decide` says of the responses, with usage and cost of them all; an ERROR when a call or `decide` failed, with
   * those of the calls that did not.
   */
  readonly conclude: (
    context: JudgmentContext,
    answers: readonly Answer[],
    decide: (responses: readonly JudgeModelResponse[]) => Judgment | Promise<Judgment>,
  ) => Promise<Judgment>
}

/** The calls of the judge `name`. */
export function modelCalls({ name, model, options: given = {} }: ModelBase & { readonly name: string }): ModelCalls {
  return {
    ask: async (prompt, { signal }, { sample, options } = {}) => {
      const seed = sample === undefined || given.seed === undefined ? {} : { seed: given.seed + sample }
      const metadata = sample === undefined ? {} : { sample }
      try {
        const call = { prompt, options: { ...options, ...given, ...seed }, metadata }
        return { ok: true, response: await callModel(model, { ...call, signal }) }
      } catch (thrown) {
        return { ok: false, thrown }
      }
    },
    conclude: async (context, answers, decide) => {
      const responses = answers.flatMap((answer) => (answer.ok ? [answer.response] : []))
      const failed = answers.find((answer) => !answer.ok)
      if (failed !== undefined) return withEvidence(thrownJudgment(name, failed.thrown), responses, given)
      const decided = await guard<Judgment, Judgment>(name, context, undefined, () => decide(responses), asIs)
      return withEvidence(decided, responses, given)
    },
  }
}

function asIs(judgment: Judgment): Judgment {
  return judgment
}
