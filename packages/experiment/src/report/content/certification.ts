import { right } from '@jurist/kit/terminal'
import type { CascadeCalibration } from '../../certify/cascade-calibration.js'
import {
  type CertificateUse,
  certificateUses,
  driftLevel,
  type TierDrift,
  type WithheldTrial,
} from '../../certify/certificate-use.js'
import type { CurvePoint, Risk } from '../../certify/risk-curve.js'
import { counted, dollars, grouped, percent, pValue, rounded, three, unknown } from '../../result/amounts.js'
import type { ExperimentResult } from '../../result/records.js'
import { trialText } from '../../result/trial-figures.js'
import { type ColumnOf, lineSection, type Section, valuesSection } from '../sections.js'

/** The calibration of a cascade: the certified threshold, its cost, the tests, and the errors of confident tiers. */
export function cascadeSections(calibration: CascadeCalibration): readonly Section[] {
  const { result, notes } = calibration
  const title = `Calibration ${result.experimentName} (${result.id})`
  return [
    ...certificationSections(calibration, title),
    ...disagreementSection(calibration),
    ...lineSection('Notes', notes),
  ]
}

/** The certified threshold, the decisions of each tier, and the test of each threshold. */
export function certificationSections(calibration: CascadeCalibration, title: string): readonly Section[] {
  return [{ title, lines: headline(calibration) }, ...tierSection(calibration), ...curveSection(calibration)]
}

/** Names of risks in sentences. */
const called: { readonly [risk in Risk]: string } = {
  disagreement: 'disagreement',
  'false-pass': 'false passes among the passes',
  'false-fail': 'false fails among the fails',
}

function headline(calibration: CascadeCalibration): readonly string[] {
  const { certificate, curve, bound, counts } = calibration
  const labelled = `${counted(counts.items, 'labelled item')}; alpha ${bound.alpha}, delta ${rounded(bound.delta, 3)}.`
  if (certificate === null) return [notCertified(calibration), labelled]
  const point = curve.find(({ threshold }) => threshold === certificate.threshold)
  const { coverage, threshold, alpha, errors, decided, upper } = certificate
  return [
    `Certified: at most ${percent(alpha)} ${called[bound.risk]} (${percent(1 - certificate.delta)} confidence) on ${percent(coverage)} of the items at the threshold ${threshold}; ${percent(1 - coverage)} go to the final tier${priceText(calibration, point)}.`,
    `${grouped(errors)} of ${grouped(decided)} decisions against the label, upper bound ${percent(upper)}. ${labelled}`,
  ]
}

function priceText({ tiers, lastTierUsd }: CascadeCalibration, point: CurvePoint | undefined): string {
  const { costUsd = null } = point ?? {}
  const last = tiers.at(-1)?.name
  if (costUsd === null || lastTierUsd === null || lastTierUsd === 0 || tiers.length < 2) return ''
  return `; the tiers cost ${rounded(costUsd / lastTierUsd, 2)} of the price of always asking ${last}`
}

function notCertified({ why, curve, labelsNeeded, bound }: CascadeCalibration): string {
  const first = curve.find(({ outcome }) => outcome === 'failed')
  const more =
    labelsNeeded === null ? '' : ` About ${counted(labelsNeeded, 'more label')} would do, if the risk stays what it is.`
  if (why === 'interrupted') return 'Not certified: the calibration was interrupted. Run it again.'
  if (why === 'too-few-labels' || first === undefined)
    return `Not certified: too few labelled items are decided to say anything at alpha ${bound.alpha}.${more}`
  const surest = `the surest ${percent(first.coverage)} still have ${percent(first.errors / first.decided)} ${called[bound.risk]} (upper bound ${percent(first.upper)})`
  const remedy =
    why === 'impossible'
      ? ` No number of labels helps: use a better judge, or an alpha of ${rounded(Math.ceil(first.upper * 100) / 100, 2)} or more.`
      : more
  return `Not certified: ${surest}.${remedy}`
}

/** The decisions of each tier, at the certified threshold or else at the first that was tested. */
function tierSection({ tiers, curve, certificate, counts }: CascadeCalibration): readonly Section[] {
  const point =
    curve.find(({ threshold }) => threshold === certificate?.threshold) ??
    curve.find(({ outcome }) => outcome === 'failed')
  const rows = tiers.map((tier, index) => {
    const decided = point?.byTier[index] ?? 0
    const share = counts.items === 0 ? null : decided / counts.items
    return { ...tier, decided, share, undecided: counts.undecided[index] ?? 0 }
  })
  return valuesSection(point === undefined ? 'Tiers' : `Decisions at the threshold ${point.threshold}`, rows, [
    ['Tier', ({ name }) => name],
    [right('Decides'), ({ decided }) => grouped(decided)],
    [right('Share'), ({ share }) => percent(share)],
    [right('Undecided'), ({ undecided }) => grouped(undecided)],
    ['Confidence', ({ confidence }) => confidence],
    ['Model', ({ model }) => model ?? unknown],
  ])
}

const outcomes: { readonly [outcome in CurvePoint['outcome']]: string } = {
  skipped: 'too few',
  certified: 'holds',
  failed: 'stops here',
  untested: '',
}

