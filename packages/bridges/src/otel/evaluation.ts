import type { Judgment, Verdict } from '@jurist/core'
import { effectiveScore, flatten } from '@jurist/core'
import { genAi } from './conventions.js'
import type { OtelOptions } from './options.js'
import type { OtelAttribute } from './shape.js'
import type { SafeSpan } from './span.js'

const maxExplanation = 2_000

/** What an evaluation is told with. */
export interface Told {
  readonly content: OtelOptions['content'] | undefined
  /** The response that was judged, where the event stands on another span than that of its run. */
  readonly responseId?: string | undefined
}

/** Tells a judgment as an event. */
export function tellJudgment(span: SafeSpan, name: string, judgment: Judgment, told: Told): void {
  span.event(genAi.evaluationResult, attributesOf(name, judgment, told))
}

/** Tells every judgment of a verdict, the whole first: parts are named `tier/judge`. */
export function tellVerdict(span: SafeSpan, name: string, verdict: Verdict, told: Told): void {
  for (const { path, judgment } of flatten(verdict))
    tellJudgment(span, path === '' ? name : path.slice(1), judgment, told)
}

function attributesOf(
  name: string,
  judgment: Judgment,
  { content = 'explanation', responseId }: Told,
): { readonly [name: string]: OtelAttribute | undefined } {
  const { status, reasoning } = judgment
  const isCategory = 'score' in judgment && judgment.score?.type === 'categorical'
  return {
    [genAi.evaluationName]: name,
    [genAi.evaluationScore]: effectiveScore(judgment),
    [genAi.evaluationLabel]: isCategory ? String(judgment.score?.value) : status,
    [genAi.evaluationExplanation]: content === 'none' ? undefined : reasoning.slice(0, maxExplanation),
    [genAi.responseId]: responseId,
    [genAi.errorType]: status === 'error' ? (judgment.failure.code ?? judgment.failure.name) : undefined,
  }
}
