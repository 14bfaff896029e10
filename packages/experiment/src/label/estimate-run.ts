import { groupBy } from '@jurist/kit/group-by'
import { counted, grouped, percent, rateInterval, rounded } from '../result/amounts.js'
import { itemsInterval } from '../result/repeated.js'
import type { Ends } from '../result/statistics/bets.js'
import type { UnitCounts } from '../result/statistics/bootstrap.js'
import {
  differenceOfRates,
  estimateRate,
  halfWidthWith,
  type LabelledDifference,
  type LabelledRate,
  type LabelledRateInput,
  labelsNeeded,
  nextStrata,
  type StratumLabel,
} from '../result/statistics/labelled-rate.js'
import { designEffect } from '../result/statistics/rate-intervals.js'
import type { Interval } from '../result/summary.js'
import { type RunResult, type Trial, type TrialName, trialsOf, trialText } from '../result/trial-figures.js'
import { currentLabels, type Label } from './label.js'
import { uniformSample } from './label-sample.js'
import { labelOf, labelsByTrial } from './labelled-trials.js'

/** The true pass rate of a run, from the labels of some trials and the verdicts of all. */
export interface RunEstimate {
  readonly run: string
  /** Trials that count: judged ones whose agent completed, and those that the agent failed. */
  readonly trials: number
  /** Labelled trials among them that the estimate uses. */
  readonly labelled: number
  /** How many more labels it takes for an estimate; 0: enough. They must also be of ten items. */
  readonly lacking: number
  /** `null`: too few labels. */
  readonly rate: LabelledRate | null
  /** The pass rate by the verdicts. `null`: no trial is decided. */
  readonly judged: number | null
  /** The counts that the rate is estimated from: trials by verdict, pass, fail and undecided. */
  readonly input: LabelledRateInput
  /** Labelled trials that the jury passes and people fail. */
  readonly falsePasses: number
  /** Labelled trials that the jury fails and people pass. */
  readonly falseFails: number
  /** The interval of the labels alone; `null` as for `rate`. */
  readonly labelsAlone: Interval | null
  /** To how many times as many labels the verdicts are worth; `null` as for `rate`. */
  readonly worth: number | null
  /** The gain of further labels: half of the width of the interval of these trials. `null`: every trial is labelled, or no rate. */
  readonly further: { readonly labels: number; readonly halfWidth: number } | null
  /** Whether models gave some of the labels. */
  readonly byModels: boolean
  /** Labels that are not used: of chosen trials, of ties and skipped ones, of other runs and trials. */
  readonly leftOut: { readonly chosen: number; readonly undecided: number; readonly others: number }
}

const [fewestLabels, fewestItems] = [20, 10]
const proposed = 20

/** The places of the strata. */
const verdicts = ['pass', 'fail', 'undecided'] as const

/** The place of the verdict of a trial; `failed`: the agent failed it; `undefined`: the trial is in nothing. */
function placeOf({ agent, judged, passed }: Trial): number | 'failed' | undefined {
  if (agent !== 'completed') return passed === false ? 'failed' : undefined
  if (judged !== 'pass' && judged !== 'fail') return 2
  // Nothing is known of an agent whose simulated user was at fault.
  return passed === null ? undefined : verdicts.indexOf(judged)
}

/** The trials of a run that have a verdict, the labels among them, and the input of the estimate. */
function labelledStrata(run: RunResult, lines: readonly Label[]) {
  const own = lines.filter(({ run: of = null }) => of === null || of === run.id || of === run.lineage?.root)
  // A label that was made again for a chosen trial does not replace one of a sample: trials are chosen because of judgments.
  const sampled = currentLabels(own.filter(({ use }) => use !== 'explore'))
  const byTrial = labelsByTrial(sampled)
  const strata = verdicts.map(() => ({ trials: 0, labelled: 0, passed: 0 }))
  const trials: Trial[] = []
  /** Those that have labels. */
  const named = new Set<string>()
  const labelled: { readonly itemId: string; readonly trial: string; readonly label: StratumLabel }[] = []
  const [judged, units] = [new Map<string, UnitCounts>(), new Map<string, UnitCounts>()]
  let failed = 0
  for (const trial of trialsOf(run)) {
    const { itemId, passed } = trial
    const place = placeOf(trial)
    if (place === undefined) continue
    if (passed !== null) addTo(judged, itemId, passed)
    const stratum = place === 'failed' ? undefined : strata[place]
    if (stratum === undefined || place === 'failed') {
      failed += 1
      continue
    }
    trials.push(trial)
    stratum.trials += 1
    const name = trialText(trial)
    const lines = byTrial.get(name)
    if (lines === undefined) continue
    named.add(name)
    const label = labelOf(lines)
    if (label === null) continue
    stratum.labelled += 1
    if (label === 'pass') stratum.passed += 1
    addTo(units, itemId, label === 'pass')
    labelled.push({ itemId, trial: name, label: [label === 'pass' ? 1 : 0, place] })
  }
  const [designLabels, designRun] = [designEffect([...units.values()]), designEffect([...judged.values()])]
  const input: LabelledRateInput & { readonly failed: number } = { strata, failed, designLabels, designRun }
  return {
    own,
    sampled,
    seen: byTrial,
    named,
    trials,
    labelled,
    judged: [...judged.values()],
    units: [...units.values()],
    input,
  }
}

