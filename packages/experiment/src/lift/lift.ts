import { compare } from '../compare/compare.js'
import { counted, dollars, grouped, pEquals, percent, points, rateBounds, unknown } from '../result/amounts.js'
import { tokensOf } from '../result/spending.js'
import { widenedBootstrap } from '../result/statistics/bootstrap.js'
import { meanOf } from '../result/statistics/descriptive.js'
import { logWays } from '../result/statistics/distributions.js'
import { holmAdjusted, signFlipTest } from '../result/statistics/paired-tests.js'
import { seededRandom } from '../result/statistics/random.js'
import { effectiveWilson } from '../result/statistics/rate-intervals.js'
import type { Interval } from '../result/summary.js'
import { trialJudges } from '../result/trial-evidence.js'
import { type RunResult, type Trial, trialsOf } from '../result/trial-figures.js'

interface Counts {
  readonly passed: number
  readonly decided: number
}

/** The decided trials of one item in both arms. */
export interface LiftItem {
  readonly itemId: string
  readonly without: Counts
  readonly with: Counts
}

/** One arm. Means are of the trials that declare the amount; `null`: none does. */
export interface LiftArm extends Counts {
  readonly trials: number
  readonly rate: number | null
  readonly interval: Interval | null
  readonly costUsd: number | null
  readonly turns: number | null
  readonly tokens: number | null
  /** Trials in which the agent used the subject, of those whose journal has tool calls. */
  readonly used: { readonly trials: number; readonly of: number }
  /** Trials whose answer ends with a question: the agent asks back instead of working. */
  readonly asked: number
}

/** How many times as much the arm with the skill takes: the geometric mean over items, with its 95 % interval. */
export interface LiftRatio {
  readonly items: number
  readonly ratio: number
  readonly interval: Interval | null
  /** Adjusted by Holm's method over all ratios. */
  readonly pValue: number
}

/** The effect of a subject: two arms that differ in nothing else. */
export interface Lift {
  readonly conclusion: 'helps' | 'hurts' | 'not-shown'
  /** `by-item`: on tasks like these. `within-items`: on these tasks alone. */
  readonly test: 'by-item' | 'within-items'
  readonly difference: number | null
  /** The interval of the difference. `null` within items, where it would be about other tasks. */
  readonly interval: Interval | null
  readonly pValue: number | null
  /** The size that shows the observed difference in four of five studies; `null`: it is shown, or no number would do. */
  readonly needed: { readonly items: number } | { readonly repetitions: number } | null
  readonly without: LiftArm
  readonly with: LiftArm
  readonly items: readonly LiftItem[]
  readonly costUsd: LiftRatio | null
  readonly turns: LiftRatio | null
  readonly tokens: LiftRatio | null
  /**
   * The trials with the subject, by whether the agent used it. They are other tasks and other moments, so their difference is not the effect of the subject: the agent has selected them.
   */
  readonly selected: { readonly used: Counts; readonly unused: Counts }
  /** Judges that tell nothing: they pass in every trial of both arms, or in none. */
  readonly same: { readonly always: readonly LiftJudge[]; readonly never: readonly LiftJudge[] }
}

/** A judge of an item, by its path in the jury. */
interface LiftJudge {
  readonly itemId: string
  readonly judge: string
}

/** From this number of items on, the result holds for tasks like them. */
export const itemsForPopulation = 10

const alpha = 0.05

/**
 * Compares the arms of a study.
 *
 * @param planned the number of items of the study, which chooses the test before there is a result
 * @throws `conditions-differ` when the arms differ in anything but the subject
 */
