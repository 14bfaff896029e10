import type { ScanFinding, TrialScan } from './scan.js'

/** Passes with and without those that a person should doubt. */
export interface ScanFigures {
  readonly trials: number
  readonly decided: number
  readonly passes: number
  /** Passes with a suspect finding that no person settled as fine. */
  readonly suspectPasses: number
  /** Other passes that were scanned in part or not at all. */
  readonly unseenPasses: number
  /** Suspect findings that a person settled as fine. */
  readonly settled: number
  /** Trials that were scanned in part or not at all: finding nothing in them proves nothing. */
  readonly notScanned: number
  readonly partlyScanned: number
}

/**
 * Counts the trials of a run.
 *
 * @param isSettled whether a person settled a finding as fine. Default: none
 *
 * @example
 * import { scanFigures, type TrialScan } from '@jurist/experiment/scan'
 *
 * const doubted = (scans: readonly TrialScan[]) => scanFigures(scans).suspectPasses
 */
export function scanFigures(
  scans: readonly Pick<TrialScan, 'passed' | 'coverage' | 'findings'>[],
  isSettled: (finding: ScanFinding) => boolean = () => false,
): ScanFigures {
  type Scan = (typeof scans)[number]
  const counts = (fits: (scan: Scan) => boolean) => scans.filter(fits).length
  const suspects = (scan: Scan) => scan.findings.filter(({ level }) => level === 'suspect')
  const isDoubted = (scan: Scan) => suspects(scan).some((finding) => !isSettled(finding))
  return {
    trials: scans.length,
    decided: counts(({ passed }) => passed !== null),
    passes: counts(({ passed }) => passed === true),
    suspectPasses: counts((scan) => scan.passed === true && isDoubted(scan)),
    unseenPasses: counts((scan) => scan.passed === true && scan.coverage !== 'scanned' && !isDoubted(scan)),
    settled: scans.flatMap(suspects).filter(isSettled).length,
    notScanned: counts(({ coverage }) => coverage === 'not-scanned'),
    partlyScanned: counts(({ coverage }) => coverage === 'partly'),
  }
}
