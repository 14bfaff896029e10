import type { JudgmentContext } from '../context.js'
import type { ModelMessage } from './model.js'

/** What a model is sent. */
export interface RenderedPrompt {
  readonly messages: readonly ModelMessage[]
  /** The number in the marks around untrusted data, when there are any: new each time, so caches replace it. */
  readonly fence?: string
}

/** Puts what is to be judged into words. `promptTemplate` makes one of a text with placeholders. */
export type Prompt = (context: JudgmentContext) => RenderedPrompt | Promise<RenderedPrompt>
