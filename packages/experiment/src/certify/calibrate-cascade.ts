import { abstain, type JsonObject, type Judge, jury, selectiveJudge, type Vote } from '@jurist/core'
import { ownConfidence } from '@jurist/core/internal'
import { calibrationRun } from '../calibrate/calibrate.js'
import { withinBudget } from '../calibrate/judging-budget.js'
import { fileStore } from '../store/file-store.js'
import { memoryStore } from '../store/memory-store.js'
import type { ResultStore } from '../store/store.js'
import { type CascadeCalibration, type CascadeMade, cascadeCalibration } from './cascade-calibration.js'
import { type CalibrateCascadeOptions, cascadeSettings } from './cascade-options.js'
import { type CascadeTier, certifiedTierOf } from './certified-tier.js'
import { cascadeKey, triesWith } from './tries.js'

/**
 * Finds the loosest threshold at which labels certify a cascade: at most `alpha` of what it decides is wrong, with probability
 * `1 - delta` at least, for new items like the labelled ones. All tiers judge every item; the whole cascade is tested as one
 * system, threshold by threshold (fixed-sequence testing; Jung, Brahman and Choi 2025, Trust or Escalate, tests tier by tier and
 * returns a threshold even where none is certified). The run is stored with the kind `judge`. Where nothing is certified, the
 * certificate is `null`, and a cascade must decide nothing.
 *
 * @throws `option-invalid` naming everything that is wrong, and what `calibrate` throws
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { recorded } from '@jurist/experiment/calibrate'
 * import { calibrateCascade } from '@jurist/experiment/certify'
 *
 * const { certificate, why } = await calibrateCascade({
 *   name: 'answers',
 *   items: 'labelled.jsonl',
 *   tiers: [{ name: 'small', candidate: recorded('small') }, { name: 'large', candidate: recorded('large') }],
 *   alpha: 0.15,
 * })
 * console.log(certificate?.threshold ?? why)
 */
export async function calibrateCascade(options: CalibrateCascadeOptions): Promise<CascadeCalibration> {
  return await measuredCascade(options, { labelledRun: null, notes: [] })
}

/** `calibrateCascade`, with where its items are from. */
export async function measuredCascade(
  options: CalibrateCascadeOptions,
  from: CascadeMade['from'],
): Promise<CascadeCalibration> {
  const given = cascadeSettings(options)
  const { tiers, alpha, delta, risk, grid, labels, seed, budgetUsd, ...rest } = given
  const { store, close } = storeOf(given.store)
  const certifiedTiers = tiers.map(certifiedTierOf)
  const judges = Object.fromEntries(tiers.map((tier) => [tier.name, confidentJudge(tier)]))
  const candidate = jury({ judges, vote: firstConfident(grid.at(-1) ?? 0) })
  try {
    const made: CascadeMade = { tiers: certifiedTiers, alpha, delta, risk, grid, labels, seed, from }
    const { result } = await calibrationRun(
      { ...rest, ...withinBudget(given), seed, store, candidate, candidateName: 'cascade', resamples: 0 },
      { [cascadeKey]: made as unknown as JsonObject },
    )
    return await cascadeCalibration(result, made, (labelsHash) => triesWith(store, labelsHash))
  } finally {
    await close()
  }
}

function storeOf(given: CalibrateCascadeOptions['store']): {
  readonly store: ResultStore
  readonly close: () => Promise<void>
} {
  if (typeof given === 'string') {
    const store = fileStore(given)
    return { store, close: async () => store[Symbol.asyncDispose]() }
  }
  return { store: given ?? memoryStore(), close: async () => {} }
}

/** The candidate of a tier, whose judgment says how confident it is; it withholds nothing. */
function confidentJudge({ candidate, confidence = ownConfidence(candidate) }: CascadeTier): Judge {
  return selectiveJudge(candidate, { threshold: 0, confidence })
}

/** The first tier that decides with this confidence, as the cascade at its loosest threshold. */
function firstConfident(threshold: number): Vote {
  return function firstConfident(ballots) {
    const first = ballots.find(({ judgment: { status, metadata } }) => {
      const { confidence } = metadata
      return (status === 'pass' || status === 'fail') && typeof confidence === 'number' && confidence >= threshold
    })
    return first?.judgment ?? abstain(`no tier is confident to ${threshold}`)
  }
}
