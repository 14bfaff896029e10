import { type JudgesSummary, judgesSummary, resultWithItems } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { revisionOf } from './run.js'

/** The judges of a run, beside each other. */
export interface JudgesDocument extends JudgesSummary {
  readonly revision: string
}

/** What each judge of a run did, how far they agree, and what a cascade saved. */
export async function judgesDocument(run: RunResult): Promise<JudgesDocument> {
  return { revision: revisionOf(run), ...judgesSummary((await resultWithItems(run)).items) }
}
