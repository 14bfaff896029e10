import { contextFrom, type JudgmentContext } from './context.js'
import { JuristError } from './errors.js'
import { isObject } from './json.js'
import type { Judge } from './judge.js'
import { type ErrorJudgment, fail, type Judgment } from './judgment.js'
import { buildJudgment } from './judgment-record.js'
import { juryFrom, juryOf, voteSafely } from './jury.js'
import {
  type AcceptTier,
  type ConfidentTier,
  type DecideTier,
  type FinalTier,
  type GateTier,
  isJury,
  type Jury,
  type MadeTier,
  type RejectTier,
  selectiveRules,
  type Tiers,
} from './jury-member.js'
import { checkName } from './name.js'
import { checkOptions, checkRequired, defined, described, type OptionDescription, option, printed } from './options.js'
import { confidentVerdict } from './selective-judge.js'
import { type TierOutcome, tierPolicies, type Verdict, verdictOf } from './verdict.js'
import { consensus } from './votes/counting-votes.js'
import { anyScore, withErrorBounds } from './votes/vote.js'

/** `ending` is the aggregate of the cascade, if the tier stopped it. */
interface Ending {
  readonly outcome: TierOutcome['outcome']
  readonly ending?: Judgment
  /** The error that may have kept an accept gate from accepting. */
  readonly doubt?: ErrorJudgment
}

interface EndedTier extends Ending {
  readonly tier: MadeTier
  readonly verdict: Verdict
}

