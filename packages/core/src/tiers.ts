import { type ErrorJudgment, fail, type Judgment } from './judgment.js'
import { buildJudgment } from './judgment-record.js'
import type { AcceptTier, ConfidentTier, DecideTier, MadeTier, RejectTier } from './jury-member.js'
import type { TierOutcome, Verdict } from './verdict.js'
import { anyScore, withErrorBounds } from './votes/vote.js'

/** `ending` is the aggregate of the cascade, if the tier stopped it. */
export interface Ending {
  readonly outcome: TierOutcome['outcome']
  readonly ending?: Judgment
  /** The error that may have kept an accept gate from accepting. */
  readonly doubt?: ErrorJudgment
}

export interface EndedTier extends Ending {
  readonly tier: MadeTier
  readonly verdict: Verdict
}

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
  // After an error in a cascade, another tier with other judges could have decided.
  const open = only('pass', 'error') || (tiers !== undefined && aggregated.status === 'error')
  const doubt = doubts.get(verdict) ?? (open ? breakage(name, verdict) : undefined)
  return doubt === undefined ? { outcome: 'escalated' } : { outcome: 'escalated', doubt }
}

/** The vote of the tier decides, not its members. */
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
 * The cascades that an error may have kept from being decided earlier. A gate around such a cascade cannot see that
 * from its members.
 */
const doubts = new WeakMap<Verdict, ErrorJudgment>()

export function inDoubt(verdict: Verdict, doubt: ErrorJudgment): Verdict {
  doubts.set(verdict, doubt)
  return verdict
}

interface CascadeEnding {
  readonly aggregated: Judgment
  /** The outcome of the last tier that ran. */
  readonly outcome: TierOutcome['outcome']
  readonly doubt?: ErrorJudgment | undefined
}

/**
 * Usually the decision of the last tier. If only an error kept an accept gate from accepting, a pass stays a pass
 * without a known score, and anything else is an ERROR.
 */
export function cascadeEnding(ran: readonly EndedTier[]): CascadeEnding {
  const last = ran.at(-1)
  if (last?.ending === undefined) throw new Error('a cascade ended without a deciding tier')
  const { ending, outcome } = last
  const gate = ran.find(({ doubt }) => doubt !== undefined)
  if (gate?.doubt === undefined)
    return { aggregated: ending, outcome, doubt: doubts.get(last.verdict) ?? blockingError(last) }
  const { doubt } = gate
  if (ending.status === 'pass') return { aggregated: withErrorBounds(ending, anyScore), outcome, doubt }
  if (ending.status === 'error') return { aggregated: ending, outcome, doubt }
  const reasoning = `${gate.tier.name} might have accepted: ${doubt.reasoning}. ${last.tier.name} said ${ending.status}: ${ending.reasoning}`
  const aggregated = buildJudgment({ status: 'error', failure: doubt.failure }, reasoning, {
    metadata: { tier: gate.tier.name },
  })
  return { aggregated, outcome: 'errored', doubt }
}

/** A gate continues when its vote abstains. If that was due to an error, a later tier could have decided. */
function blockingError({ tier, ending }: EndedTier): ErrorJudgment | undefined {
  const isDeciding = tier.policy === 'accept-when-decided' || tier.policy === 'decide-when-confident'
  return isDeciding && ending?.status === 'error' ? ending : undefined
}

function namesOf(individual: Verdict['individual'], status: Judgment['status']): readonly string[] {
  return Object.keys(individual).filter((name) => individual[name]?.status === status)
}
