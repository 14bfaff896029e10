import { flatten } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'

const maxReason = 240

/** Why a trial ended as it did, in a line: its failure, else the first judge that did not pass, else the whole verdict. */
export function reasonOf({ failure, verdict, detail, passed }: ItemResult): string {
  if (failure !== null) return shortened(failure.message)
  if (detail?.kind === 'judge') return shortened(detail.scorer.reasoning)
  if (verdict === null) return ''
  if (passed === true) return shortened(verdict.aggregated.reasoning)
  const culprit = flatten(verdict).find(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  if (culprit === undefined) return shortened(verdict.aggregated.reasoning)
  return shortened(`${culprit.path.slice(1)}: ${culprit.judgment.reasoning}`)
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxReason ? `${line.slice(0, maxReason)}…` : line
}
