/**
 * Cascades whose thresholds carry a bound on their mistakes: labels certify a threshold, and a certified cascade decides nothing
 * below it. Needs Node.
 *
 * @example
 * import { recorded } from '@jurist/experiment/calibrate'
 * import { calibrateCascade, certifiedCascade } from '@jurist/experiment/certify'
 *
 * const tiers = [{ name: 'small', candidate: recorded('small') }]
 * const { certificate } = await calibrateCascade({ name: 'answers', items: 'labelled.jsonl', tiers })
 * export const jury = certifiedCascade(tiers, certificate, { name: 'large', jury: recorded('large'), policy: 'final' })
 */
import '../errors.js'

export type { JudgedRun } from '../label/judged-trials.js'
export type { LabelledPlace } from '../label/labelled-trials.js'
export type { ThresholdCounts, ThresholdTest } from '../result/statistics/fixed-sequence.js'
export { type CalibrateCascadeOnRunOptions, calibrateCascade, calibrateCascadeOnRun } from './calibrate-cascade.js'
export type { CascadeCalibration, CascadeDisagreement } from './cascade-calibration.js'
export type { CalibrateCascadeOptions } from './cascade-options.js'
export { type Certificate, type CertifiedTier, type LabelledBy, readCertificate } from './certificate.js'
export { certificateIn } from './certificate-file.js'
export { type CascadeTier, certifiedCascade } from './certified-cascade.js'
export type { CertificationOutcome, CurvePoint, Risk, RiskBound } from './risk-curve.js'
export { cascadeCalibrationOf } from './stored-cascade.js'
