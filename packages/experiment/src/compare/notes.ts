import { counted, grouped, pEquals } from '../result/amounts.js'
import { mcnemarExact } from '../result/statistics/paired-tests.js'
import type { RunResult } from '../result/trial-figures.js'
import { isUserAtFault } from '../result/trial-outcome.js'
import { undecidedJudges, undecidedJudgeText } from '../result/undecided-judges.js'
import type { Comparison, ItemChange, SignTest, UserFaultComparison } from './comparison.js'
import type { PairedItem } from './measures.js'

/** A comparison before its notes are written. */
type Compared = Omit<Comparison, 'notes'>

const named = 5

export function comparisonNotes(compared: Compared, changedItems: readonly string[]): readonly string[] {
  return [
    ...(compared.userFaults?.differs === true ? userFaultNote(compared.userFaults) : sizeNote(compared)),
    ...quarantineNote(compared),
    ...hiddenRegressions(compared),
    ...(changedItems.length === 0
      ? []
      : [
          `${counted(changedItems.length, 'item')} set another task in the two runs and cannot be compared: ${list(changedItems)}.`,
        ]),
    ...(compared.unpairedTrials === 0
      ? []
      : [
          `${counted(compared.unpairedTrials, 'trial')} had no partner in the other run and count in no paired number.`,
        ]),
  ]
}

/** Notes about judges of a run that left trials undecided: such a side may only seem better. */
export function judgeNotes(side: 'baseline' | 'candidate', run: RunResult): readonly string[] {
  return undecidedJudges(run).map((judge) => `In the ${side}, ${undecidedJudgeText(judge)}.`)
}

/** How many more items there would have to be, or why no number would do. */
export function sizeNote({
  conclusion,
  passRate,
  moreItems,
}: Pick<Compared, 'conclusion' | 'passRate' | 'moreItems'>): readonly string[] {
  const items = passRate?.items ?? 0
  if (conclusion === 'insufficient-data')
    return [
      `Too little to say: ${counted(items, 'item')} decided in both runs. ${counted(moreItems ?? 0, 'more item')} needed.`,
    ]
  if (conclusion !== 'no-difference-detected') return []
  if (moreItems === null) return [passRate === null ? 'No item was decided in both runs.' : balanceText(passRate.test)]
  return [
    `A difference as large as this one, if it is real, would take about ${counted(moreItems, 'more item')} to detect ` +
      '(in 4 of 5 experiments).',
  ]
}

function balanceText({ better, worse }: SignTest): string {
  if (better + worse === 0) return 'No item got better or worse.'
  return better === worse
    ? 'As many items got better as got worse.'
    : 'The items that got better and those that got worse cancel each other out.'
}

function quarantineNote({ quarantined = [] }: Compared): readonly string[] {
  if (quarantined.length === 0) return []
  const are = quarantined.length === 1 ? 'is' : 'are'
  return [`${counted(quarantined.length, 'item')} ${are} in quarantine and in no figure: ${list(quarantined)}.`]
}

/** A mean that rises, or stays, may hide items that fell. */
function hiddenRegressions({ passRate, items, scores, checks }: Compared): readonly string[] {
  const worse = items.filter(({ passDelta }) => (passDelta ?? 0) < 0)
  const ofPassRate =
    passRate !== null && passRate.delta >= 0 && worse.length > 0
      ? [`The pass rate did not fall, but ${counted(worse.length, 'item')} got worse: ${list(worse.map(idOf))}.`]
      : []
  const ofScores = Object.entries({ ...scores, ...checks }).flatMap(([key, { delta, regressions }]) =>
    delta !== null && delta > 0 && regressions > 0
      ? [`The mean of ${key} rose, but it fell on ${counted(regressions, 'item')}.`]
      : [],
  )
  return [...ofPassRate, ...ofScores]
}

function idOf({ itemId }: ItemChange): string {
  return itemId
}

function list(ids: readonly string[]): string {
  const more = ids.length - named
  return more > 0 ? `${ids.slice(0, named).join(', ')} and ${more} more` : ids.join(', ')
}

/**
 * Whether simulated users were at fault more often on one side: the exact test of the items on which one side has more of
 * them (McNemar's with one repetition, else the sign test). Their trials drop out undecided, so that a difference between the
 * sides that remain may be one of the users. `null`: no pair of trials has a simulated user.
 */
export function userFaultsIn(items: Iterable<PairedItem>, alpha: number): UserFaultComparison | null {
  let [pairs, baseline, candidate, more, fewer] = [0, 0, 0, 0, 0]
  for (const { pairs: trials } of items) {
    const talks = trials.filter(({ before, after }) => before.user !== undefined || after.user !== undefined)
    const before = talks.filter((pair) => isUserAtFault(pair.before.user)).length
    const after = talks.filter((pair) => isUserAtFault(pair.after.user)).length
    pairs += talks.length
    baseline += before
    candidate += after
    if (after > before) more += 1
    if (after < before) fewer += 1
  }
  if (pairs === 0) return null
  const pValue = mcnemarExact(more, fewer)
  return { pairs, baseline, candidate, pValue, differs: pValue <= alpha }
}

/** Why no difference is claimed; none where the users do not differ. */
function userFaultNote(found: UserFaultComparison | undefined): readonly string[] {
  if (found?.differs !== true) return []
  const { pairs, baseline, candidate, pValue } = found
  return [
    `The simulated user was at fault in ${grouped(baseline)} of ${grouped(pairs)} conversations before and in ` +
      `${grouped(candidate)} after (${pEquals(pValue)}, exact): the trials that are left may differ because of the user, so ` +
      'that no difference between the agents is claimed. Make the user better first.',
  ]
}
