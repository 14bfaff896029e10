import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import {
  counted,
  dollars,
  duration,
  grouped,
  levelText,
  pEquals,
  percent,
  points,
  rateInterval,
} from '../result/amounts.js'
import { countedTrials } from '../result/quarantine.js'

import type { DecidedStop, SequentialPlan } from '../result/records.js'
import { differenceSequence, type Ends, marginBets } from '../result/statistics/bets.js'
import { evidenceOver, firstLook, formOf } from '../result/statistics/sequential.js'
import { type RunResult, trialsOf } from '../result/trial-figures.js'
import {
  type DecidingTrial,
  evidenceOf,
  type GrowingEvidence,
  hashesIn,
  sideName,
  sideOf,
  storedSide,
  walkOf,
} from '../run/decide.js'
import { plannedRepetitions } from '../store/run-head.js'

/** A comparison that stops as soon as it is decided: what its items say that count, derived from the stored trials on every read. */
export interface SequentialReading {
  /** The items of the order that count. */
  readonly items: number
  /** `null`: both runs may grow, and no look is the last. */
  readonly planned: number | null
  /** For a difference, to 1. */
  readonly evidence: number
  /** The evidence that a stop requires. */
  readonly line: number
  readonly alpha: number
  /** `null`: not decided. */
  readonly why: DecidedStop['why'] | null
  /** Whether a look decided it before the last item. */
  readonly isEarly: boolean
  /** Whether all items of the plan have ended. */
  readonly isWhole: boolean
  /** Trials that decided nothing. */
  readonly undecided: { readonly baseline: number; readonly candidate: number }
  /** How many items ran ahead of the stop. */
  readonly ahead: number
  /** Items that are decided on both sides. */
  readonly pairs: number
  readonly better: number
  readonly worse: number
  /** It counts what the looks used. `null`: not decided, and the last look has not come. */
  readonly pValue: number | null
  /** The interval of the difference where it stopped early; `null`: that of any comparison. */
  readonly interval: { readonly low: number; readonly high: number } | null
  readonly margin: number | null
  /** Whether the margin is shown. */
  readonly isNotWorse: boolean
  /** How many comparisons share alpha. */
  readonly comparisons: number
  /** Whether an item that does not run saves its trials on both sides. */
  readonly sparesBoth: boolean
  /** Whether the undecided trials could turn the conclusion round if all went the other way. */
  readonly couldTurn: boolean
}

type Reading = { readonly planned: number } & Pick<
  SequentialReading,
  'items' | 'evidence' | 'line' | 'alpha' | 'why' | 'isEarly' | 'isWhole' | 'undecided' | 'ahead'
>

/** The plan that a candidate has for a comparison with this baseline. */
export function planFor(baseline: RunResult, candidate: RunResult): SequentialPlan | undefined {
  const { sequential } = candidate
  const names = baseline.session === candidate.session ? [baseline.id, sideName(baseline)] : [baseline.id]
  const isMeant = sequential?.comparisons.some(
    (one) => names.includes(one.baseline) && one.candidate === sideName(candidate),
  )
  return isMeant ? sequential : undefined
}

/** Reads a comparison by its plan, and names the items that count. */
export function readComparison(
  plan: SequentialPlan,
  baseline: RunResult,
  candidate: RunResult,
): { readonly reading: SequentialReading; readonly counted: ReadonlySet<string> } | undefined {
  const isSibling = baseline.session !== null && baseline.session === candidate.session
  const after = sideOf((id) => plannedRepetitions(candidate, id), trialsOf(candidate))
  const before = storedSide(baseline, { session: candidate.session, hashes: hashesIn(candidate) })
  const walk = walkOf(plan, before, after)
  walk.advance()
  if (walk.looks.rule !== 'difference') return undefined
  const { order, alpha, margin } = plan
  const comparisons = Math.max(1, plan.comparisons.length)
  const isWhole = walk.taken === order.length
  const isEarly = walk.why !== null && !isWhole
  const test = walk.looks.of.ended()
  const direction = test.sum > 0 ? 'improved' : 'regressed'
  const last =
    !isWhole || test.pairs < firstLook
      ? null
      : test.p * comparisons <= alpha
        ? direction
        : test.isNotWorse
          ? 'not-worse'
          : null
  const why = walk.why ?? last
  const counted = order.slice(0, walk.taken)
  const open = walk.undecided.baseline + walk.undecided.candidate
  const reading: SequentialReading = {
    ...evidenceOf(walk, plan),
    ...{ alpha, comparisons, margin, why, isEarly, isWhole, undecided: walk.undecided },
    ...{ better: test.better, worse: test.worse, pairs: test.pairs, isNotWorse: test.isNotWorse },
    ahead: candidate.decided?.ahead.length ?? 0,
    sparesBoth: isSibling,
    pValue: isEarly || isWhole ? test.p : null,
    interval: isEarly ? differenceSequence(differencesOf(counted, before, after), { level: 1 - alpha / 2 }) : null,
    couldTurn: why !== null && open > 0 && Math.abs(test.better - test.worse) <= open,
  }
  return { reading, counted: new Set(counted) }
}

