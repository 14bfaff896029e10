import type { TierOutcome, Verdict } from '@jurist/core'

/** Why a cascade ended where it did, in a sentence or two; `undefined` for what is no cascade. */
export function whyStopped({ tiers, aggregated }: Verdict): string | undefined {
  if (tiers === undefined) return undefined
  const last = tiers.findLast(({ outcome }) => outcome !== 'not-reached')
  if (last === undefined) return undefined
  const missed = tiers.filter(({ outcome }) => outcome === 'not-reached').map(({ name }) => name)
  const rest =
    missed.length === 0 ? '' : ` ${missed.length === 1 ? 'The tier' : 'The tiers'} ${missed.join(', ')} did not run.`
  return `${endingOf(last)}: ${aggregated.reasoning}.${rest}`.replace(/\.\.$/, '.').replace('.. ', '. ')
}

function endingOf({ name, outcome }: TierOutcome): string {
  switch (outcome) {
    case 'rejected':
      return `The gate ${name} rejected it`
    case 'accepted':
      return `The gate ${name} accepted it`
    case 'decided':
      return `The last tier, ${name}, decided`
    case 'errored':
      return `The tier ${name} broke`
    case 'escalated':
    case 'not-reached':
      return `The tier ${name} handed on`
    default:
      return outcome satisfies never
  }
}
