import {
  checkOptions,
  described,
  hasFields,
  type OptionDescriptions,
  openRate,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import { type CalibrateOptions, calibrateRules } from '../calibrate/calibrate-options.js'
import type { LabelledBy } from './certificate.js'
import type { CascadeTier } from './certified-cascade.js'
import { type Risk, risks, usualGrid } from './risk-curve.js'

/** How a cascade is certified: as a judge is calibrated, with tiers for a candidate. */
export interface CalibrateCascadeOptions
  extends Pick<
    CalibrateOptions,
    | 'name'
    | 'items'
    | 'input'
    | 'expected'
    | 'store'
    | 'datasetVersion'
    | 'cluster'
    | 'concurrency'
    | 'judgeTimeoutMs'
    | 'seed'
    | 'askThrough'
    | 'signal'
    | 'onEvent'
  > {
  /** The tiers in their order, the cheapest first; the final tier is not among them. */
  readonly tiers: readonly CascadeTier[]
  /** The allowed share of wrong decisions. Default 0.15. */
  readonly alpha?: number
  /** The allowed chance that the method itself fails. Default 0.1. */
  readonly delta?: number
  /** The decisions that count as errors. Default `'disagreement'`. */
  readonly risk?: Risk
  /** The thresholds to test, the strictest first; fixed before a label is seen. Default 1.00, 0.99 … 0.50. */
  readonly grid?: readonly number[]
  /** The origin of the labels. Default: unknown. */
  readonly labels?: { readonly annotators?: readonly string[]; readonly by?: LabelledBy }
  /** Stops when the tiers have cost this much; then nothing is certified. Default: no limit. */
  readonly budgetUsd?: number
}

const grid = {
  wants: 'an array of numbers from 0 to 1, each smaller than the one before it',
  holds: (value: unknown) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((threshold, index) => option.rate.holds(threshold) && (index === 0 || threshold < value[index - 1])),
  schema: { type: 'array', items: { type: 'number', minimum: 0, maximum: 1 }, minItems: 1 },
}
const tierRules = { candidate: option.function }
const tiers = {
  wants: 'a non-empty array of { name, candidate, confidence } with different names',
  holds: (value: unknown) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((tier) => hasFields(tier, tierRules)) &&
    new Set(value.map((tier) => Reflect.get(tier, 'name'))).size === value.length,
}

/** The options that only the calibration of a cascade has. Those that a config can write have a description. */
export const cascadeRules: OptionDescriptions<
  Pick<CalibrateCascadeOptions, 'tiers' | 'alpha' | 'delta' | 'risk' | 'grid' | 'labels' | 'budgetUsd'>
> = {
  tiers: described(tiers, 'The tiers in their order, the cheapest first, without the final one.'),
  alpha: described(openRate, 'The allowed share of wrong decisions.', 0.15),
  delta: described(openRate, 'The allowed chance that the bound does not hold.', 0.1),
  risk: described(
    option.oneOf(...risks),
    'What counts as wrong: any disagreement, or only false passes or fails.',
    'disagreement',
  ),
  grid: described(grid, 'The thresholds to test, the strictest first. Default: 1.00, 0.99 … 0.50.'),
  labels: described(option.record, 'Who made the labels: { annotators, by: people, models or unknown }.'),
  budgetUsd: described(option.positive, 'Stops when the tiers have cost this much. Default: no limit.'),
}

export type CascadeSettings = CalibrateCascadeOptions &
  Required<Pick<CalibrateCascadeOptions, 'alpha' | 'delta' | 'risk' | 'grid' | 'labels' | 'seed'>>

/** The options that are those of `calibrate`. */
const shared = [
  ...(['name', 'items', 'input', 'expected', 'store', 'datasetVersion', 'cluster', 'concurrency'] as const),
  ...(['judgeTimeoutMs', 'seed', 'askThrough', 'signal', 'onEvent'] as const),
]

/**
 * Checks the options of `calibrateCascade`.
 *
 * @throws `option-invalid` naming everything that is wrong
 */
export function cascadeSettings(options: CalibrateCascadeOptions): CascadeSettings {
  const rules = { ...Object.fromEntries(shared.map((name) => [name, calibrateRules[name]])), ...cascadeRules }
  const given = checkOptions('calibrateCascade', options, rules as never) as CalibrateCascadeOptions
  const missing = (['name', 'items', 'tiers'] as const).filter((name) => given[name] === undefined)
  const [first] = missing
  if (first !== undefined)
    optionInvalid(first, `calibrateCascade: give ${missing.map((name) => `"${name}"`).join(', ')}.`)
  return { alpha: 0.15, delta: 0.1, risk: 'disagreement', grid: usualGrid, labels: {}, seed: 1, ...given }
}
