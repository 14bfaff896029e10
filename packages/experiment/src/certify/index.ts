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

export { calibrateCascade, calibrateCascadeOnRun } from './calibrate-cascade.js'
export type { CascadeCalibration } from './cascade-calibration.js'
export type { CalibrateCascadeOptions } from './cascade-options.js'
export { type Certificate, readCertificate } from './certificate.js'
export { certificateIn } from './certificate-file.js'
export { certifiedCascade } from './certified-cascade.js'
export { cascadeCalibrationOf } from './stored-cascade.js'
