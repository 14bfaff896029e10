import type { ContextInput, JudgmentContext } from './context.js'
import { contextFrom, isStopped } from './context.js'
import { JuristError } from './errors.js'
import { freeze } from './freeze.js'
import { isObject } from './json.js'
import type { Judgment } from './judgment.js'
import { fail } from './judgment.js'
import { buildJudgment } from './judgment-record.js'
import { juryFrom, juryOf, voteSafely } from './jury.js'
import { checkName } from './name.js'
import { checkOptions, option, printed } from './options.js'
import { defined } from './read.js'
import type { Jury } from './seat.js'
import { isJury } from './seat.js'
import type { FinalTier, GateTier, RejectTier, Tiers } from './tier.js'
import type { TierOutcome, Verdict } from './verdict.js'
import { verdictOf } from './verdict.js'
import { consensus } from './votes/consensus.js'

const { anything } = option

export interface CascadeOptions {
  /** Milliseconds for each tier. Default: no limit. */
  readonly timeoutMs?: number
}

/**
 * Juries one after another: cheap ones first, each deciding or handing on. Fails closed: it never passes where a
 * reject gate failed or broke.
 *
 * @param tiers in order; a judge stands for a jury of one
 * @throws `cascade-invalid` (no tiers, the last not `final`, `final` elsewhere, an unknown policy, a jury that is no
 * function), `name-duplicate`, `name-invalid`, `option-invalid`
 *
 * @example
 * cascade([
 *   { name: 'rules', jury: rules, policy: 'reject-on-any-fail' },
 *   { name: 'meaning', jury: meaning, policy: 'final' },
 * ])
 */
