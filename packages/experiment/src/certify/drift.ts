import { kolmogorovSmirnov } from '../result/statistics/two-samples.js'
import type { CertifiedTier } from './certificate.js'

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
export function driftOf(
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
