import type { Agent, Judge, Jury, Vote } from '@jurist/core'
import type { Experiment, ExperimentOptions, Reporter } from '@jurist/experiment'
import type { CalibrateJudgesOptions, CalibrateOptions } from '@jurist/experiment/calibrate'
import type { ResultStore } from '@jurist/experiment/store'

/** Options whose `name` is the key they stand under. */
export type NamedByKey<Options extends { readonly name: string }> = Omit<Options, 'name'> & { readonly name?: string }

/** What a run must reach, as rates within [0, 1] and US dollars. */
export interface Thresholds {
  /**
   * Passes of the decided trials. Without `minimumDecided` the rate must hold also with every trial that decided nothing
   * counted as failed.
   */
  readonly passRate?: number
  /** Passes of all planned trials. */
  readonly passRateOfAll?: number
  /** Mean scores by key, such as `rules/build`; as for `passRate`, with 0 for trials that decided nothing. */
  readonly scores?: Readonly<Record<string, number>>
  /** The most that agents and judges may cost together. A cost nobody declared is a miss. */
  readonly maxCostUsd?: number
  /** How many trials must be decided: then rates are of these alone. Default: at least 1. */
  readonly minimumDecided?: number
  /** How often a judge that is calibrated must agree with its labels. */
  readonly agreement?: number
  /** Cohen's kappa that it must reach. */
  readonly kappa?: number
}

/** An experiment as a config writes it. */
export type ConfiguredExperiment = NamedByKey<ExperimentOptions> | Experiment

/** A calibration as a config writes it: of one judge, or of several on the same items. */
export type ConfiguredCalibration = NamedByKey<CalibrateOptions> | NamedByKey<CalibrateJudgesOptions>

/** What `jurist.config.ts` exports by default. Paths are relative to its directory. */
export interface JuristConfig {
  /** A text is the results directory. Default `results`. */
  readonly store?: ResultStore | string | (() => Promise<ResultStore>)
  readonly experiments?: Readonly<
    Record<string, ConfiguredExperiment | (() => ConfiguredExperiment | Promise<ConfiguredExperiment>)>
  >
  /** For `jurist judge --jury <name>`. */
  readonly juries?: Readonly<Record<string, Jury | Judge>>
  readonly agents?: Readonly<Record<string, Agent>>
  readonly votes?: Readonly<Record<string, Vote>>
  /** Judges under test: for `jurist calibrate <name>`. Without a `candidate` several of them, in one table. */
  readonly calibrations?: Readonly<
    Record<string, ConfiguredCalibration | (() => ConfiguredCalibration | Promise<ConfiguredCalibration>)>
  >
  readonly thresholds?: Thresholds
  /** Told every event of every run. */
  readonly reporters?: readonly Reporter[]
  /**
   * A file of `NAME=value` lines; variables that are set already win. A missing file is a notice, or an error with
   * `required`.
   */
  readonly envFile?: string | { readonly path: string; readonly required?: boolean }
}

/**
 * Gives a config its type; it is returned as it is, and checked when the command loads it.
 *
 * @example
 * export default defineConfig({
 *   experiments: { 'add-readme': { dataset: 'dataset', agent, jury: rules } },
 *   thresholds: { passRate: 0.8 },
 * })
 */
export function defineConfig(config: JuristConfig): JuristConfig {
  return config
}
