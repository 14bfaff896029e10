/**
 * Scans of what agents did: answers that were looked up, graders that were searched for, changes of what judges, claims
 * against the evidence. Findings have a place, and change no verdict.
 *
 * @example
 * import { type ScannedTrial, scanTrial } from 'jurist/scan'
 *
 * const findingsOf = (trial: ScannedTrial) => scanTrial(trial).findings
 */
export * from '@jurist/experiment/scan'
