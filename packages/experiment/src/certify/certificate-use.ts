import type { Judgment, Verdict } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { kolmogorovSmirnov } from '../result/statistics/two-samples.js'
import { type Certificate, type CertifiedTier, readCertificate } from './certificate.js'

/** The decisions of a run under a certificate. */
export interface CertificateUse {
  readonly certificate: Certificate
  readonly judged: number
  readonly tiers: readonly TierUse[]
  /** Trials that no certified tier decided: they went to the final tier. In result order. */
  readonly withheld: readonly WithheldTrial[]
  /** Trials that an error of a certified tier ended. */
  readonly errors: number
  /** The drift of the tiers whose calibration is known; one trial of each item, the first, since trials of one item depend on each other. */
  readonly drift: readonly TierDrift[]
}

/** The figures of one tier of a certified cascade. */
interface TierUse {
  readonly name: string
  readonly reached: number
  readonly decided: number
}

/** A trial that was left to the final tier. */
export interface WithheldTrial {
  readonly itemId: string
  readonly repetition: number
  /** The answer that each tier withheld, with its confidence; `null`: it abstained. */
  readonly answers: readonly { readonly tier: string; readonly withheld: Withheld | null }[]
  readonly judged: ItemResult['judged']
}

/** A decision that a tier withheld because its confidence was too low. */
interface Withheld {
  readonly decision: 'pass' | 'fail'
  readonly confidence: number
}

/**
 * How the jury of a run decided under its certificates: which tier decided how many trials, which were left to the final tier, and
 * whether confidences have drifted since calibration.
 *
 * @throws `certificate-invalid` for a record that was changed by hand
 */
export function certificateUses({ jury, items }: ExperimentResult): readonly CertificateUse[] {
  return (jury?.certificates ?? []).map((stored) => {
    const certificate = readCertificate(stored)
    const names = certificate.tiers.map(({ name }) => name)
    const judged = items.flatMap((item) => {
      const verdict = item.verdict === null ? undefined : certifiedVerdict(item.verdict, names)
      return verdict === undefined ? [] : [{ item, verdict }]
    })
    return useOf(certificate, judged)
  })
}

interface JudgedTrial {
  readonly item: ItemResult
  /** The verdict of the certified cascade, which may be within another jury. */
  readonly verdict: Verdict
}

function useOf(certificate: Certificate, judged: readonly JudgedTrial[]): CertificateUse {
  const outcomes = judged.map(({ verdict }) => outcomesOf(verdict))
  const tiers = certificate.tiers.map(({ name }) => {
    const ended = outcomes.map((outcome) => outcome.get(name)).filter((outcome) => outcome !== 'not-reached')
    const decided = ended.filter((outcome) => outcome === 'accepted' || outcome === 'rejected')
    return { name, reached: ended.length, decided: decided.length }
  })
  const left = judged.filter((_, at) => certificate.tiers.every(({ name }) => outcomes[at]?.get(name) === 'escalated'))
  const firsts = judged.filter(({ item }) => item.repetition === 1)
  return {
    certificate,
    judged: judged.length,
    tiers,
    withheld: left.map((trial) => withheldTrial(trial, certificate)),
    errors: judged.length - left.length - tiers.reduce((sum, { decided }) => sum + decided, 0),
    drift: certificate.tiers.flatMap((tier) => {
      const confidences = firsts.flatMap(
        ({ verdict }) => confidenceOf(verdict.subVerdicts[tier.name]?.aggregated) ?? [],
      )
      return driftOf(tier, confidences) ?? []
    }),
  }
}

function outcomesOf({ tiers = [] }: Verdict): ReadonlyMap<string, string> {
  return new Map(tiers.map(({ name, outcome }) => [name, outcome]))
}

function withheldTrial({ item, verdict }: JudgedTrial, { tiers }: Certificate): WithheldTrial {
  const { itemId, repetition, judged } = item
  const answers = tiers.map(({ name }) => ({ tier: name, withheld: withheldOf(verdict.subVerdicts[name]?.aggregated) }))
  return { itemId, repetition, answers, judged }
}

function withheldOf(judgment: Judgment | undefined): Withheld | null {
  const decision = judgment?.metadata['withheld']
  const confidence = confidenceOf(judgment)
  if (confidence === undefined || (decision !== 'pass' && decision !== 'fail')) return null
  return { decision, confidence }
}

/** The confidence of what a tier decided or would have decided. */
function confidenceOf(judgment: Judgment | undefined): number | undefined {
  const { status, metadata = {} } = judgment ?? {}
  const { confidence, withheld } = metadata
  const hasDecided = status === 'pass' || status === 'fail' || withheld !== undefined
  return hasDecided && typeof confidence === 'number' ? confidence : undefined
}

/** The verdict of the cascade with these gates: the verdict itself, or one within it. */
function certifiedVerdict(verdict: Verdict, gates: readonly string[]): Verdict | undefined {
  const own = (verdict.tiers ?? []).slice(0, -1).map(({ name }) => name)
  if (own.length === gates.length && own.every((name, index) => name === gates[index])) return verdict
  for (const inner of Object.values(verdict.subVerdicts)) {
    const found = certifiedVerdict(inner, gates)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether the confidences of a tier in a run are those of its calibration. */
export interface TierDrift {
  readonly tier: string
  /** How many confidences were compared: of labelled items, and of items of the run. */
  readonly calibration: number
  readonly run: number
  /** The largest distance between the two distribution functions. */
  readonly statistic: number
  /** Two-sample Kolmogorov–Smirnov, exact with ties. `null`: one of the two has no confidence. */
  readonly pValue: number | null
}

/** Below this p-value a report warns. */
export const driftLevel = 0.01

/** How often each confidence occurs, in hundredths, rounded down. */
export function hundredths(confidences: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const confidence of confidences) {
    const name = String(hundredthOf(confidence))
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function hundredthOf(confidence: number): number {
  // 0.29 * 100 is 28.999…: a value that is a hundredth keeps it.
  return Math.floor(confidence * 100 + 1e-9)
}

/**
 * Whether the confidences of a tier have drifted since its calibration. `undefined`: the certificate is of a version that kept none.
 */
function driftOf(
  { name, confidences }: Pick<CertifiedTier, 'name' | 'confidences'>,
  inRun: readonly number[],
): TierDrift | undefined {
  if (confidences === undefined) return undefined
  const then = Object.entries(confidences).flatMap(([hundredth, count]) =>
    new Array<number>(count).fill(Number(hundredth)),
  )
  const test = kolmogorovSmirnov(then, inRun.map(hundredthOf))
  return { tier: name, calibration: then.length, run: inRun.length, ...test }
}
