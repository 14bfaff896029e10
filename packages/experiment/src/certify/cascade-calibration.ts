import type { Judgment } from '@jurist/core'
import { groupBy } from '@jurist/kit/group-by'
import { factsOf } from '../calibrate/report/scored-trial.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import { type LabelledPlace, trialOf } from '../label/labelled-trials.js'
import { counted, percent } from '../result/amounts.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { seededRandom } from '../result/statistics/random.js'
import { now } from '../run/events.js'
import { newRunId } from '../store/names.js'
import type { CalibrateCascadeOptions } from './cascade-options.js'
import type { Certificate, CertifiedTier } from './certificate.js'
import { hundredths } from './certificate-use.js'
import {
  type CertificationOutcome,
  type CurvePoint,
  decidingTier,
  type JudgedItem,
  outcomeOf,
  type RiskBound,
  riskCurve,
  type TierAnswer,
} from './risk-curve.js'

/** The labelled items of a stored calibration of a cascade. */
interface LabelledRun {
  /** One of each cluster; the items of the curve. */
  readonly items: readonly (JudgedItem & { readonly result: ItemResult })[]
  /** Items without a label for pass or fail, and those that no tier could be shown. */
  readonly leftOut: number
  /** The number of these items that could not be shown to the tiers, and the reason for the first one. */
  readonly notShown: { readonly items: number; readonly why: string }
  /** Items that another item of their cluster represents. */
  readonly clustered: number
  /** Hash of the items and their labels. */
  readonly labelsHash: string
}

/** The answers of the tiers for each labelled item; of a cluster, for one item that the seed selects. */
export function labelledRun({ items }: ExperimentResult, tiers: readonly string[], seed: number): LabelledRun {
  const judged = items.flatMap((result) => {
    const label = labelOf(result)
    const answers = tiers.map((name) => answerOf(result.verdict?.individual[name]))
    return label === null || result.verdict === null ? [] : [{ label, answers, result }]
  })
  const notShown = items.filter((item) => labelOf(item) !== null && item.verdict === null)
  const drawn = onePerCluster(judged, seed)
  const labels = items.map((item) => [item.itemId, item.itemHash, labelOf(item)]).sort()
  return {
    items: drawn,
    leftOut: items.length - judged.length,
    notShown: { items: notShown.length, why: notShown[0]?.failure?.message ?? '' },
    clustered: judged.length - drawn.length,
    labelsHash: sha256(canonicalJson(labels)),
  }
}

function labelOf({ detail }: ItemResult): 'pass' | 'fail' | null {
  const label = detail?.kind === 'judge' ? (detail.expectedLabel?.trim().toLowerCase() ?? null) : null
  return label === 'pass' || label === 'fail' ? label : null
}

/** The answer of a tier: an abstention or an error decides nothing, and a missing confidence counts as 0. */
function answerOf(judgment: Judgment | undefined): TierAnswer {
  const { status, metadata = {}, costUsd = null } = judgment ?? {}
  const { confidence } = metadata
  const decision = status === 'pass' || status === 'fail' ? status : null
  return { decision, confidence: typeof confidence === 'number' ? confidence : 0, costUsd }
}

function onePerCluster<Item extends { readonly result: ItemResult }>(
  items: readonly Item[],
  seed: number,
): readonly Item[] {
  const { uniform } = seededRandom(seed)
  const clusters = groupBy(items, ({ result }) => factsOf(result).cluster ?? `item ${result.itemId}`)
  return [...clusters.values()].flatMap((cluster) => {
    const drawn = cluster.length === 1 ? cluster[0] : cluster[Math.floor(uniform() * cluster.length)]
    return drawn === undefined ? [] : [drawn]
  })
}

/** The result of calibrating a cascade against labels. */
export interface CascadeCalibration {
  /** `null`: nothing is certified, and a cascade of these tiers must decide nothing. */
  readonly certificate: Certificate | null
  /** Every threshold of the grid, the strictest first, with its test. */
  readonly curve: readonly CurvePoint[]
  readonly why: CertificationOutcome | 'interrupted'
  /** About how many more labels would be needed; `null` where more labels do not help, or the labels show nothing. */
  readonly labelsNeeded: number | null
  readonly tiers: readonly CertifiedTier[]
  readonly bound: RiskBound
  readonly counts: {
    /** The labelled items of the curve, one of each cluster. */
    readonly items: number
    /** Items without a label for pass or fail. */
    readonly leftOut: number
    /** Items that another item of their cluster represents. */
    readonly clustered: number
    /** How many items each tier abstained from or broke on. */
    readonly undecided: readonly number[]
  }
  /** The cost of judging all items by the last tier alone; `null`: unknown. */
  readonly lastTierUsd: number | null
  /** The most confident decisions against the label, the surest first: errors of a prompt, or of a label. */
  readonly disagreements: readonly CascadeDisagreement[]
  /** The run whose trials were labelled; `null`: the items were not trials of a run. */
  readonly labelledRun: string | null
  readonly result: ExperimentResult
  readonly notes: readonly string[]
}

/** A confident tier and a label that contradicts it. */
export interface CascadeDisagreement {
  readonly itemId: string
  /** The trial that the item is, where trials of a run were labelled. */
  readonly trial: LabelledPlace | null
  readonly tier: string
  readonly decision: 'pass' | 'fail'
  readonly confidence: number
  readonly reasoning: string
}

/** The options with which a cascade was calibrated. */
export interface CascadeMade extends RiskBound {
  readonly tiers: readonly CertifiedTier[]
  readonly grid: readonly number[]
  readonly labels: NonNullable<CalibrateCascadeOptions['labels']>
  readonly seed: number
  readonly from: Pick<CascadeCalibration, 'labelledRun' | 'notes'>
}