export function liftOf(without: RunResult, withIt: RunResult, planned: number): Lift {
  const comparison = compare(without, withIt)
  const [before, after] = [trialsOf(without), trialsOf(withIt)]
  const ids = [...new Set([...before, ...after].map(({ itemId }) => itemId))]
  const ofItem = (trials: readonly Trial[], id: string) => trials.filter(({ itemId }) => itemId === id)
  const items = ids.map((itemId) => ({
    itemId,
    without: countsOf(ofItem(before, itemId)),
    with: countsOf(ofItem(after, itemId)),
  }))
  const both = items.filter((item) => item.without.decided > 0 && item.with.decided > 0)
  const byItem = planned >= itemsForPopulation
  const difference = byItem ? (comparison.passRate?.delta ?? null) : meanDifference(both)
  const pValue = byItem
    ? (comparison.passRate?.permutation.pValue ?? null)
    : both.length === 0
      ? null
      : withinItemsTest(both)
  const sign = Math.sign(difference ?? 0)
  // Undecided trials might have been the other way round.
  const least = meanDifference(items.map((item) => against(item, sign, before, after)))
  const isShown = pValue !== null && pValue <= alpha && sign !== 0 && Math.sign(least ?? 0) === sign
  const [costUsd = null, turns = null, tokens = null] = ratiosOf(
    ids.map((id) => [ofItem(before, id), ofItem(after, id)]),
  )
  return {
    conclusion: isShown ? (sign > 0 ? 'helps' : 'hurts') : 'not-shown',
    test: byItem ? 'by-item' : 'within-items',
    difference,
    interval: byItem ? (comparison.passRate?.interval ?? null) : null,
    pValue,
    needed: isShown ? null : byItem ? moreItems(comparison.moreItems, ids.length) : moreRepetitions(both),
    without: armOf(before),
    with: armOf(after),
    items,
    ...{ costUsd, turns, tokens },
    selected: { used: usedCounts(after, true), unused: usedCounts(after, false) },
    same: sameJudges(before, after),
  }
}

function sameJudges(before: readonly Trial[], after: readonly Trial[]): Lift['same'] {
  const found = new Map<string, LiftJudge & { readonly passes: Set<boolean>; readonly arms: Set<number> }>()
  for (const [arm, trials] of [before, after].entries())
    for (const trial of trials)
      for (const [judge, status] of Object.entries(trialJudges(trial))) {
        if (status !== 'pass' && status !== 'fail') continue
        const { itemId } = trial
        const key = JSON.stringify([itemId, judge])
        const one = found.get(key) ?? { itemId, judge, passes: new Set(), arms: new Set() }
        found.set(key, one)
        one.passes.add(status === 'pass')
        one.arms.add(arm)
      }
  const always = (passes: boolean) =>
    [...found.values()]
      .filter((one) => one.arms.size === 2 && one.passes.size === 1 && one.passes.has(passes))
      .map(({ itemId, judge }) => ({ itemId, judge }))
  return { always: always(true), never: always(false) }
}

function countsOf(trials: readonly Trial[]): Counts {
  const decided = trials.filter(({ passed }) => passed !== null)
  return { passed: decided.filter(({ passed }) => passed === true).length, decided: decided.length }
}

function usedCounts(trials: readonly Trial[], isUsed: boolean): Counts {
  return countsOf(trials.filter((trial) => factOf(trial, liftFacts.used) === isUsed))
}

function meanDifference(items: readonly LiftItem[]): number | null {
  const rate = ({ passed, decided }: Counts) => passed / decided
  return items.length === 0 ? null : meanOf(items.map((item) => rate(item.with) - rate(item.without)))
}

/** The item with its undecided trials counted against a difference of this sign. */
function against(item: LiftItem, sign: number, before: readonly Trial[], after: readonly Trial[]): LiftItem {
  const filled = (counts: Counts, trials: readonly Trial[], passes: boolean): Counts => {
    const all = trials.filter(({ itemId }) => itemId === item.itemId).length
    return { passed: counts.passed + (passes ? all - counts.decided : 0), decided: Math.max(1, all) }
  }
  return {
    itemId: item.itemId,
    without: filled(item.without, before, sign > 0),
    with: filled(item.with, after, sign < 0),
  }
}

function armOf(trials: readonly Trial[]): LiftArm {
  const units = new Map<string, { matches: number; trials: number }>()
  for (const { itemId, passed } of trials) {
    if (passed === null) continue
    const unit = units.get(itemId) ?? { matches: 0, trials: 0 }
    units.set(itemId, { matches: unit.matches + Number(passed), trials: unit.trials + 1 })
  }
  const counts = countsOf(trials)
  const uses = trials.map((trial) => factOf(trial, liftFacts.used)).filter((isUse) => typeof isUse === 'boolean')
  return {
    ...counts,
    trials: trials.length,
    rate: counts.decided === 0 ? null : counts.passed / counts.decided,
    interval: effectiveWilson([...units.values()], 0.95),
    costUsd: meanAmount(trials, ({ costUsd }) => costUsd),
    turns: meanAmount(trials, turnsOf),
    tokens: meanAmount(trials, ({ usage }) => tokensOf(usage)),
    used: { trials: uses.filter((isUse) => isUse === true).length, of: uses.length },
    asked: trials.filter(isQuestion).length,
  }
}

/** The names of the facts that each trial of a study has in the metadata of its invocation. */
export const liftFacts = { turns: 'lift.turns', used: 'lift.used' } as const

