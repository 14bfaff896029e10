import { type Check, flatten, type Judgment, type Verdict } from '@jurist/core'
import type { VerdictRow } from '@jurist/core/internal'
import { firstPlace } from './evidence.js'
import type { Place } from './places.js'

/** The judge that decided a verdict, with its evidence. */
export interface DecidingJudge {
  /** The path, in the form of `flatten`: `/rules/build`. */
  readonly path: string
  readonly judgment: Judgment
  /** The judge's first failed check that adds to its reasoning; `null` if none does. */
  readonly check: Check | null
}

/**
 * The judge that decided a verdict that is not a pass: the first whose status the jury took, in a cascade of the tier that
 * decided. `null` for a pass, and where no judge alone decided.
 */
export function decidingJudge(verdict: Verdict): DecidingJudge | null {
  const { status } = verdict.aggregated
  if (status === 'pass') return null
  const judges = rowsOfDecision(verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  const found = judges.find(({ judgment }) => judgment.status === status) ?? judges[0]
  if (found === undefined) return null
  const { path, judgment } = found
  return { path, judgment, check: furtherCheck(judgment) ?? null }
}

/** In a cascade the rows of the tier that decided: the last that ran. */
function rowsOfDecision(verdict: Verdict): readonly VerdictRow[] {
  const rows = flatten(verdict)
  if (verdict.tiers === undefined) return rows
  const last = rows.findLastIndex(({ path }) => path.lastIndexOf('/') === 0)
  return last < 0 ? rows : rows.slice(last)
}

/**
 * The reasoning of the judge that decided a verdict, with the first failed check that adds to it and the first place that
 * its evidence names. If no single judge decided, the reasoning of the whole verdict.
 */
export function decidingReason(verdict: Verdict): string {
  const found = decidingJudge(verdict)
  if (found === null) return verdict.aggregated.reasoning
  const { path, judgment, check } = found
  const shown = check === null ? '' : ` (${check.name}${check.message === '' ? '' : `: ${check.message}`})`
  const names = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  return withPlace(`${names}: ${judgment.reasoning}${shown}`, firstPlace(judgment))
}

/** The first failed check that the reasoning does not name. Skips checks whose message the reasoning begins with. */
export function furtherCheck({ reasoning, checks }: Judgment): Check | undefined {
  const check = checks.find(({ passed, message }) => !passed && (message === '' || !reasoning.startsWith(message)))
  return check === undefined || reasoning.includes(check.name) ? undefined : check
}

/** A reason with a place, unless it names one in that file itself. */
export function withPlace(reason: string, place: Place | null | undefined): string {
  if (place === null || place === undefined || reason.includes(`${place.path}:`)) return reason
  const { path, line, column } = place
  return `${reason.trimEnd().replace(/[.:]$/, '')} at ${path}:${line}${column === null ? '' : `:${column}`}`
}
