import {
  decisionsNeeded,
  fixedSequence,
  type ThresholdTest,
  zeroErrorDecisions,
} from '../result/statistics/fixed-sequence.js'
import { clopperPearsonUpper } from '../result/statistics/rate-intervals.js'

/** The decisions that may count as errors of a cascade. */
export const risks = ['disagreement', 'false-pass', 'false-fail'] as const
/** `disagreement`: any decision but the label's. `false-pass`: of the passes only; `false-fail`: of the fails only. */
export type Risk = (typeof risks)[number]

/** The answer of one tier for an item. */
export interface TierAnswer {
  /** `null`: the tier decided nothing, it abstained or broke. */
  readonly decision: 'pass' | 'fail' | null
  readonly confidence: number
  /** `null`: unknown. */
  readonly costUsd: number | null
}

/** A labelled item with the answers of all tiers, in their order. */
export interface JudgedItem {
  readonly label: 'pass' | 'fail'
  readonly answers: readonly TierAnswer[]
}

/** The decisions of a cascade at one threshold, and their cost. */
export interface CurvePoint extends ThresholdTest {
  /** The exact upper bound of the risk, at the level `1 - delta`. */
  readonly upper: number
  /** The share of the items that are decided. */
  readonly coverage: number
  /** How many items each tier decides, in the order of the tiers. */
  readonly byTier: readonly number[]
  /** The cost of all tiers that run except the final one; `null` if a tier does not declare its cost. */
  readonly costUsd: number | null
}

/** The bound on the risk, and its confidence. */
export interface RiskBound {
  readonly alpha: number
  readonly delta: number
  readonly risk: Risk
}

/** The thresholds from the strictest to the loosest that are tested without another choice: 1.00, 0.99 … 0.50. */
export const usualGrid: readonly number[] = Object.freeze(Array.from({ length: 51 }, (_, step) => (100 - step) / 100))

/** The tier that decides an item at a threshold; -1 where none does. */
export function decidingTier({ answers }: JudgedItem, threshold: number): number {
  return answers.findIndex(({ decision, confidence }) => decision !== null && confidence >= threshold)
}

/** The curve of risk and coverage, strictest threshold first, with the test of each threshold. */
export function riskCurve(
  items: readonly JudgedItem[],
  tiers: number,
  grid: readonly number[],
  bound: RiskBound,
): { readonly curve: readonly CurvePoint[]; readonly certified: CurvePoint | null } {
  const points = grid.map((threshold) => pointAt(items, tiers, threshold, bound.risk))
  const { tests } = fixedSequence(points, bound)
  const curve = points.map((point, index) => {
    const upper = clopperPearsonUpper(point.errors, point.decided, bound.delta)
    return Object.freeze({ ...point, ...tests[index], upper }) as CurvePoint
  })
  return { curve, certified: curve.findLast(({ outcome }) => outcome === 'certified') ?? null }
}

type Point = Pick<CurvePoint, 'threshold' | 'decided' | 'errors' | 'coverage' | 'byTier' | 'costUsd'>

function pointAt(items: readonly JudgedItem[], tiers: number, threshold: number, risk: Risk): Point {
  const byTier = Array.from({ length: tiers }, () => 0)
  let [decided, counted, errors] = [0, 0, 0]
  let costUsd: number | null = 0
  for (const item of items) {
    const tier = decidingTier(item, threshold)
    const ran = tier < 0 ? item.answers : item.answers.slice(0, tier + 1)
    for (const answer of ran) costUsd = costUsd === null || answer.costUsd === null ? null : costUsd + answer.costUsd
    const decision = item.answers[tier]?.decision
    if (decision === undefined || decision === null) continue
    decided += 1
    byTier[tier] = (byTier[tier] ?? 0) + 1
    if (!(risk === 'disagreement' || (risk === 'false-pass' ? decision === 'pass' : decision === 'fail'))) continue
    counted += 1
    if (decision !== item.label) errors += 1
  }
  const coverage = items.length === 0 ? 0 : decided / items.length
  return { threshold, decided: counted, errors, coverage, byTier: Object.freeze(byTier), costUsd }
}

/** Why a cascade is certified, or is not. */
export type CertificationOutcome = 'certified' | 'stopped-at-first' | 'too-few-labels' | 'impossible'

/** The outcome of a curve, and how many more labels would probably suffice, where more can help. */
export function outcomeOf(
  curve: readonly CurvePoint[],
  items: number,
  { alpha, delta }: RiskBound,
): { readonly why: CertificationOutcome; readonly labelsNeeded: number | null } {
  if (curve.some(({ outcome }) => outcome === 'certified')) return { why: 'certified', labelsNeeded: null }
  const first = curve.find(({ outcome }) => outcome === 'failed')
  if (first === undefined) {
    const most = Math.max(0, ...curve.map(({ decided }) => decided))
    return {
      why: 'too-few-labels',
      labelsNeeded: most === 0 ? null : moreLabels(zeroErrorDecisions(alpha, delta), most, items),
    }
  }
  const needed = decisionsNeeded({ risk: first.errors / first.decided, alpha, delta })
  if (needed === null) return { why: 'impossible', labelsNeeded: null }
  return { why: 'stopped-at-first', labelsNeeded: moreLabels(needed, first.decided, items) }
}

/** How many more labels lead to this number of decisions. */
function moreLabels(decisions: number, decided: number, items: number): number {
  return Math.max(1, Math.ceil((decisions * items) / decided) - items)
}
