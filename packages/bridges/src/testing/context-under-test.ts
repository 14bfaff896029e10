import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras } from '../context/extras.js'
import type { Evaluate } from '../run/observe.js'

/** What a bridge from a framework's results to contexts offers to be tested. */
export interface ContextBridge<Result> {
  readonly prefix: string
  readonly evaluate: Evaluate<Result>
  contextFrom(result: Result, extras: ContextExtras): JudgmentContext
  /**
   * Results with each ending; `tools`: with at least one tool that completed; `empty`: with no text and no tools. `null`:
   * the framework cannot express it.
   */
  readonly samples: {
    readonly [sample in 'ok' | 'truncated' | 'refused' | 'failed' | 'unknown' | 'tools' | 'empty']: Result | null
  }
}
