import { flatten, type Judgment, type Verdict } from '@jurist/core'
import type { ItemResult } from './records.js'
import { undecidedCause } from './trial-outcome.js'

/**
 * Why a trial ended as it did, on one line: its failure, else the judge that decided with the check that shows it. Of a
 * pass what the whole jury said; of a calibration what the scorer said. Every report, table and page shows this text,
 * shortened to its place. It is untrusted: escape it for the place.
 *
 * @example
 * reasonOf(item) // 'build: exit code 1, expected 0 (npm test: 2 of 3 tests failed)'
 */
export function reasonOf(item: ItemResult): string {
  return item.passed === true ? oneLine(passReason(item)) : oneLine(missReason(item))
}

function passReason({ detail, verdict }: ItemResult): string {
  if (detail?.kind === 'judge') return detail.scorer.reasoning
  return verdict === null ? '' : verdict.aggregated.reasoning
}

function missReason(item: ItemResult): string {
  const { failure, detail, verdict } = item
  if (failure !== null) return failure.message
  if (detail?.kind === 'judge') return detail.scorer.reasoning
  if (verdict !== null) return decidingReason(verdict)
  const cause = undecidedCause(item)
  return cause === null || cause === 'not-judged' ? 'not judged' : cause
}

/**
 * What the judge said that decided a verdict, and the first failed check that says more. The whole verdict's reasoning
 * where no judge alone decided.
 *
 * @example
 * decidingReason(verdict) // 'meaning/rubric: 1 of 2 criteria failed (clear: no example)'
 */
export function decidingReason(verdict: Verdict): string {
  const { aggregated } = verdict
  if (aggregated.status === 'pass') return aggregated.reasoning
  const judges = flatten(verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  const decisive = judges.find(({ judgment }) => judgment.status === aggregated.status) ?? judges[0]
  if (decisive === undefined) return aggregated.reasoning
  return `${decisive.path.slice(1)}: ${decisive.judgment.reasoning}${evidenceOf(decisive.judgment)}`
}

/** The first failed check that the reasoning does not name. Some checks only say in full what the reasoning begins with. */
function evidenceOf({ reasoning, checks }: Judgment): string {
  const check = checks.find(({ passed, message }) => !passed && (message === '' || !reasoning.startsWith(message)))
  if (check === undefined || reasoning.includes(check.name)) return ''
  return ` (${check.name}${check.message === '' ? '' : `: ${check.message}`})`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
