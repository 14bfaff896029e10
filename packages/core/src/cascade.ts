import { selectiveRules } from './confident-answer.js'
import { contextFrom, type JudgmentContext } from './context.js'
import { defined } from './decoders.js'
import { JuristError } from './errors.js'
import { isObject } from './json.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { juryFrom, juryOf, voteSafely } from './jury.js'
import { type FinalTier, type GateTier, isJury, type Jury, type MadeTier, type Tiers } from './jury-member.js'
import { checkName } from './name.js'
import { checkOptions, checkRequired, described, type OptionDescription, option, printed } from './options.js'
import { confidentVerdict } from './selective-judge.js'
import { cascadeEnding, type EndedTier, type Ending, endingOf, inDoubt } from './tiers.js'
import { type TierOutcome, tierPolicies, type Verdict, verdictOf } from './verdict.js'
import { consensus } from './votes/counting-votes.js'

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
