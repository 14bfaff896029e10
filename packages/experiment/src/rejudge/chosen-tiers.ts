import { cascade, JuristError, type Jury, type Tiers, type Verdict } from '@jurist/core'
import { juryPartsOf, type TierOutcome } from '@jurist/core/internal'

/** A cascade of which only some tiers run. */
export interface ChosenTiers {
  readonly jury: Jury
  /** The whole verdict: the tiers that ran, and what is stored of the others. */
  merge(stored: Verdict | null, verdict: Verdict): Verdict
}

/**
 * The cascade of the chosen tiers, in its own order; the last of them decides.
 *
 * @throws `tier-unknown` for the first name that is no tier
 */
export function chosenTiers(jury: Jury, names: readonly string[]): ChosenTiers {
  const { tiers = [] } = juryPartsOf(jury) ?? {}
  const known = tiers.map(({ name }) => name)
  for (const name of names.length === 0 ? [''] : names) if (!known.includes(name)) refuse(name, known)
  const chosen = tiers.filter(({ name }) => names.includes(name))
  const last = chosen.at(-1)
  const made = chosen.map((tier) => {
    return tier === last ? { name: tier.name, jury: tier.jury, policy: 'final' as const } : tier
  })
  return { jury: cascade(made as unknown as Tiers), merge: (stored, verdict) => merged(known, stored, verdict) }
}

/** What a tier that did not run said before is shown again; its cost is not counted again. */
function merged(names: readonly string[], stored: Verdict | null, verdict: Verdict): Verdict {
  const ran = byName(verdict)
  const before = stored === null ? new Map<string, TierOutcome>() : byName(stored)
  const tiers = names.flatMap((name) => ran.get(name) ?? before.get(name) ?? [])
  const subVerdicts = names.flatMap((name) => {
    const source = ran.has(name) ? verdict : stored
    const tier = source?.subVerdicts[name]
    return tier === undefined ? [] : [[name, tier] as const]
  })
  return { ...verdict, tiers, subVerdicts: Object.fromEntries(subVerdicts) }
}

function byName({ tiers = [] }: Verdict): ReadonlyMap<string, TierOutcome> {
  return new Map(tiers.map((tier) => [tier.name, tier]))
}

function refuse(tier: string, known: readonly string[]): never {
  const message =
    known.length === 0
      ? 'The jury has no tiers: leave "tiers" out, or judge with a cascade.'
      : `The cascade has no tier "${tier}". Its tiers are ${known.join(', ')}.`
  throw new JuristError('tier-unknown', message, { tier, known })
}