/**
 * Reads two runs that may grow: both have items of one seeded order, and evidence that holds whenever someone looks.
 *
 * @throws `option-invalid` where they do not
 */
export function readGrowing(
  baseline: RunResult,
  candidate: RunResult,
  { alpha, margin }: { readonly alpha: number; readonly margin: number | null },
): { readonly reading: SequentialReading; readonly counted: ReadonlySet<string> } {
  const [one, other] = [seededOrder(baseline), seededOrder(candidate)]
  if (one === null || one !== other)
    optionInvalid(
      'sequential',
      `compare: a sequential comparison needs items in the order of one seed in both runs, and ${one === null ? `${baseline.id} has none` : other === null ? `${candidate.id} has none` : 'their seeds differ'}. Run both with --sample <n> --seed <n>, and add items with --resume --widen.`,
    )
  const [before, after] = [baseline, candidate].map((run) => sideOf(null, countedTrials(run)))
  if (before === undefined || after === undefined) throw new Error('A comparison has two sides.')
  const items = [...before.seen].filter((id) => after.seen.has(id))
  const repetitions = Math.max(1, ...[baseline, candidate].map((run) => plannedRepetitions(run)))
  const differences = differencesOf(items, before, after)
  const { better, worse, sum, evidence: logarithm } = evidenceOver(formOf('passed', repetitions), differences)
  const [evidence, pairs] = [Math.exp(logarithm), differences.length]
  const isFound = pairs >= firstLook && evidence >= 1 / alpha
  const isNotWorse = margin !== null && pairs >= firstLook && marginBets(differences, margin) >= -Math.log(alpha)
  const reading: SequentialReading = {
    ...{ items: items.length, planned: null, evidence, line: 1 / alpha, alpha, comparisons: 1, margin, isNotWorse },
    why: isFound ? (sum > 0 ? 'improved' : 'regressed') : isNotWorse ? 'not-worse' : null,
    ...{ isEarly: false, isWhole: false, undecided: { baseline: 0, candidate: 0 }, ahead: 0 },
    ...{ better, worse, pairs, sparesBoth: false, couldTurn: false },
    pValue: Math.min(1, 1 / evidence),
    interval: differenceSequence(differences, { level: 1 - alpha }),
  }
  return { reading, counted: new Set(items) }
}

/** The order that the items of a run are the first of; `null`: not known. */
function seededOrder({ sequential, metadata }: RunResult): string | null {
  if (sequential !== undefined) return `plan ${sequential.seed}`
  const { sample } = metadata
  return isPlainObject(sample) && typeof sample['seed'] === 'number' ? `sample ${sample['seed']}` : null
}

type Side = ReturnType<typeof sideOf>

function differencesOf(items: readonly string[], before: Side, after: Side): readonly number[] {
  const rate = (side: Side, id: string) => {
    const decided = (side.outcomesOf(id) ?? []).filter((passed) => passed !== null)
    return decided.length === 0 ? null : decided.filter(Boolean).length / decided.length
  }
  return items.flatMap((id) => {
    const [one, other] = [rate(before, id), rate(after, id)]
    return one === null || other === null ? [] : [other - one]
  })
}

/** A run against a threshold of the pass rate. */
export interface ThresholdReading extends Reading {
  readonly threshold: number
  /** The sum of the items' shares of passed trials. */
  readonly passed: number
  /** The share of all planned items, and that of items like these. */
  readonly intervals: { readonly all: Ends; readonly like: Ends }
}

/** Reads a run by its plan against a threshold; `undefined` for other runs. */
export function readThreshold(run: RunResult): ThresholdReading | undefined {
  const { sequential: plan, decided } = run
  if (plan === undefined || plan.threshold === null) return undefined
  const trials: readonly DecidingTrial[] = countedTrials(run)
  const walk = walkOf(
    plan,
    null,
    sideOf((id) => plannedRepetitions(run, id), trials),
  )
  walk.advance()
  if (walk.looks.rule !== 'threshold') return undefined
  const { of } = walk.looks
  return {
    ...evidenceOf(walk, plan),
    ...{
      alpha: plan.alpha,
      why: of.now.why,
      undecided: walk.undecided,
      passed: of.now.passed,
      threshold: plan.threshold,
    },
    isEarly: walk.why !== null && walk.taken < plan.order.length,
    isWhole: walk.taken === plan.order.length,
    ahead: decided?.ahead.length ?? 0,
    intervals: of.intervals(),
  }
}

const times = (value: number) =>
  value === Number.POSITIVE_INFINITY ? 'certain' : value >= 100 ? grouped(Math.round(value)) : value.toPrecision(2)

function evidenceText({ evidence, line }: Pick<GrowingEvidence, 'evidence' | 'line'>): string {
  return evidence === Number.POSITIVE_INFINITY
    ? 'Counting settles it.'
    : `Evidence ${times(evidence)} to 1 (a stop needs ${times(line)}).`
}