/** Counts a trial of an item. */
function addTo(units: Map<string, UnitCounts>, itemId: string, passed: boolean): void {
  const { trials, matches } = units.get(itemId) ?? { trials: 0, matches: 0 }
  units.set(itemId, { trials: trials + 1, matches: matches + Number(passed) })
}

/**
 * Estimates the true pass rate of a run from people's labels of some of its trials, which must be a uniform sample (`jurist label
 * --sample`), further ones by `--next`, and the verdicts of all trials. Labels of chosen trials and of other runs are left out and
 * counted. A run that was judged again takes the labels of the run that it came from.
 *
 * @param labels the lines of a file of labels
 * @throws `statistic-invalid` for a run without a trial that counts
 *
 * @example
 * import { estimateRun, readLabels } from '@jurist/experiment/label'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const { rate, lacking } = estimateRun(aResult(), await readLabels('labels.jsonl'))
 * console.log(rate === null ? `${lacking} more labels are needed` : rate.tasks)
 */
export function estimateRun(run: RunResult, labels: readonly Label[]): RunEstimate {
  const { own, sampled, named, trials, labelled, judged, units, input } = labelledStrata(run, labels)
  const lacking = Math.max(0, fewestLabels - labelled.length, fewestItems - units.length)
  const rate = lacking > 0 ? null : estimateRate(input)
  const labelsAlone = rate === null ? null : itemsInterval(units)
  const further = Math.min(proposed, trials.length - labelled.length)
  const passes = judged.reduce((sum, { matches }) => sum + matches, 0)
  const decided = judged.reduce((sum, unit) => sum + unit.trials, 0)
  const wrong = (passed: number, place: number) =>
    labelled.filter(({ label }) => label[0] === passed && label[1] === place).length
  const usedNames = new Set(labelled.map(({ trial }) => trial))
  const ofTrials = sampled.filter((label) => named.has(trialText(label)))
  return {
    run: run.id,
    trials: trials.length + input.failed,
    labelled: labelled.length,
    lacking,
    rate,
    input,
    judged: decided === 0 ? null : passes / decided,
    falsePasses: wrong(0, 0),
    falseFails: wrong(1, 1),
    labelsAlone,
    worth: rate === null || labelsAlone === null ? null : (widthOf(labelsAlone) / widthOf(rate.tasks)) ** 2,
    further:
      rate === null || further === 0
        ? null
        : { labels: further, halfWidth: halfWidthWith(input, labelled.length + further) },
    byModels: ofTrials.some(({ by }) => by === 'models'),
    leftOut: {
      chosen: currentLabels(own.filter(({ use }) => use === 'explore')).length,
      undecided: ofTrials.filter((label) => !usedNames.has(trialText(label))).length,
      others: labels.length - own.length + sampled.length - ofTrials.length,
    },
  }
}

function widthOf({ low, high }: Ends): number {
  return high - low
}

/** How a threshold of the true pass rate of these trials is settled. */
type TrueRateGate = 'met' | 'missed' | { readonly moreLabels: number }

/**
 * Whether the true pass rate of these trials is at least a threshold: decided where the interval is on one side of it.
 *
 * @returns about how many more labels would decide it, where it is not decided
 */
export function trueRateGate({ lacking, rate, labelled, input }: RunEstimate, threshold: number): TrueRateGate {
  if (rate === null) return { moreLabels: lacking }
  if (rate.run.low >= threshold) return 'met'
  if (rate.run.high < threshold) return 'missed'
  return { moreLabels: Math.max(1, labelsNeeded(input, Math.abs(rate.estimate - threshold)) - labelled) }
}

/**
 * Estimates the difference of the true pass rates of two runs on tasks like these, from labels of both: the candidate's less the
 * baseline's, with an interval of 95 %.
 *
 * @param labels the lines of the files of both
 * @returns `null` where one of them has too few labels, or no item is labelled in both
 * @throws `statistic-invalid` as `estimateRun`
 *
 * @example
 * import { estimateDifference, readLabels } from '@jurist/experiment/label'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const labels = { baseline: await readLabels('before.jsonl'), candidate: await readLabels('after.jsonl') }
 * console.log(estimateDifference(aResult(), aResult(), labels)?.difference)
 */
