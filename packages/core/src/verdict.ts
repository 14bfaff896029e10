import { JuristError } from './errors.js'
import type { Place } from './json.js'
import { isPlainObject, pointer } from './json.js'
import type { Judgment } from './judgment.js'
import { readJudgment } from './judgment-json.js'
import { readAmount } from './judgment-record.js'
import { isName } from './name.js'
import type { Usage } from './usage.js'
import { readUsage, totalCost, totalUsage } from './usage.js'

/** What became of one tier of a cascade. */
export interface TierOutcome {
  readonly name: string
  readonly policy: 'reject-on-any-fail' | 'accept-on-all-pass' | 'final'
  readonly outcome: 'rejected' | 'accepted' | 'escalated' | 'decided' | 'errored' | 'not-reached'
  readonly elapsedMs: number
  readonly costUsd?: number
}

/** What a jury says: the aggregate, and everything it rests on. Frozen, and JSON from birth. */
export interface Verdict<Name extends string = string> {
  readonly aggregated: Judgment
  /** In the order of the seats; in a cascade those of the tier that decided. */
  readonly individual: { readonly [name in Name]: Judgment }
  readonly weights: { readonly [name in Name]: number }
  /** Of seats that are juries; in a cascade of every tier that ran. */
  readonly subVerdicts: { readonly [name: string]: Verdict }
  /** Cascades only: all tiers, reached or not. */
  readonly tiers?: readonly TierOutcome[]
  readonly usage: Usage
  /** Absent when nobody declared a cost. */
  readonly costUsd?: number
  readonly elapsedMs: number
}

/** The parts of a verdict that are not derived. */
export type VerdictParts = Pick<
  Verdict,
  'aggregated' | 'individual' | 'weights' | 'subVerdicts' | 'elapsedMs' | 'tiers'
>

/** A verdict of its parts, frozen; usage and cost are summed, a sub-verdict counting in place of its aggregate. */
export function verdictOf(parts: VerdictParts): Verdict {
  const { aggregated, individual, weights, subVerdicts, tiers, elapsedMs } = parts
  const spent = tiers === undefined ? spenders(individual, subVerdicts) : Object.values(subVerdicts)
  const costUsd = totalCost(spent.map((spender) => spender.costUsd))
  return assemble({
    aggregated,
    individual: Object.freeze(individual),
    weights: Object.freeze(weights),
    subVerdicts: Object.freeze(subVerdicts),
    ...(tiers === undefined ? {} : { tiers: Object.freeze(tiers) }),
    usage: totalUsage(spent.map((spender) => spender.usage)),
    ...(costUsd === undefined ? {} : { costUsd }),
    elapsedMs,
  })
}

function spenders(individual: Verdict['individual'], subVerdicts: Verdict['subVerdicts']): (Judgment | Verdict)[] {
  return Object.keys(individual).flatMap((name) => {
    const spender = Object.hasOwn(subVerdicts, name) ? subVerdicts[name] : individual[name]
    return spender?.usage === undefined && spender?.costUsd === undefined ? [] : [spender]
  })
}

const made = new WeakSet<object>()

function assemble(verdict: Verdict): Verdict {
  made.add(verdict)
  return Object.freeze(verdict)
}

/**
 * Reads a verdict back from JSON; unknown keys are dropped, the result is frozen, and equals the one that was written.
 *
 * @throws `verdict-invalid` with the RFC 6901 pointer of the first fault
 */
export function verdictFromJson(value: unknown): Verdict {
  return readVerdict(value, [])
}

const maxDepth = 100

function readVerdict(value: unknown, place: Place): Verdict {
  if (isVerdict(value)) return value
  if (!isPlainObject(value)) return refuse(place, 'must be a verdict')
  if (place.length > 2 * maxDepth) return refuse(place, `is nested deeper than ${maxDepth} juries`)
  const { individual, weights, subVerdicts, tiers, costUsd } = value
  const read = readRecord(individual, [...place, 'individual'], (judgment, at) => readJudgment(judgment, at, refuse))
  const names = Object.keys(read)
  const weighed = readRecord(weights, [...place, 'weights'], (weight, at) => readAmount(weight, at, refuse))
  if (Object.keys(weighed).join('\n') !== names.join('\n'))
    return refuse([...place, 'weights'], 'must have the names of "individual"')
  const subs = readRecord(subVerdicts, [...place, 'subVerdicts'], readVerdict)
  const stray = tiers === undefined ? Object.keys(subs).find((name) => !Object.hasOwn(read, name)) : undefined
  if (stray !== undefined) return refuse([...place, 'subVerdicts', stray], 'belongs to no seat')
  return assemble({
    aggregated: readJudgment(value.aggregated, [...place, 'aggregated'], refuse),
    individual: read,
    weights: weighed,
    subVerdicts: subs,
    ...(tiers === undefined ? {} : { tiers: readTiers(tiers, [...place, 'tiers']) }),
    usage: readUsage(value.usage, [...place, 'usage'], refuse),
    ...(costUsd === undefined ? {} : { costUsd: readAmount(costUsd, [...place, 'costUsd'], refuse) }),
    elapsedMs: readAmount(value.elapsedMs, [...place, 'elapsedMs'], refuse),
  })
}

/** Whether `value` was made here, so that nothing about it needs checking again. */
function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'object' && value !== null && made.has(value)
}

function readRecord<Value>(
  value: unknown,
  place: Place,
  read: (value: unknown, place: Place) => Value,
): { readonly [name: string]: Value } {
  if (!isPlainObject(value)) return refuse(place, 'must be an object')
  const entries = Object.entries(value).map(([name, entry]): [string, Value] => {
    if (!isName(name)) return refuse([...place, name], 'is no valid name')
    return [name, read(entry, [...place, name])]
  })
  return Object.freeze(Object.fromEntries(entries))
}

const policies = ['reject-on-any-fail', 'accept-on-all-pass', 'final'] as const
const outcomes = ['rejected', 'accepted', 'escalated', 'decided', 'errored', 'not-reached'] as const

function readTiers(value: unknown, place: Place): readonly TierOutcome[] {
  if (!Array.isArray(value)) return refuse(place, 'must be a list')
  return Object.freeze(value.map((tier, index) => readTier(tier, [...place, index])))
}

function readTier(value: unknown, place: Place): TierOutcome {
  if (!isPlainObject(value)) return refuse(place, 'must be an object')
  const { name, costUsd } = value
  const policy = policies.find((known) => known === value.policy)
  const outcome = outcomes.find((known) => known === value.outcome)
  if (!isName(name)) return refuse([...place, 'name'], 'is no valid name')
  if (policy === undefined) return refuse([...place, 'policy'], `must be one of ${policies.join(', ')}`)
  if (outcome === undefined) return refuse([...place, 'outcome'], `must be one of ${outcomes.join(', ')}`)
  return Object.freeze({
    name,
    policy,
    outcome,
    elapsedMs: readAmount(value.elapsedMs, [...place, 'elapsedMs'], refuse),
    ...(costUsd === undefined ? {} : { costUsd: readAmount(costUsd, [...place, 'costUsd'], refuse) }),
  })
}

function refuse(place: Place, problem: string): never {
  const path = pointer(place)
  throw new JuristError(
    'verdict-invalid',
    `Not a verdict: ${path === '' ? 'the whole' : path} ${problem}. Read back what a jury's vote gave.`,
    { path },
  )
}
