import { groupBy } from '@jurist/kit/group-by'
import { splitTrials } from '../result/quarantine.js'
import { summarize } from '../result/summarize.js'
import type { Summary } from '../result/summary.js'
import { type RunResult, type Trial, trialsOf, trialText } from '../result/trial-figures.js'
import { isDoubted, type KeptFinding, type KeptScan } from './finding-text.js'
import type { ScanLevel } from './rule.js'
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

type Rate = Pick<Summary, 'passRate' | 'passRateInterval'>

/** A rule that found something in a run. */
interface ScannedRule {
  readonly rule: string
  readonly level: ScanLevel
  /** The trials in which it found something; of them those that passed, and those that failed. */
  readonly trials: number
  readonly passes: number
  readonly failed: number
  /** The evidence of its first finding. */
  readonly example: string
}

/** The result of a scan of a run: both rates, and the limits of what it could see. */
export interface RunScan extends KeptScan, Rate {
  readonly figures: ScanFigures
  /** The rate in which suspect passes count as not passed. */
  readonly withoutSuspects: Rate
  /** In the order in which they found something. */
  readonly rules: readonly ScannedRule[]
}

/** Reads what a scan has kept beside the trials of its run. */
export function runScan(run: RunResult, kept: KeptScan): RunScan {
  const found = groupBy(kept.findings, trialText)
  const coverage = new Map(kept.unseen.map((one) => [trialText(one), one.coverage]))
  const trials = trialsOf(run).map((trial) => ({ trial, findings: found.get(trialText(trial)) ?? [] }))
  const scans = trials.map(({ trial: { passed, ...trial }, findings }) => ({
    ...{ passed, findings },
    coverage: coverage.get(trialText(trial)) ?? ('scanned' as const),
  }))
  const rate = (of: readonly Trial[]): Rate => {
    const { counted } = splitTrials(run, of)
    const { passRate, passRateInterval } = summarize({ items: counted, planned: counted.length })
    return { passRate, passRateInterval }
  }
  const doubted = trials.map(({ trial, findings }) =>
    trial.passed === true && findings.some(isDoubted) ? { ...trial, passed: false } : trial,
  )
  return {
    ...kept,
    ...rate(trials.map(({ trial }) => trial)),
    figures: scanFigures(scans, (finding) => (finding as KeptFinding).settled),
    withoutSuspects: rate(doubted),
    rules: scannedRules(scans),
  }
}

/** The findings of each rule in some trials, in the order of the first findings. */
export function scannedRules(scans: readonly Pick<TrialScan, 'passed' | 'findings'>[]): readonly ScannedRule[] {
  const byRule = groupBy(
    scans.flatMap((scan) => scan.findings.map((finding) => ({ finding, scan }))),
    ({ finding }) => finding.rule,
  )
  return [...byRule].flatMap(([rule, found]) => {
    const [first] = found
    if (first === undefined) return []
    const trials = new Set(found.map(({ scan }) => scan))
    const count = (passed: boolean) => [...trials].filter((scan) => scan.passed === passed).length
    const { level, evidence } = first.finding
    return [{ rule, level, trials: trials.size, passes: count(true), failed: count(false), example: evidence }]
  })
}

/** Describes the parts of a run that a scan could not see. */
export function notSeen({
  figures,
  unread,
  notApplicable,
}: Pick<RunScan, 'figures' | 'unread' | 'notApplicable'>): readonly string[] {
  const count = (number: number, what: string) => (number === 0 ? [] : [`${number} ${what}`])
  const trials = (number: number) => `${number === 1 ? 'trial' : 'trials'}`
  return [
    ...count(figures.notScanned, `${trials(figures.notScanned)} not scanned`),
    ...count(figures.partlyScanned, `${trials(figures.partlyScanned)} partly scanned`),
    ...count(unread, `${unread === 1 ? 'command' : 'commands'} could not be read`),
    ...Object.entries(notApplicable).map(([reason, times]) => `${reason} (${times} ${trials(times)})`),
    'commands inside scripts are not followed',
  ]
}

/** How many passes are suspect, in words. */
export function suspectsText({ figures: { suspectPasses, passes, settled } }: RunScan): string {
  const settledText = settled === 0 ? '' : `, ${settled} settled`
  return `${suspectPasses} of ${passes} ${passes === 1 ? 'pass' : 'passes'} ${suspectPasses === 1 ? 'is' : 'are'} suspect${settledText}`
}
