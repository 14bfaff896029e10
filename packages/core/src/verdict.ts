import { JuristError } from './errors.js'
import { type Place, pointer } from './json.js'
import type { Judgment } from './judgment.js'
import { readJudgment } from './judgment-record.js'
import { isName } from './name.js'
import { optional, type Read, readAmount, readList, readObject, readRecord, readWord } from './options.js'
import { privateMark } from './private-mark.js'
import { readUsage, totalCost, totalUsage, type Usage } from './usage.js'

/** A cascade ends with `final`. */
export const tierPolicies = [
  'reject-on-any-fail',
  'accept-on-all-pass',
  'accept-when-decided',
  'decide-when-confident',
  'final',
] as const

/** The outcome of one tier of a cascade. */
export interface TierOutcome {
  readonly name: string
  readonly policy: (typeof tierPolicies)[number]
  readonly outcome: 'rejected' | 'accepted' | 'escalated' | 'decided' | 'errored' | 'not-reached'
  readonly elapsedMs: number
  readonly costUsd?: number
}

/** The result of a jury: the aggregate, and every judgment behind it. Frozen and always valid JSON. */
export interface Verdict<Name extends string = string> {
  readonly aggregated: Judgment
  /** The judgments in the order of the members; in a cascade those of the tier that decided. */
  readonly individual: { readonly [name in Name]: Judgment }
  readonly weights: { readonly [name in Name]: number }
  /** The verdicts of members that are juries; in a cascade those of every tier that ran. */
  readonly subVerdicts: { readonly [name: string]: Verdict }
  /** All tiers of a cascade, including those that were not reached. */
  readonly tiers?: readonly TierOutcome[]
  readonly usage: Usage
  /** US dollars. Absent when no cost was declared. */
  readonly costUsd?: number
  readonly elapsedMs: number
}

export type VerdictParts = Pick<
  Verdict,
  'aggregated' | 'individual' | 'weights' | 'subVerdicts' | 'elapsedMs' | 'tiers'
>

/** Sums usage and cost; a sub-verdict counts instead of its aggregate. */
export function verdictOf(parts: VerdictParts): Verdict {
  const { aggregated, individual, weights, subVerdicts, tiers, elapsedMs } = parts
  const spent = tiers === undefined ? spenders(individual, subVerdicts) : Object.values(subVerdicts)
  const costUsd = totalCost(spent.map((spender) => spender.costUsd))
  return assemble({
    aggregated,
    individual: Object.freeze(individual),
    weights: Object.freeze(weights),
    subVerdicts: Object.freeze(subVerdicts),
    ...(tiers && { tiers: Object.freeze(tiers) }),
    usage: totalUsage(spent.map((spender) => spender.usage)),
    ...(costUsd !== undefined && { costUsd }),
    elapsedMs,
  })
}

function spenders(individual: Verdict['individual'], subVerdicts: Verdict['subVerdicts']): (Judgment | Verdict)[] {
  return Object.keys(individual).flatMap((name) => {
    const spender = Object.hasOwn(subVerdicts, name) ? subVerdicts[name] : individual[name]
    return spender?.usage === undefined && spender?.costUsd === undefined ? [] : [spender]
  })
}

const made = privateMark<Verdict>()

function assemble(verdict: Verdict): Verdict {
  return made.put(verdict)
}

/**
 * Reads a verdict from JSON. Drops unknown keys and freezes the result, which equals the verdict that was written.
 *
 * @throws `verdict-invalid` with the RFC 6901 pointer of the first problem
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * import { verdictFromJson } from '@jurist/core'
 *
 * const { aggregated } = verdictFromJson(JSON.parse(await readFile('verdict.json', 'utf8')))
 * console.log(aggregated.status)
 */
export function verdictFromJson(value: unknown): Verdict {
  return readVerdict(value, [])
}

const maxDepth = 100

function readVerdict(value: unknown, place: Place): Verdict {
  if (made.isOn(value)) return value
  const given = readRecord(value, place, refuse)
  if (place.length > 2 * maxDepth) return refuse(place, `is nested deeper than ${maxDepth} juries`)
  const part = <Value>(key: string, read: Read<Value>): Value => read(given[key], [...place, key], refuse)
  const individual = part('individual', (record, at) => byName(record, at, readJudgment))
  const weights = part('weights', (record, at) => byName(record, at, readAmount))
  if (namesOf(weights) !== namesOf(individual))
    return refuse([...place, 'weights'], 'must have the names of "individual"')
  const subVerdicts = part('subVerdicts', (record, at) => byName(record, at, readVerdict))
  const tiers = part('tiers', optional(readTiers))
  const stray = tiers ? undefined : Object.keys(subVerdicts).find((name) => !Object.hasOwn(individual, name))
  if (stray !== undefined) return refuse([...place, 'subVerdicts', stray], 'belongs to no member')
  const costUsd = part('costUsd', optional(readAmount))
  return assemble({
    aggregated: part('aggregated', readJudgment),
    individual,
    weights,
    subVerdicts,
    ...(tiers && { tiers }),
    usage: part('usage', readUsage),
    ...(costUsd !== undefined && { costUsd }),
    elapsedMs: part('elapsedMs', readAmount),
  })
}

/** Independent of their order; names cannot contain a line break. */
function namesOf(record: object): string {
  return Object.keys(record).sort().join('\n')
}

const readNameAt: Read<string> = (value, place, raise) => (isName(value) ? value : raise(place, 'is not a valid name'))

function byName<Value>(value: unknown, place: Place, read: Read<Value>): { readonly [name: string]: Value } {
  const entries = Object.entries(readRecord(value, place, refuse)).map(([name, entry]): [string, Value] => {
    const at = [...place, name]
    return [readNameAt(name, at, refuse), read(entry, at, refuse)]
  })
  return Object.freeze(Object.fromEntries(entries))
}

const readTiers = readList(
  readObject<TierOutcome>({
    name: readNameAt,
    policy: readWord(...tierPolicies),
    outcome: readWord('rejected', 'accepted', 'escalated', 'decided', 'errored', 'not-reached'),
    elapsedMs: readAmount,
    costUsd: optional(readAmount),
  }),
)

function refuse(place: Place, problem: string): never {
  const path = pointer(place)
  throw new JuristError(
    'verdict-invalid',
    `Not a verdict: ${path === '' ? 'the whole' : path} ${problem}. Read back what a jury's vote gave.`,
    { path },
  )
}