/** Derives the calibration from its stored run. */
export async function cascadeCalibration(
  result: ExperimentResult,
  made: CascadeMade,
  triesWith: (labelsHash: string) => Promise<number>,
): Promise<CascadeCalibration> {
  const { tiers, grid, alpha, delta, risk } = made
  const run = labelledRun(
    result,
    tiers.map(({ name }) => name),
    made.seed,
  )
  const tries = Math.max(1, await triesWith(run.labelsHash))
  const bound = { alpha, delta: delta / tries, risk }
  const { curve, certified } = riskCurve(run.items, tiers.length, grid, bound)
  const isWhole = result.status === 'completed'
  const { why, labelsNeeded } = outcomeOf(curve, run.items.length, bound)
  return Object.freeze({
    certificate:
      isWhole && certified !== null
        ? certificateOf(certified, made, run, { tries, jurist: result.environment.jurist })
        : null,
    curve,
    why: isWhole ? why : ('interrupted' as const),
    labelsNeeded: isWhole ? labelsNeeded : null,
    tiers,
    bound,
    counts: countsOf(run, tiers.length),
    lastTierUsd: lastTierUsd(run),
    disagreements: disagreementsOf(run, tiers, grid.at(-1) ?? 0),
    labelledRun: made.from.labelledRun,
    result,
    notes: [...made.from.notes, ...notesOf(run, made, tries)],
  })
}

function certificateOf(
  point: CurvePoint,
  made: CascadeMade,
  run: LabelledRun,
  about: Pick<Certificate, 'tries' | 'jurist'>,
): Certificate {
  const { threshold, decided, errors, upper, coverage } = point
  const { alpha, delta, risk, labels } = made
  const tiers = made.tiers.map((tier, index) => ({ ...tier, confidences: confidencesAt(run.items, index, threshold) }))
  const { annotators = [], by = 'unknown' } = labels
  return Object.freeze({
    schemaVersion: 1,
    id: newRunId(),
    ...{ threshold, alpha, delta, risk, decided, errors, upper, coverage, tiers },
    labels: Object.freeze({ hash: run.labelsHash, items: run.items.length, annotators, by }),
    ...about,
    made: now(),
  })
}

/** How often a tier decided with which confidence, over the items that reached it. */
function confidencesAt(items: LabelledRun['items'], tier: number, threshold: number): Record<string, number> {
  const reached = items.filter((item) => {
    const deciding = decidingTier(item, threshold)
    return deciding < 0 || deciding >= tier
  })
  const answers = reached.flatMap(({ answers }) => answers[tier] ?? [])
  return hundredths(answers.flatMap(({ decision, confidence }) => (decision === null ? [] : [confidence])))
}

function countsOf({ items, leftOut, clustered }: LabelledRun, tiers: number): CascadeCalibration['counts'] {
  const undecided = Array.from(
    { length: tiers },
    (_, tier) => items.filter(({ answers }) => answers[tier]?.decision === null).length,
  )
  return { items: items.length, leftOut, clustered, undecided }
}

function lastTierUsd({ items }: LabelledRun): number | null {
  return items.reduce<number | null>((sum, { answers }) => {
    const costUsd = answers.at(-1)?.costUsd ?? null
    return sum === null || costUsd === null ? null : sum + costUsd
  }, 0)
}

const mostDisagreements = 10

function disagreementsOf(
  { items }: LabelledRun,
  tiers: readonly CertifiedTier[],
  loosest: number,
): readonly CascadeDisagreement[] {
  const wrong = items.flatMap((item) => {
    const tier = decidingTier(item, loosest)
    const answer = item.answers[tier]
    const name = tiers[tier]?.name
    if (answer === undefined || name === undefined || answer.decision === null || answer.decision === item.label)
      return []
    const { itemId, verdict } = item.result
    const reasoning = verdict?.individual[name]?.reasoning ?? ''
    return [
      {
        itemId,
        trial: trialOf(item.result),
        tier: name,
        decision: answer.decision,
        confidence: answer.confidence,
        reasoning,
      },
    ]
  })
  return wrong.toSorted((one, other) => other.confidence - one.confidence).slice(0, mostDisagreements)
}

/** How often a tier ended in an error, and the first one. */
function errorNote({ items }: LabelledRun, tier: string): readonly string[] {
  const errors = items.flatMap(({ result }) => {
    const judgment = result.verdict?.individual[tier]
    return judgment?.status === 'error' ? [judgment.reasoning] : []
  })
  const [first] = errors
  return first === undefined
    ? []
    : [`The tier ${tier} ended in an error on ${counted(errors.length, 'item')}, the first: ${first}`]
}

function notesOf(run: LabelledRun, { tiers, delta, labels, from }: CascadeMade, tries: number): readonly string[] {
  const { leftOut, notShown, clustered } = run
  const unlabelled = leftOut - notShown.items
  const reason = from.labelledRun === null ? 'without a label for pass or fail' : 'on which people disagree'
  return [
    ...tiers.flatMap(({ name }) => errorNote(run, name)),
    ...(unlabelled === 0 ? [] : [`${counted(unlabelled, 'item')} ${reason}, left out.`]),
    ...(notShown.items === 0
      ? []
      : [`${counted(notShown.items, 'item')} that the tiers could not be shown, left out. ${notShown.why}`]),
    ...(clustered === 0 ? [] : [`${counted(clustered, 'item')} of a cluster that another item stands for.`]),
    ...(tries === 1
      ? []
      : [
          `These labels were used ${tries} times to look for a certificate: each test allows a chance of failure of ${percent(delta / tries)} instead of ${percent(delta)}.`,
        ]),
    ...(labels.by === 'models'
      ? ['The labels are from models: the bound is about agreement with them, not with people.']
      : []),
  ]
}
