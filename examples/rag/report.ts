import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { flatten } from 'jurist'

/** Which tier decided each answer, and every check that failed. */
export function report({ items, passCount, counts }: ExperimentResult): string {
  return [...items.flatMap(rowsOf), '', `${passCount} of ${counts.decided} answers passed.`].join('\n')
}

function rowsOf({ itemId, judged, verdict }: ItemResult): readonly string[] {
  const decider = verdict?.tiers?.findLast(({ outcome }) => outcome !== 'not-reached')
  const rows = verdict === null ? [] : flatten(verdict).filter(({ kind }) => kind === 'judge')
  const failed = rows.flatMap(({ path, judgment }) => {
    if (judgment.status === 'pass') return []
    const checks = judgment.checks.filter(({ passed }) => !passed).map(({ message }) => message)
    return `  ${path.slice(1)}: ${checks.join(' ') || judgment.reasoning.replace(/\s+/g, ' ')}`
  })
  return [`${itemId}: ${judged}, ${decider?.name} (${decider?.outcome})`, ...failed]
}
