import type { ScanCoverage, ScanFinding, TrialScan } from './scan.js'

/** A finding that the last scan of a whole run has kept. */
export interface KeptFinding extends ScanFinding {
  /** Whether a person has settled it as fine. */
  readonly settled: boolean
}

/** The kept part of the last scan of a whole run. */
export interface KeptScan {
  /** ISO 8601. */
  readonly at: string
  /** The trials that were not scanned as a whole. */
  readonly unseen: readonly (Pick<TrialScan, 'itemId' | 'repetition'> & { readonly coverage: ScanCoverage })[]
  /** Parts of commands that could not be read. */
  readonly unread: number
  /** In how many trials rules could not look, by reason. */
  readonly notApplicable: Readonly<Record<string, number>>
  /** The rules that threw, with the message: the absence of their findings proves nothing. */
  readonly errors: Readonly<Record<string, string>>
  readonly findings: readonly KeptFinding[]
}

/** The kept parts of scans, by the ids of the runs. */
export type KeptScans = Readonly<Record<string, KeptScan>>

/** Returns the part of the scans of trials that is kept. */
export function keptScanOf(scans: readonly TrialScan[], isSettled: (finding: ScanFinding) => boolean): KeptScan {
  const notApplicable: Record<string, number> = {}
  for (const scan of scans)
    for (const reason of new Set(Object.values(scan.notApplicable)))
      notApplicable[reason] = (notApplicable[reason] ?? 0) + 1
  return {
    at: new Date().toISOString(),
    unseen: scans.flatMap(({ itemId, repetition, coverage }) =>
      coverage === 'scanned' ? [] : [{ itemId, repetition, coverage }],
    ),
    unread: scans.reduce((sum, { unread }) => sum + unread, 0),
    notApplicable,
    errors: Object.assign({}, ...scans.map(({ errors }) => errors)),
    findings: scans.flatMap(({ findings }) => findings.map((one) => ({ ...one, settled: isSettled(one) }))),
  }
}

/** Whether a finding makes a pass suspect. */
export function isDoubted({ level, settled }: KeptFinding): boolean {
  return level === 'suspect' && !settled
}

/** The place of a finding for people: `step 14`, `answer` or `src/a.ts:7`. */
export function placeText({ place }: Pick<ScanFinding, 'place'>): string {
  if ('step' in place) return `step ${place.step}`
  return 'answer' in place ? 'answer' : `${place.path}:${place.line}`
}

/** The evidence of a finding, without the path that its place names already. */
export function evidenceBesidePlace({ place, evidence }: Pick<ScanFinding, 'place' | 'evidence'>): string {
  const path = 'path' in place ? `${place.path}: ` : ''
  return evidence.startsWith(path) ? evidence.slice(path.length) : evidence
}