export function cascade(tiers: Tiers, options?: CascadeOptions): Jury {
  const { timeoutMs } = checkOptions('cascade', options, { timeoutMs: option.positive })
  const made = checkedTiers(tiers)
  const juries = made.map(({ jury }) => jury)
  return juryFrom('cascade', juries, { seats: [], tiers: made }, async (input: ContextInput) => {
    const context = contextFrom(input)
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

type MadeTier = (GateTier | FinalTier) & { readonly jury: Jury }

/** How a tier ended: `ending` is the aggregate of the cascade where the tier stopped it. */
interface Ending {
  readonly outcome: TierOutcome['outcome']
  readonly ending?: Judgment
}
interface RanTier extends Ending {
  readonly tier: MadeTier
  readonly verdict: Verdict
  readonly elapsedMs: number
}

async function runTier(tier: MadeTier, context: JudgmentContext, timeoutMs: number | undefined): Promise<RanTier> {
  const startedAt = performance.now()
  const stopped = isStopped(context)
  const { judgment, verdict = rejectedVote(judgment) } = await voteSafely(tier.jury, tier.name, context, timeoutMs)
  const ending: Ending = stopped ? { outcome: 'errored', ending: judgment } : endingOf(tier, verdict)
  return { ...ending, tier, verdict, elapsedMs: performance.now() - startedAt }
}

function rejectedVote(aggregated: Judgment): Verdict {
  return verdictOf({ aggregated, individual: {}, weights: {}, subVerdicts: {}, elapsedMs: aggregated.elapsedMs ?? 0 })
}

function endingOf(tier: MadeTier, verdict: Verdict): Ending {
  switch (tier.policy) {
    case 'reject-on-any-fail':
      return rejectOnAnyFail(tier, verdict)
    case 'accept-on-all-pass':
      return acceptOnAllPass(verdict)
    case 'final': {
      const { aggregated } = verdict
      return { outcome: aggregated.status === 'error' ? 'errored' : 'decided', ending: aggregated }
    }
    default:
      return tier satisfies never
  }
}

function rejectOnAnyFail(tier: RejectTier, { aggregated, individual }: Verdict): Ending {
  const failed = namesOf(individual, 'fail')
  if (failed.length > 0) return { outcome: 'rejected', ending: rejection(tier.name, aggregated, failed) }
  const [errored] = namesOf(individual, 'error')
  if (errored === undefined && aggregated.status !== 'error') return { outcome: 'escalated' }
  if (tier.onError === 'escalate') return { outcome: 'escalated' }
  return { outcome: 'errored', ending: breakage(tier.name, aggregated, errored, individual) }
}

function rejection(tier: string, aggregated: Judgment, failed: readonly string[]): Judgment {
  if (aggregated.status === 'fail') return aggregated
  return fail(`${tier} rejected: ${failed.join(', ')} failed`, { metadata: { tier, failed } })
}

function breakage(
  tier: string,
  aggregated: Judgment,
  errored: string | undefined,
  individual: Verdict['individual'],
): Judgment {
  const broken = errored === undefined ? undefined : individual[errored]
  if (aggregated.status === 'error' || broken?.status !== 'error') return aggregated
  const { failure } = broken
  return buildJudgment({ status: 'error', failure }, `${tier} could not decide: ${errored} ended in an error`, {
    metadata: { tier },
  })
}

function acceptOnAllPass({ aggregated, individual }: Verdict): Ending {
  const judgments = Object.values(individual)
  const all = judgments.length > 0 && judgments.every(({ status }) => status === 'pass')
  return all && aggregated.status === 'pass' ? { outcome: 'accepted', ending: aggregated } : { outcome: 'escalated' }
}

function namesOf(individual: Verdict['individual'], status: Judgment['status']): readonly string[] {
  return Object.keys(individual).filter((name) => individual[name]?.status === status)
}

function cascadeVerdict(tiers: readonly MadeTier[], ran: readonly RanTier[], elapsedMs: number): Verdict {
  const last = ran.at(-1)
  if (last?.ending === undefined) throw new Error('a cascade ended without a deciding tier')
  return verdictOf({
    aggregated: last.ending,
    individual: { ...last.verdict.individual },
    weights: { ...last.verdict.weights },
    subVerdicts: Object.fromEntries(ran.map(({ tier, verdict }) => [tier.name, verdict])),
    tiers: tiers.map((tier, index) => tierOutcome(tier, ran[index])),
    elapsedMs,
  })
}

function tierOutcome({ name, policy }: MadeTier, ran: RanTier | undefined): TierOutcome {
  const { outcome = 'not-reached', elapsedMs = 0, verdict } = ran ?? {}
  return defined<TierOutcome>({ name, policy, outcome, elapsedMs, costUsd: verdict?.costUsd })
}

function checkedTiers(tiers: Tiers): readonly MadeTier[] {
  if (!Array.isArray(tiers) || tiers.length === 0) return refuse('', 'there are no tiers; give at least a final one')
  const taken = new Set<string>()
  return freeze(
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

const gates: readonly unknown[] = ['reject-on-any-fail', 'accept-on-all-pass']

function checkedTier(tier: GateTier | FinalTier, last: boolean): MadeTier {
  if (!isObject(tier)) return refuse('', `${printed(tier)} is no tier`)
  checkName(tier.name, 'a tier')
  const allowed = last ? ['final'] : gates
  if (!allowed.includes(tier.policy))
    return refuse(
      tier.name,
      `has the policy ${printed(tier.policy)}; ${last ? 'the last tier' : 'a tier before the last'} is ${allowed.join(' or ')}`,
    )
  if (typeof tier.jury !== 'function') return refuse(tier.name, 'has no jury; give a jury or a judge')
  const known = { name: anything, jury: anything, policy: anything }
  const given = checkOptions<object>(
    `the tier "${tier.name}"`,
    tier,
    tier.policy === 'reject-on-any-fail' ? { ...known, onError: option.oneOf('stop', 'escalate') } : known,
  )
  const jury = isJury(tier.jury) ? tier.jury : juryOf(consensus(), tier.jury)
  return freeze({ ...(given as MadeTier), jury })
}

function refuse(tier: string, problem: string): never {
  throw new JuristError('cascade-invalid', `cascade: ${tier === '' ? '' : `the tier "${tier}" `}${problem}.`, { tier })
}