/** `undefined`: the trial does not have it, or is not whole. */
export function factOf(trial: Trial, name: string): unknown {
  return 'detail' in trial && trial.detail?.kind === 'agent' ? trial.detail.invocation.metadata?.[name] : undefined
}

/** A question may end with marks of Markdown, quotes and brackets. */
function isQuestion(trial: Trial): boolean {
  const output = 'detail' in trial && trial.detail?.kind === 'agent' ? trial.detail.invocation.output : undefined
  return output?.type === 'text' && /[?？؟]["'”»)\]*_`\s]*$/.test(output.text)
}

function turnsOf(trial: Trial): number | null {
  const turns = factOf(trial, liftFacts.turns)
  return typeof turns === 'number' ? turns : null
}

type AmountOf = (trial: Trial) => number | null | undefined

function meanAmount(trials: readonly Trial[], amountOf: AmountOf): number | null {
  const known = trials.flatMap((trial) => amountOf(trial) ?? [])
  return known.length === 0 ? null : meanOf(known)
}

const amounts: readonly AmountOf[] = [({ costUsd }) => costUsd, turnsOf, ({ usage }) => tokensOf(usage)]

function ratiosOf(items: readonly (readonly [readonly Trial[], readonly Trial[]])[]): readonly (LiftRatio | null)[] {
  const logs = amounts.map((amountOf) =>
    items.flatMap(([before, after]) => {
      const [one, other] = [meanAmount(before, amountOf), meanAmount(after, amountOf)]
      return one === null || other === null || one <= 0 || other <= 0 ? [] : [Math.log(other / one)]
    }),
  )
  const known = logs.filter((values) => values.length > 0)
  const adjusted = holmAdjusted(known.map((values) => signFlipTest(values).pValue))
  return logs.map((values) => {
    if (values.length === 0) return null
    const interval = widenedBootstrap(values)
    return {
      items: values.length,
      ratio: Math.exp(meanOf(values)),
      interval: interval && { ...interval, low: Math.exp(interval.low), high: Math.exp(interval.high) },
      pValue: adjusted[known.indexOf(values)] ?? 1,
    }
  })
}

/**
 * The exact two-sided test within items: how likely passes fall on the arms so unevenly when both arms are alike, given how many
 * trials of each item passed. Each item is a 2 × 2 table; the hypergeometric distributions of all are convolved (Cox 1970, The
 * Analysis of Binary Data, section 4.2), and the smaller tail is doubled.
 */
export function withinItemsTest(items: readonly Pick<LiftItem, 'without' | 'with'>[]): number {
  let [offset, observed] = [0, 0]
  let chances: readonly number[] = [1]
  for (const item of items) {
    const [passes, m, n] = [item.without.passed + item.with.passed, item.with.decided, item.without.decided]
    const least = Math.max(0, passes - n)
    const own = Array.from({ length: Math.min(passes, m) - least + 1 }, (_, at) =>
      Math.exp(logWays(m, least + at) + logWays(n, passes - least - at) - logWays(m + n, passes)),
    )
    const sums = Array.from({ length: chances.length + own.length - 1 }, () => 0)
    for (const [one, chance] of chances.entries())
      for (const [other, share] of own.entries()) sums[one + other] = (sums[one + other] ?? 0) + chance * share
    chances = sums
    offset += least
    observed += item.with.passed
  }
  const tail = (from: number, to: number) => chances.slice(from, to).reduce((sum, chance) => sum + chance, 0)
  const at = observed - offset
  return Math.min(1, 2 * Math.min(tail(0, at + 1), tail(at, chances.length)))
}

function moreItems(further: number | null, items: number): Lift['needed'] {
  return further === null ? null : { items: items + further }
}

const studies = 300

/** In simulated studies of the same items, all with the mean rates of their arms. */
function moreRepetitions(items: readonly LiftItem[]): Lift['needed'] {
  const [one, other] = [rateOf(items.map((item) => item.without)), rateOf(items.map((item) => item.with))]
  if (one === other) return null
  for (const repetitions of [3, 5, 10, 20, 50])
    if (powerWithin(items.length, repetitions, one, other) >= 0.8) return { repetitions }
  return null
}

function rateOf(counts: readonly Counts[]): number {
  const sum = (name: keyof Counts) => counts.reduce((all, one) => all + one[name], 0)
  return sum('passed') / Math.max(1, sum('decided'))
}

/** The share of simulated studies in which the test within items finds a difference of these rates. */
export function powerWithin(items: number, repetitions: number, without: number, withIt: number): number {
  const { uniform } = seededRandom(1)
  const drawn = (rate: number) => ({
    passed: Array.from({ length: repetitions }, uniform).filter((value) => value < rate).length,
    decided: repetitions,
  })
  const found = Array.from({ length: studies }, () =>
    withinItemsTest(Array.from({ length: items }, () => ({ without: drawn(without), with: drawn(withIt) }))),
  )
  return found.filter((pValue) => pValue <= alpha).length / studies
}

/** The conclusion, the difference and the test, as sentences. */
export function liftHeadline(lift: Lift): string {
  const { conclusion, difference, interval, pValue, needed, items, test } = lift
  if (difference === null || pValue === null) return 'Nothing is decided: no eval was decided in both arms.'
  const words = { helps: 'Helps.', hurts: 'Hurts.', 'not-shown': noDifference(lift) }[conclusion]
  const bounds = interval === null ? '' : ` (${points(interval.low)} to ${points(interval.high)})`
  const scope =
    test === 'by-item'
      ? 'on tasks like these, exact paired test by item'
      : `on ${items.length === 1 ? 'this task' : `these ${items.length} tasks`}, exact test within items`
  const more =
    needed === null
      ? ''
      : ` ${'items' in needed ? `${counted(needed.items, 'eval')}` : `--repeat ${needed.repetitions}`} would show a difference like this in 4 of 5 studies.`
  return `${words} ${points(difference)} points${bounds} ${scope}, ${pEquals(pValue)}.${more}`
}

function noDifference({ costUsd }: Lift): string {
  const isCheaper = costUsd !== null && costUsd.pValue <= 0.05 && costUsd.ratio < 1
  return isCheaper ? 'No difference in passes is shown; costs less.' : 'No difference is shown.'
}

/**
 * The sentences after the headline: costs, evals that became worse, assertions that tell nothing, questions.
 *
 * @param arms the names of both
 */
export function liftNotes(lift: Lift, [before, after]: readonly string[]): readonly string[] {
  const { always, never } = lift.same
  const rate = ({ passed, decided }: LiftArm | Lift['items'][number]['with']) =>
    decided === 0 ? Number.NaN : passed / decided
  const worse = lift.items.filter((item) => rate(item.with) < rate(item.without))
  const same = [
    ...(always.length === 0
      ? []
      : [`${always.length} ${always.length === 1 ? 'passes' : 'pass'} in every trial of both arms`]),
    ...(never.length === 0 ? [] : [`${never.length} in none`]),
  ]
  return [
    ratiosText(lift),
    ...worse.map(
      ({ itemId, without, with: after }) =>
        `Worse on: ${itemId} (${without.passed} of ${without.decided} → ${after.passed} of ${after.decided})`,
    ),
    ...(same.length === 0 ? [] : [`Assertions that tell nothing: ${same.join(', ')}.`]),
    ...(lift.without.asked + lift.with.asked === 0
      ? []
      : [
          `Ended with a question: ${lift.without.asked} of ${counted(lift.without.trials, 'trial')} ${before}, ${lift.with.asked} of ${lift.with.trials} ${after}.`,
        ]),
  ]
}

function ratiosText({ costUsd, turns, tokens }: Lift): string {
  const known = Object.entries({ cost: costUsd, turns, tokens }).flatMap(([name, one]) =>
    one === null ? [] : [`${name} ${ratioText(one)}`],
  )
  return known.length === 0
    ? 'Cost, turns and tokens: unknown.'
    : `Times as much: ${known.join('; ')}.${known.length > 1 ? ` Holm over the ${known.length}.` : ''}`
}

function ratioText({ ratio, interval, pValue, items }: LiftRatio): string {
  const bounds = interval === null ? '' : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}, `
  return `${ratio.toFixed(2)} × (${bounds}${pEquals(pValue)}, ${counted(items, 'eval')})`
}

/** The head of the table of arms, and a row of it. */
export const liftColumns: readonly string[] = ['arm', 'passed', 'rate', '95 %', 'cost', 'turns', 'tokens', 'used']

export function liftRow(name: string, arm: LiftArm): readonly string[] {
  return [
    name,
    `${arm.passed}/${arm.decided}${arm.trials > arm.decided ? ` of ${arm.trials}` : ''}`,
    percent(arm.rate),
    arm.interval === null ? unknown : rateBounds(arm.interval),
    dollars(arm.costUsd),
    arm.turns === null ? unknown : grouped(arm.turns),
    arm.tokens === null ? unknown : grouped(Math.round(arm.tokens)),
    arm.used.of === 0 ? unknown : `${arm.used.trials}/${arm.used.of}`,
  ]
}
