import type { Column } from '@jurist/kit/terminal'
import {
  type CertificateUse,
  certificateUses,
  driftLevel,
  type TierDrift,
  type WithheldTrial,
} from '../../certify/certificate-use.js'
import { counted, grouped, percent, pValue, three } from '../../result/amounts.js'
import type { ExperimentResult } from '../../result/records.js'
import { type Section, tableSection } from '../sections.js'

const mostWithheld = 20

/** What a run decided under its certificates, what it left to the final tier, and whether confidences have drifted. */
export function certificateSections(result: ExperimentResult): readonly Section[] {
  return certificateUses(result).flatMap((use) => [
    { title: `Certificate ${use.certificate.id}`, lines: certificateLines(use) },
    ...withheldSection(use),
  ])
}

/** The same in a few sentences. */
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
  const columns: readonly Column[] = [
    { title: 'Trial' },
    ...certificate.tiers.map(({ name }) => ({ title: name })),
    { title: 'Verdict' },
  ]
  const [section] = tableSection('Left to the final tier', columns, withheld.slice(0, mostWithheld).map(withheldRow))
  if (section === undefined) return []
  const left = withheld.length - mostWithheld
  const needed = `Below the threshold ${certificate.threshold}.`
  return [{ ...section, lines: [left > 0 ? `${needed} ${counted(left, 'further trial')} not shown.` : needed] }]
}

function withheldRow({ itemId, repetition, answers, judged }: WithheldTrial): readonly string[] {
  const said = answers.map(({ withheld }) =>
    withheld === null ? 'abstained' : `${withheld.decision}, ${three(withheld.confidence)}`,
  )
  return [`${itemId} [${repetition}]`, ...said, judged]
}
