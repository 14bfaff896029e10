import { nearestNames } from '@jurist/experiment/dataset'
import { dotted, type Place } from './place.js'
import type { ConfigIssue } from './problems.js'

/** Takes note of what is wrong at a place of the config. */
export type Report = (place: Place, problem: string, remedy: string) => void

/** A list of issues, and the function that adds to it; `at` says where in the file a place stands. */
export function collectIssues(at: (place: Place) => string = () => ''): {
  readonly issues: readonly ConfigIssue[]
  readonly report: Report
} {
  const issues: ConfigIssue[] = []
  return {
    issues,
    report: (place, problem, remedy) => void issues.push({ path: `${dotted(place)}${at(place)}`, problem, remedy }),
  }
}

/** Reports every key of `value` that is not among `known`, with the nearest one that is. */
export function reportUnknownKeys(value: object, known: readonly string[], place: Place, report: Report): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const [nearest] = nearestNames(key, known)
    report(
      [...place, key],
      'is not known.',
      nearest === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${nearest}"?`,
    )
  }
}
