import { type ErrorJudgment, fail, type Judgment } from './judgment.js'
import { buildJudgment } from './judgment-record.js'
import type { AcceptTier, ConfidentTier, DecideTier, MadeTier, RejectTier } from './jury-member.js'
import type { TierOutcome, Verdict } from './verdict.js'
import { anyScore, withErrorBounds } from './votes/vote.js'

/** How a tier ended: `ending` is the aggregate of the cascade where the tier stopped it. */
export interface Ending {
  readonly outcome: TierOutcome['outcome']
  readonly ending?: Judgment
  /** The error without which an accept gate could have accepted. */
  readonly doubt?: ErrorJudgment
}

/** A tier that ran. */
export interface EndedTier extends Ending {
  readonly tier: MadeTier
  readonly verdict: Verdict
}

/** Applies a tier's policy to its verdict. */
export function endingOf(tier: MadeTier, verdict: Verdict): Ending {
  switch (tier.policy) {
    case 'reject-on-any-fail':
      return rejectOnAnyFail(tier, verdict)
    case 'accept-on-all-pass':
      return acceptOnAllPass(tier, verdict)
    case 'accept-when-decided':
    case 'decide-when-confident':
      return acceptWhenDecided(tier, verdict)
    case 'final': {
      const { aggregated } = verdict
      return { outcome: aggregated.status === 'error' ? 'errored' : 'decided', ending: aggregated }
    }
    default:
      return tier satisfies never
  }
}

function rejectOnAnyFail(tier: RejectTier, verdict: Verdict): Ending {
  const { aggregated, individual } = verdict
  const failed = namesOf(individual, 'fail')
  const doubt = doubts.get(verdict)
  if (failed.length > 0 && doubt === undefined)
    return { outcome: 'rejected', ending: rejection(tier.name, aggregated, failed) }
  const broken = breakage(tier.name, verdict) ?? (failed.length > 0 ? doubt : undefined)
  if (broken === undefined || tier.onError === 'escalate') return { outcome: 'escalated' }
  return { outcome: 'errored', ending: broken }
}

function rejection(tier: string, aggregated: Judgment, failed: readonly string[]): Judgment {
  if (aggregated.status === 'fail') return aggregated
  const rejected = fail(`${tier} rejected: ${failed.join(', ')} failed`, { metadata: { tier, failed } })
  // Without the error, the aggregate could have been a fail with its own score.
  return aggregated.status === 'error' ? withErrorBounds(rejected, anyScore) : rejected
}

function breakage(tier: string, { aggregated, individual }: Verdict): ErrorJudgment | undefined {
  if (aggregated.status === 'error') return aggregated
  const errored = namesOf(individual, 'error')[0] ?? ''
  const broken = individual[errored]
  if (broken?.status !== 'error') return undefined
  const { failure } = broken
  return buildJudgment({ status: 'error', failure }, `${tier} could not decide: ${errored} ended in an error`, {
    metadata: { tier },
  })
}

function acceptOnAllPass({ name }: AcceptTier, verdict: Verdict): Ending {
  const { aggregated, individual, tiers } = verdict
  const judgments = Object.values(individual)
  const only = (...allowed: readonly Judgment['status'][]) =>
    [aggregated, ...judgments].every(({ status }) => allowed.includes(status))
  if (judgments.length > 0 && only('pass')) return { outcome: 'accepted', ending: aggregated }
  // A cascade that ended in an error could have been decided by another tier, with other judges.
  const open = only('pass', 'error') || (tiers !== undefined && aggregated.status === 'error')
  const doubt = doubts.get(verdict) ?? (open ? breakage(name, verdict) : undefined)
  return doubt === undefined ? { outcome: 'escalated' } : { outcome: 'escalated', doubt }
}

/** The vote of the tier, and not its members, says whether it decided. */
function acceptWhenDecided({ onError }: DecideTier | ConfidentTier, { aggregated }: Verdict): Ending {
  switch (aggregated.status) {
    case 'pass':
      return { outcome: 'accepted', ending: aggregated }
    case 'fail':
      return { outcome: 'rejected', ending: aggregated }
    case 'abstain':
      return { outcome: 'escalated' }
    case 'error':
      return onError === 'escalate' ? { outcome: 'escalated' } : { outcome: 'errored', ending: aggregated }
    default:
      return aggregated satisfies never
  }
}

/**
 * The cascades that an error may have kept from being decided by an earlier tier: the members of the tier that decided
 * say nothing to a gate around it.
 */
const doubts = new WeakMap<Verdict, ErrorJudgment>()

/** Remembers why the verdict of a cascade is in doubt. */
export function inDoubt(verdict: Verdict, doubt: ErrorJudgment): Verdict {
  doubts.set(verdict, doubt)
  return verdict
}

/** How a cascade ends, from the tiers that ran. */
interface CascadeEnding {
  readonly aggregated: Judgment
  /** Of the last tier that ran. */
  readonly outcome: TierOutcome['outcome']
  readonly doubt?: ErrorJudgment | undefined
}

/**
 * What the last tier decided, unless an accept gate could have accepted without an error: then a pass stays a pass,
 * with a score that is not known, and anything else is an ERROR.
 */
export function cascadeEnding(ran: readonly EndedTier[]): CascadeEnding {
  const last = ran.at(-1)
  if (last?.ending === undefined) throw new Error('a cascade ended without a deciding tier')
  const { ending, outcome } = last
  const gate = ran.find(({ doubt }) => doubt !== undefined)
  if (gate?.doubt === undefined) return { aggregated: ending, outcome, doubt: doubts.get(last.verdict) ?? stuck(last) }
  const { doubt } = gate
  if (ending.status === 'pass') return { aggregated: withErrorBounds(ending, anyScore), outcome, doubt }
  if (ending.status === 'error') return { aggregated: ending, outcome, doubt }
  const reasoning = `${gate.tier.name} might have accepted: ${doubt.reasoning}. ${last.tier.name} said ${ending.status}: ${ending.reasoning}`
  const aggregated = buildJudgment({ status: 'error', failure: doubt.failure }, reasoning, {
    metadata: { tier: gate.tier.name },
  })
  return { aggregated, outcome: 'errored', doubt }
}

/** The error of a gate that continues when its vote abstains: without the error, a later tier could have decided. */
function stuck({ tier, ending }: EndedTier): ErrorJudgment | undefined {
  const isDeciding = tier.policy === 'accept-when-decided' || tier.policy === 'decide-when-confident'
  return isDeciding && ending?.status === 'error' ? ending : undefined
}

function namesOf(individual: Verdict['individual'], status: Judgment['status']): readonly string[] {
  return Object.keys(individual).filter((name) => individual[name]?.status === status)
}
