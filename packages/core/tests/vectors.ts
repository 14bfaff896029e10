import { readFileSync } from 'node:fs'
import type { Ballot, Judge, Judgment, Jury, Score, Tiers, Verdict, Vote } from '@jurist/core'
import {
  abstain,
  allMustPass,
  average,
  boolean,
  cascade,
  categorical,
  consensus,
  error,
  fail,
  jury,
  majority,
  median,
  numerical,
  pass,
  weightedAverage,
} from '@jurist/core'
import { judgmentFromJson } from '@jurist/core/internal'

/** A conformance case: `expected` is partial, `{ error: code }` means that the call throws that code. */
export interface Case {
  readonly id: string
  readonly why: string
  readonly [field: string]: unknown
}

export function casesOf(file: string): readonly Case[] {
  const text = readFileSync(new URL(`../vectors/${file}.json`, import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly cases: readonly Case[] }).cases
}

export interface VectorVote {
  readonly strategy: string
  readonly options?: Record<string, unknown>
}

const votes: Record<string, (options?: never) => Vote> = {
  majority,
  consensus,
  average,
  weightedAverage,
  median,
  allMustPass,
}

export function voteOf({ strategy, options }: VectorVote): Vote {
  const make = votes[strategy]
  if (make === undefined) throw new Error(`the vectors name an unknown vote ${strategy}`)
  return make(options as never)
}

export interface VectorJudgment {
  readonly status: Judgment['status']
  readonly score?: VectorScore
}

export interface VectorScore {
  readonly type: string
  readonly value: unknown
  readonly min?: unknown
  readonly max?: unknown
  readonly allowed?: readonly string[]
  readonly scale?: Record<string, number>
}

const special: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

function numberOf(value: unknown): number {
  return typeof value === 'string' && value in special ? (special[value] as number) : (value as number)
}

export function scoreOf({ type, value, min, max, allowed, scale }: VectorScore): Score {
  if (type === 'boolean') return boolean(value as boolean)
  if (type === 'categorical') return categorical(value as string, allowed ?? [], { scale } as never)
  const range = {
    ...(min === undefined ? {} : { min: numberOf(min) }),
    ...(max === undefined ? {} : { max: numberOf(max) }),
  }
  return numerical(numberOf(value), range)
}

export function judgmentOf({ status, score }: VectorJudgment): Judgment {
  const extras = score === undefined ? {} : { score: scoreOf(score) }
  if (status === 'pass') return pass('passed', extras)
  if (status === 'fail') return fail('failed', extras)
  return status === 'abstain' ? abstain('nothing to say') : error('boom', new Error('boom'))
}

/** The ballots of a case of `votes.json`. */
export function ballotsOf(ballots: readonly (VectorJudgment & { readonly weight?: unknown })[]): readonly Ballot[] {
  return ballots.map((one, index) => ({
    name: `j${index + 1}`,
    judgment: judgmentOf(one),
    weight: numberOf(one.weight ?? 1),
  }))
}

type VectorJury =
  | { vote: VectorVote; seats: Record<string, VectorSeat> }
  | { cascade: readonly VectorTier[] }
  | { rejects: string }
type VectorSeat = (VectorJudgment & { weight?: unknown }) | { throws: string } | { jury: VectorJury }
export interface VectorTier {
  name: string
  policy: string
  onError?: string
  jury: VectorJury
}

export function tiersOf(tiers: readonly VectorTier[]): Tiers {
  return tiers.map((tier) => ({ ...tier, jury: juryOfVector(tier.jury) })) as unknown as Tiers
}

function juryOfVector(given: VectorJury): Jury {
  if ('cascade' in given) return cascade(tiersOf(given.cascade))
  if ('rejects' in given) {
    const vote = async (): Promise<Verdict> => {
      throw new Error(given.rejects)
    }
    return Object.assign(async () => (await vote()).aggregated, { vote })
  }
  const seats = Object.entries(given.seats).map(([name, seat]) => {
    const weight = 'weight' in seat && seat.weight !== undefined ? numberOf(seat.weight) : 1
    return [name, { judge: judgeOfVector(seat), weight }]
  })
  return jury({ judges: Object.fromEntries(seats), vote: voteOf(given.vote) })
}

function judgeOfVector(seat: VectorSeat): Judge {
  if ('jury' in seat) return juryOfVector(seat.jury)
  if ('throws' in seat)
    return () => {
      throw new Error(seat.throws)
    }
  return () => judgmentOf(seat)
}

/** Any judgment read back from its own JSON. */
export function readBack(judgment: Judgment): Judgment {
  return judgmentFromJson(JSON.parse(JSON.stringify(judgment)))
}