export function estimateDifference(
  baseline: RunResult,
  candidate: RunResult,
  labels: { readonly baseline: readonly Label[]; readonly candidate: readonly Label[] },
): LabelledDifference | null {
  const [one, other] = [labelledStrata(baseline, labels.baseline), labelledStrata(candidate, labels.candidate)]
  const isEnough = ({ labelled, units }: typeof one) => labelled.length >= fewestLabels && units.length >= fewestItems
  if (!isEnough(one) || !isEnough(other)) return null
  const after = groupBy(other.labelled, ({ itemId }) => itemId)
  const pairs = [...groupBy(one.labelled, ({ itemId }) => itemId)].flatMap(([itemId, before]) => {
    const same = after.get(itemId)
    const labelsOf = (of: typeof before) => of.map(({ label }) => label)
    return same === undefined ? [] : [{ baseline: labelsOf(before), candidate: labelsOf(same) }]
  })
  return pairs.length === 0 ? null : differenceOfRates(one.input, other.input, pairs)
}

/** The trials that are labelled next, and whether there are too few labels to choose them by verdict. */
interface NextLabels {
  readonly trials: readonly TrialName[]
  readonly isUniform: boolean
}

/**
 * Which trials help an estimate most: from the verdicts in which labels help, within each a uniform sample. Before there are 20
 * labels of a uniform sample, further ones of it. In shuffled order, so that it does not show a verdict.
 *
 * @param count all that are not labelled where it is larger
 */
export function nextLabels(run: RunResult, labels: readonly Label[], count: number, seed = 1): NextLabels {
  const { trials, labelled, input, seen } = labelledStrata(run, labels)
  const order = uniformSample(trials, { seed })
  const open = order.filter((trial) => !seen.has(trialText(trial)))
  if (labelled.length < fewestLabels) return { trials: open.slice(0, count).map(nameOf), isUniform: true }
  const byPlace = verdicts.map((_, place) => open.filter((trial) => placeOf(trial) === place))
  const places = nextStrata(
    input.strata,
    count,
    byPlace.map((of) => of.length),
  )
  const next = byPlace.flatMap((of, place) => of.slice(0, places.filter((one) => one === place).length))
  return { trials: uniformSample(next, { seed }).map(nameOf), isUniform: false }
}

function nameOf({ itemId, repetition }: TrialName): TrialName {
  return { itemId, repetition }
}

/** The first sentence of the report: how many of the trials people would pass, and how sure that is. */
function estimateSentence({ trials, labelled, lacking, rate, judged }: RunEstimate): string {
  if (rate === null)
    return `${counted(labelled, 'trial')} of ${grouped(trials)} labelled: ${counted(lacking, 'more label')} needed to estimate the true pass rate, of ten items at least.`
  return `People would pass ${percent(rate.estimate)} of these ${counted(trials, 'trial')} (95 %: ${rateInterval(rate.run)}), by ${counted(labelled, 'label')} and the verdicts; the judges pass ${percent(judged)}.`
}

/**
 * The estimate in lines, each with its denominator.
 *
 * @param commandLine the line of a command for where it is read
 */
export function estimateLines(
  estimate: RunEstimate,
  commandLine: (...words: readonly string[]) => string,
): readonly string[] {
  const { run, trials, labelled, rate, labelsAlone, worth, falsePasses, falseFails, further, byModels } = estimate
  const { chosen, undecided, others } = estimate.leftOut
  const left = [
    ...(chosen === 0 ? [] : [`${grouped(chosen)} of chosen trials`]),
    ...(undecided === 0 ? [] : [`${grouped(undecided)} skipped or tied`]),
    ...(others === 0 ? [] : [`${grouped(others)} of other runs or trials`]),
  ]
  const notes = [
    ...(left.length === 0 ? [] : [`Labels left out: ${left.join(', ')}.`]),
    ...(byModels ? ['Models gave some of these labels: the estimate is as right as they are.'] : []),
  ]
  if (rate === null || labelsAlone === null)
    return [
      estimateSentence(estimate),
      ...(labelled < trials ? [commandLine('label', run, '--next', String(proposed))] : []),
      ...notes,
    ]
  const times = worth === null ? '' : `; with the verdicts as good as ${rounded(worth, 1)} times as many labels`
  return [
    estimateSentence(estimate),
    `Tasks like these: ${percent(rate.estimate)} (95 %: ${rateInterval(rate.tasks)}). Labels alone: ${rateInterval(labelsAlone)}${times}.`,
    `Of ${counted(labelled, 'labelled trial')} the judges pass ${grouped(falsePasses)} that people fail, and fail ${grouped(falseFails)} that people pass.`,
    ...(further === null
      ? []
      : [
          `${counted(further.labels, 'more label')} would narrow the interval to about ± ${rounded(100 * further.halfWidth, 1)} points: ${commandLine('label', run, '--next', String(further.labels))}`,
        ]),
    ...notes,
  ]
}
