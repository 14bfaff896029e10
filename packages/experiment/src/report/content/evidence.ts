import { flatten } from '@jurist/core'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { evidenceOf } from '../../result/evidence.js'
import { evidenceBlocks } from '../../result/evidence-text.js'
import type { ItemResult } from '../../result/records.js'

/** A part of the evidence of a failure, without sequences that a terminal would execute. */
export interface FailureBlock {
  /** On one line: the judge, then its command or question: `tests: $ npm test   exit code 1, 1.2 s`. */
  readonly title: string
  readonly text: string
}

/**
 * Why a trial did not pass, for reports: the stack trace of an error, then for each judge that did not pass its command
 * with the output, or the answer of its model. Empty for a trial that passed.
 */
export function failureBlocks({ passed, failure, verdict }: ItemResult): readonly FailureBlock[] {
  if (passed === true) return []
  const thrown =
    failure?.stack === undefined || failure.origin === 'jury'
      ? []
      : [{ title: `${failure.origin}: ${failure.name}: ${failure.message}`, text: failure.stack }]
  const judges = verdict === null ? [] : flatten(verdict)
  const judged = judges.flatMap(({ kind, path, judgment }) =>
    kind === 'verdict' || judgment.status === 'pass'
      ? []
      : evidenceBlocks(evidenceOf(judgment)).flatMap(({ title, text, isDetail }) =>
          isDetail ? [] : [{ title: `${path.slice(1)}: ${title}`, text }],
        ),
  )
  return [...thrown, ...judged].map(({ title, text }) => ({
    title: safeLine(title),
    text: safeBlock(text).trimEnd(),
  }))
}
