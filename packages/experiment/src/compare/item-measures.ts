import type { BriefTrial } from '../result/trial-brief.js'
import { tokensOf } from '../result/usage.js'
import type { PairedItem, TrialPair } from './pair-trials.js'

/** The means of something over the pairs of an item that have it on both sides. */
export interface BothSides {
  readonly before: number
  readonly after: number
  /** How many pairs have it. */
  readonly pairs: number
}

/** What is read from a trial; nothing known: `null` or `undefined`. */
type Measure = (trial: BriefTrial) => number | null | undefined

/** Numbers of a trial by name. */
export type Numbers = Readonly<Record<string, number>>

/** The means over the pairs of an item in which the value is known on both sides; `null`: in none. */
export function bothSides(pairs: readonly TrialPair[], measure: Measure): BothSides | null {
  let [before, after, known] = [0, 0, 0]
  for (const pair of pairs) {
    const [one, other] = [measure(pair.before), measure(pair.after)]
    if (one === null || one === undefined || other === null || other === undefined) continue
    before += one
    after += other
    known += 1
  }
  return known === 0 ? null : { before: before / known, after: after / known, pairs: known }
}

/** What the trials of an item take, on both sides. */
export interface ItemAmounts {
  readonly costUsd: BothSides | null
  readonly tokens: BothSides | null
  readonly durationMs: BothSides | null
}

/** What an item takes; nothing when it was another task on the other side. */
export function itemAmounts({ pairs, changed }: Pick<PairedItem, 'pairs' | 'changed'>): ItemAmounts {
  if (changed) return { costUsd: null, tokens: null, durationMs: null }
  return {
    costUsd: bothSides(pairs, costNumber),
    tokens: bothSides(pairs, tokenNumber),
    durationMs: bothSides(pairs, durationNumber),
  }
}

function costNumber({ costUsd }: BriefTrial): number | null {
  return costUsd
}

function durationNumber({ durationMs }: BriefTrial): number {
  return durationMs
}

/** 1: passed, 0: failed, `null`: undecided. */
export function passedNumber({ passed }: BriefTrial): number | null {
  return passed === null ? null : Number(passed)
}

/** The tokens of the agent. */
function tokenNumber({ usage }: BriefTrial): number | null {
  return tokensOf(usage)
}
