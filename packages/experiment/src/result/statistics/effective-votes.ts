import { meanOf } from './descriptive.js'
import { statisticInvalid } from './invalid.js'

/** 1: the member was wrong on the item; 0: right; `null`: it did not judge it. */
export type MemberError = 0 | 1 | null

/**
 * How many independent votes a jury is worth: k/(1 + (k − 1)·max(0, φ)), Kish's design effect (Kish 1965) with the mean φ
 * coefficient of the errors of each pair of members over the items that both judged. Pairs with a member that is always
 * right or always wrong there have no correlation and are left out.
 *
 * @param errors by member, then item
 * @returns both `null` when no pair is left
 * @throws `statistic-invalid` for unequal lengths, and values other than 0, 1 and `null`
 */
export function effectiveVotes(errors: readonly (readonly MemberError[])[]): {
  readonly meanCorrelation: number | null
  readonly effectiveVotes: number | null
} {
  checkErrors(errors)
  const correlations = errors.flatMap((one, index) =>
    errors.slice(index + 1).flatMap((other) => phiOf(one, other) ?? []),
  )
  if (correlations.length === 0) return { meanCorrelation: null, effectiveVotes: null }
  const meanCorrelation = meanOf(correlations)
  const members = errors.length
  return { meanCorrelation, effectiveVotes: members / (1 + (members - 1) * Math.max(0, meanCorrelation)) }
}

function checkErrors(errors: readonly (readonly MemberError[])[]): void {
  const [first = []] = errors
  for (const [member, row] of errors.entries()) {
    if (row.length !== first.length)
      statisticInvalid('effectiveVotes', `member 0 has ${first.length} items, member ${member} ${row.length}`)
    const bad = row.find((error) => error !== 0 && error !== 1 && error !== null)
    if (bad !== undefined) statisticInvalid('effectiveVotes', `an error is 0, 1 or null, not ${bad}`)
  }
}

/** The φ coefficient of two members; `null` when one of them does not vary. */
function phiOf(one: readonly MemberError[], other: readonly MemberError[]): number | null {
  let [both, first, second, items] = [0, 0, 0, 0]
  for (const [index, mine] of one.entries()) {
    const theirs = other[index] ?? null
    if (mine === null || theirs === null) continue
    items += 1
    first += mine
    second += theirs
    both += mine * theirs
  }
  const spread = Math.sqrt(first * (items - first)) * Math.sqrt(second * (items - second))
  return spread === 0 ? null : (items * both - first * second) / spread
}