/** Describes a comparison by a plan in sentences: the conclusion first. */
export function sequentialLines(
  reading: SequentialReading,
  {
    baseline,
    candidate,
    delta,
    costPerItem,
    msPerItem,
  }: {
    readonly baseline: string
    readonly candidate: string
    readonly delta: number | null
    /** The cost and time that an item that did not run would have taken; `null`: not known. */
    readonly costPerItem: number | null
    readonly msPerItem: number | null
  },
): readonly string[] {
  const { items, planned, why, isEarly, isWhole, better, worse, pairs, pValue, interval, margin } = reading
  const after = isEarly
    ? `${grouped(items)} of ${counted(planned ?? items, 'item')}`
    : planned === null
      ? counted(items, 'item')
      : `all ${counted(planned, 'item')}`
  const left = (planned ?? items) - items
  const found = {
    improved: `${candidate} is better than ${baseline}.`,
    regressed: `${candidate} is worse than ${baseline}.`,
    'not-worse': `${candidate} is not worse than ${baseline} by more than ${points(margin).replace('+', '')} points.`,
  } as const
  const said = why === 'improved' || why === 'regressed' || why === 'not-worse' ? found[why] : null
  const margins =
    why !== null && margin !== null && why !== 'not-worse' && reading.isNotWorse ? [found['not-worse']] : []
  const head =
    said !== null
      ? `${isEarly ? 'Stopped early: decided' : 'Decided'} after ${after}: ${[said, ...margins].join(' ')}`
      : isWhole
        ? `Not decided by ${after}: no difference was detected, which does not prove that both are alike.`
        : planned === null
          ? `Not decided yet after ${after}. You may add items and compare again, as often as you like.`
          : `Not decided yet after ${grouped(items)} of ${counted(planned, 'item')}.`
  const p = pValue === null || planned === null ? '' : ` ${pEquals(pValue)}, stagewise, exact.`
  const saved = [
    ...(costPerItem === null || costPerItem === 0 ? [] : [dollars(costPerItem * left)]),
    ...(msPerItem === null ? [] : [`${duration(msPerItem * left)} of agents`]),
  ]
  return [
    head,
    `${counted(better, 'item')} became better, ${grouped(worse)} worse, ${grouped(pairs - better - worse)} did not change. ${evidenceText(reading)}${p}`,
    ...(interval === null || delta === null
      ? []
      : [
          `Difference ${points(delta)} points, ${levelText({ level: 1 - reading.alpha })} interval ${points(interval.low)} to ${points(interval.high)}, valid ${planned === null ? 'at any time' : 'although the run stopped early'}.`,
        ]),
    ...(isEarly
      ? [
          `${counted(left, 'item')} did not run${saved.length === 0 ? '' : `: about ${saved.join(' and ')} saved`}. Stops come when luck helps, so differences at a stop are somewhat too large.`,
        ]
      : []),
    ...commonLines(reading),
    ...(reading.couldTurn ? ['If all undecided trials went the other way, the conclusion could turn round.'] : []),
  ]
}

function commonLines({
  ahead,
  undecided: { baseline, candidate },
}: Pick<Reading, 'ahead' | 'undecided'>): readonly string[] {
  const sides = [
    ...(baseline === 0 ? [] : [`${grouped(baseline)} of the baseline`]),
    ...(candidate === 0 ? [] : [`${grouped(candidate)} of the candidate`]),
  ]
  return [
    ...(ahead === 0 ? [] : [`${counted(ahead, 'item')} ran ahead of the stop: stored, and used by nothing.`]),
    ...(sides.length === 0 ? [] : [`Undecided trials, which are no evidence: ${sides.join(', ')}.`]),
  ]
}

/** Describes a run against a threshold in sentences: the conclusion first. */
export function thresholdLines(reading: ThresholdReading): readonly string[] {
  const { items, planned, why, isEarly, passed, threshold, alpha, intervals, undecided } = reading
  const { all, like } = intervals
  const whole = { low: Math.ceil(all.low * planned - 1e-9), high: Math.floor(all.high * planned + 1e-9) }
  const head =
    why === null
      ? `Not decided yet after ${grouped(items)} of ${counted(planned, 'item')} whether the threshold of ${percent(threshold)} is met.`
      : `${isEarly ? 'Stopped early: decided' : 'Decided'} after ${grouped(items)} of ${counted(planned, 'item')}: the threshold of ${percent(threshold)} is ${why}.`
  return [
    head,
    `${Number(passed.toFixed(2))} of ${grouped(items)} passed. ${evidenceText(reading)} An early stop decides otherwise than all ${counted(planned, 'item')} in at most ${percent(alpha)} of runs; ${grouped(whole.low)} to ${grouped(whole.high)} of them would pass (95 %). Tasks like these: ${rateInterval(like)}.`,
    ...commonLines({ ...reading, undecided: { baseline: 0, candidate: 0 } }),
    ...(undecided.candidate === 0
      ? []
      : [`${counted(undecided.candidate, 'trial')} decided nothing and counts as not passed.`]),
  ]
}