/** The tests of the sequence. Of thresholds that decide the same, the strictest is shown, and the certified one. */
function curveSection({ curve, certificate }: CascadeCalibration): readonly Section[] {
  const shown = curve.filter((point, index) => {
    const before = curve[index - 1]
    return before === undefined || !isSame(before, point) || point.threshold === certificate?.threshold
  })
  return valuesSection('Thresholds, the strictest first', shown, [
    [right('Threshold'), ({ threshold }) => rounded(threshold, 3)],
    [right('Decided'), ({ decided }) => grouped(decided)],
    [right('Errors'), ({ errors }) => grouped(errors)],
    [right('Upper bound'), ({ upper }) => percent(upper)],
    [right('p'), ({ pValue: p }) => pValue(p)],
    [right('Coverage'), ({ coverage }) => percent(coverage)],
    [right('Cost'), ({ costUsd }) => dollars(costUsd)],
    ['Test', ({ outcome }) => outcomes[outcome]],
  ])
}

/** Whether two thresholds lead to the same decisions, by the same tiers, and to the same test. */
function isSame(one: CurvePoint, other: CurvePoint): boolean {
  return (
    one.errors === other.errors &&
    one.outcome === other.outcome &&
    one.byTier.every((decided, tier) => decided === other.byTier[tier])
  )
}

function disagreementSection({ disagreements }: CascadeCalibration): readonly Section[] {
  return valuesSection('Most confident disagreements: errors of a prompt, or of a label', disagreements, [
    ['Item', ({ itemId }) => itemId],
    ['Tier', ({ tier }) => tier],
    [right('Confidence'), ({ confidence }) => three(confidence)],
    ['Said', ({ decision }) => decision],
    ['Reason', ({ reasoning }) => reasoning],
  ])
}

const mostWithheld = 20

/**
 * The decisions of a run under its certificates, the trials left to the final tier, and whether confidences have drifted.
 */
export function certificateSections(result: ExperimentResult): readonly Section[] {
  return certificateUses(result).flatMap((use) => [
    { title: `Certificate ${use.certificate.id}`, lines: certificateLines(use) },
    ...withheldSection(use),
  ])
}

/** A summary of `certificateSections` in a few sentences. */
export function certificateLines(use: CertificateUse): readonly string[] {
  const { certificate, judged, tiers, withheld, errors, drift } = use
  const decided = tiers.reduce((sum, tier) => sum + tier.decided, 0)
  const share = judged === 0 ? '' : ` (${percent(decided / judged)}; ${percent(certificate.coverage)} at calibration)`
  const byTier = tiers.map((tier) => `${tier.name} ${grouped(tier.decided)} of ${grouped(tier.reached)}`).join(', ')
  const broken = errors === 0 ? '' : `; ${counted(errors, 'error')}`
  return [
    `${grouped(decided)} of ${counted(judged, 'trial')} decided by certified tiers${share}: ${byTier}.`,
    `${grouped(withheld.length)} left to the final tier${broken}.`,
    ...driftLines(drift),
  ]
}

function driftLines(drift: readonly TierDrift[]): readonly string[] {
  if (drift.length === 0) return ['Drift cannot be tested: the certificate keeps no confidences. Make it again.']
  const found = drift.filter(({ pValue: p }) => p !== null && p < driftLevel)
  if (found.length > 0) return found.map(driftWarning)
  const tested = drift.filter(({ pValue: p }) => p !== null)
  if (tested.length === 0) return ['Drift cannot be tested: no tier has confidences in this run.']
  const texts = tested.map(({ tier, pValue: p, calibration, run }) => {
    return `${tier} p ${pValue(p)}, ${grouped(calibration)} and ${counted(run, 'confidence')}`
  })
  return [`No drift of confidences found (${texts.join('; ')}).`]
}

function driftWarning({ tier, statistic, pValue: p, calibration, run }: TierDrift): string {
  return (
    `Drift: the confidences of ${tier} are not those of its calibration (Kolmogorov–Smirnov distance ${three(statistic)}, p ${pValue(p)}; ` +
    `${grouped(calibration)} labelled and ${counted(run, 'item')} of this run). The bound may not hold for these items: label some of them, and certify again.`
  )
}

function withheldSection({ certificate, withheld }: CertificateUse): readonly Section[] {
  const left = withheld.length - mostWithheld
  const needed = `Below the threshold ${certificate.threshold}.`
  const said = ({ answers }: WithheldTrial, tier: number) => {
    const answer = answers[tier]?.withheld ?? null
    return answer === null ? 'abstained' : `${answer.decision}, ${three(answer.confidence)}`
  }
  return valuesSection(
    'Left to the final tier',
    withheld.slice(0, mostWithheld),
    [
      ['Trial', trialText],
      ...certificate.tiers.map(({ name }, tier): ColumnOf<WithheldTrial> => [name, (trial) => said(trial, tier)]),
      ['Verdict', ({ judged }) => judged],
    ],
    [left > 0 ? `${needed} ${counted(left, 'further trial')} not shown.` : needed],
  )
}
