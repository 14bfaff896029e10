import type { ScanFinding } from './scan.js'

/** A finding that the last scan of a whole run has kept. */
export interface KeptFinding extends ScanFinding {
  /** Whether a person has settled it as fine. */
  readonly settled: boolean
}

/** The place of a finding for people: `step 14`, `answer` or `src/a.ts:7`. */
export function placeText({ place }: Pick<ScanFinding, 'place'>): string {
  if ('step' in place) return `step ${place.step}`
  return 'answer' in place ? 'answer' : `${place.path}:${place.line}`
}

/** What was found, without the path that its place names already. */
export function evidenceBesidePlace({ place, evidence }: Pick<ScanFinding, 'place' | 'evidence'>): string {
  const path = 'path' in place ? `${place.path}: ` : ''
  return evidence.startsWith(path) ? evidence.slice(path.length) : evidence
}