function endingOf(tier: MadeTier, verdict: Verdict): Ending {
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

function inDoubt(verdict: Verdict, doubt: ErrorJudgment): Verdict {
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
function cascadeEnding(ran: readonly EndedTier[]): CascadeEnding {
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

export type { Tiers }

const { anything } = option

/** Options of `cascade`. */
export interface CascadeOptions {
  /** The time limit of each tier, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number
}

/**
 * Runs juries one after another, cheap ones first. Each decides or passes the subject on. Fails closed: a cascade never
 * passes where a reject gate failed or broke, or where a tier that may decide ended in an error. Where an error kept an
 * accept gate from accepting, later tiers may still pass; any other result is an ERROR.
 *
 * @param tiers in order; a judge counts as a jury of one
 * @throws `cascade-invalid` (no tiers, the last not `final`, `final` elsewhere, an unknown policy, a jury that is not a
 * function), `name-duplicate`, `name-invalid`, `option-invalid`
 *
 * @example
 * import { cascade, fileExists, jury, outputText } from '@jurist/core'
 *
 * const rules = jury({ judges: { readme: fileExists('README.md') } })
 * const meaning = jury({ judges: { greeting: outputText({ contains: 'Hello' }) } })
 * cascade([
 *   { name: 'rules', jury: rules, policy: 'reject-on-any-fail' },
 *   { name: 'meaning', jury: meaning, policy: 'final' },
 * ])
 */
export function cascade(tiers: Tiers, options?: CascadeOptions): Jury {
  const { timeoutMs } = checkOptions('cascade', options, { timeoutMs: option.positive })
  const made = checkedTiers(tiers)
  const juries = made.map(({ jury }) => jury)
  const rebuilt = (change: (judge: Judge) => Judge) =>
    cascade(made.map((tier) => ({ ...tier, jury: change(tier.jury) })) as unknown as Tiers, options)
  const parts = { members: [], tiers: made, rebuilt, timeoutMs }
  return juryFrom('cascade', juries, parts, async (context) => {
    const startedAt = performance.now()
    const ran: RanTier[] = []
    for (const tier of made) {
      const last = await runTier(tier, context, timeoutMs)
      ran.push(last)
      if (last.ending !== undefined) break
    }
    return cascadeVerdict(made, ran, performance.now() - startedAt)
  })
}

interface RanTier extends EndedTier {
  readonly elapsedMs: number
}

async function runTier(tier: MadeTier, context: JudgmentContext, timeoutMs: number | undefined): Promise<RanTier> {
  const startedAt = performance.now()
  const { aborted } = context.signal
  const { judgment, verdict = rejectedVote(judgment) } = await voteSafely(voterOf(tier), tier.name, context, timeoutMs)
  const ending: Ending = aborted ? { outcome: 'errored', ending: judgment } : endingOf(tier, verdict)
  return { ...ending, tier, verdict, elapsedMs: performance.now() - startedAt }
}

function voterOf(tier: MadeTier): Pick<Jury, 'vote'> {
  if (tier.policy !== 'decide-when-confident') return tier.jury
  return { vote: (context) => confidentVerdict(tier.jury, contextFrom(context), tier) }
}

function rejectedVote(aggregated: Judgment): Verdict {
  return verdictOf({ aggregated, individual: {}, weights: {}, subVerdicts: {}, elapsedMs: aggregated.elapsedMs ?? 0 })
}

function cascadeVerdict(tiers: readonly MadeTier[], ran: readonly RanTier[], elapsedMs: number): Verdict {
  const { outcome, aggregated, doubt } = cascadeEnding(ran)
  const last = ran.at(-1)
  const verdict = verdictOf({
    aggregated,
    individual: { ...last?.verdict.individual },
    weights: { ...last?.verdict.weights },
    subVerdicts: Object.fromEntries(ran.map(({ tier, verdict }) => [tier.name, verdict])),
    tiers: tiers.map((tier, index) =>
      tierOutcome(tier, last && tier === last.tier ? { ...last, outcome } : ran[index]),
    ),
    elapsedMs,
  })
  return doubt === undefined ? verdict : inDoubt(verdict, doubt)
}

function tierOutcome({ name, policy }: MadeTier, ran: RanTier | undefined): TierOutcome {
  const { outcome = 'not-reached', elapsedMs = 0, verdict } = ran ?? {}
  return defined<TierOutcome>({ name, policy, outcome, elapsedMs, costUsd: verdict?.costUsd })
}

function checkedTiers(tiers: Tiers): readonly MadeTier[] {
  if (!Array.isArray(tiers) || tiers.length === 0) return refuse('', 'there are no tiers; give at least a final one')
  const taken = new Set<string>()
  return Object.freeze(
    (tiers as readonly (GateTier | FinalTier)[]).map((tier, index) => {
      const made = checkedTier(tier, index === tiers.length - 1)
      if (taken.has(made.name))
        throw new JuristError(
          'name-duplicate',
          `cascade: two tiers are called "${made.name}". Give each its own name.`,
          {
            name: made.name,
          },
        )
      taken.add(made.name)
      return made
    }),
  )
}

const gates: readonly TierOutcome['policy'][] = tierPolicies.slice(0, -1)
/** Gates at which an error ends the cascade, unless their `onError` is `'escalate'`. */
const closing: typeof gates = gates.filter((policy) => policy !== 'accept-on-all-pass')

function checkedTier(tier: GateTier | FinalTier, last: boolean): MadeTier {
  if (!isObject(tier)) return refuse('', `${printed(tier)} is not a tier`)
  checkName(tier.name, 'a tier')
  const allowed: readonly TierOutcome['policy'][] = last ? ['final'] : gates
  if (!allowed.includes(tier.policy))
    return refuse(
      tier.name,
      `has the policy ${printed(tier.policy)}; ${last ? 'the last tier' : 'a tier before the last'} is ${allowed.join(' or ')}`,
    )
  if (typeof tier.jury !== 'function') return refuse(tier.name, 'has no jury; give a jury or a judge')
  const isConfident = tier.policy === 'decide-when-confident'
  const known = {
    ...{ name: anything, jury: anything, policy: anything },
    ...(isConfident ? selectiveRules : {}),
    ...(closing.includes(tier.policy) ? { onError: onErrorOption } : {}),
  }
  const given = checkRequired<object>(`the tier "${tier.name}"`, tier, known, isConfident ? ['threshold' as never] : [])
  const jury = isJury(tier.jury) ? tier.jury : juryOf(consensus(), tier.jury)
  return Object.freeze({ ...(given as MadeTier), jury })
}

export const onErrorOption: OptionDescription = described(
  option.oneOf('stop', 'escalate'),
  'What an error of the tier does: end the cascade, or go to the next tier.',
  'stop',
)

function refuse(tier: string, problem: string): never {
  throw new JuristError('cascade-invalid', `cascade: ${tier === '' ? '' : `the tier "${tier}" `}${problem}.`, { tier })
}
