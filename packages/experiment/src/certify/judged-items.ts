import type { Judgment } from '@jurist/core'
import { groupBy } from '@jurist/kit/group-by'
import { factsOf } from '../calibrate/report/scored-trial.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { seededRandom } from '../result/statistics/random.js'
import type { JudgedItem, TierAnswer } from './risk-curve.js'

/** The labelled items of a stored calibration of a cascade. */
export interface LabelledRun {
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
