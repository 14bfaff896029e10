import type { Agent, Judge, Jury, Vote } from '@jurist/core'
import type { JudgeModel } from '@jurist/core/llm'
import type { Experiment, ExperimentOptions, Provision, Reporter } from '@jurist/experiment'
import type { CalibrateJudgesOptions, CalibrateOptions } from '@jurist/experiment/calibrate'
import type { CalibrateCascadeOptions } from '@jurist/experiment/certify'
import type { Plugin } from '@jurist/experiment/plugin'
import type { ModelRule, ScanAllowance, ScanRule } from '@jurist/experiment/scan'
import type { ResultStore } from '@jurist/experiment/store'

/** Options whose key is their name. */
export type NamedByKey<Options extends { readonly name: string }> = Omit<Options, 'name'> & { readonly name?: string }

/** The requirements for a run, as rates from 0 to 1 and US dollars. */
export interface Thresholds {
  /**
   * The pass rate of the decided trials. Without `minimumDecided`, the rate must also hold if every undecided trial
   * counts as failed.
   */
  readonly passRate?: number
  /** The pass rate of all planned trials. */
  readonly passRateOfAll?: number
  /** Mean scores by key, such as `rules/build`. Without `minimumDecided`, undecided trials count as 0. */
  readonly scores?: Readonly<Record<string, number>>
  /** The maximum cost of agents and judges together, in US dollars. An undeclared cost is a miss. */
  readonly maxCostUsd?: number
  /**
   * The largest share of suspect passes, as the upper bound of its confidence interval. Needs "scan". A pass that was not
   * scanned as a whole counts as suspect.
   */
  readonly suspects?: number
  /** The minimum number of decided trials. If it is set, only decided trials count. Default: 1. */
  readonly minimumDecided?: number
  /** For calibrations: the required rate of agreement with the labels. */
  readonly agreement?: number
  /** For calibrations: the required Cohen's kappa. */
  readonly kappa?: number
}

/** How runs are scanned. */
export interface ScanSettings {
  /** Rules of the project, beside those of Jurist. Default: none. */
  readonly rules?: readonly (ScanRule | ModelRule)[]
  /** The rules that do not look. Default: none. */
  readonly without?: readonly string[]
  /** The findings that count as notes, with a reason that stays in the report. Default: nothing. */
  readonly allow?: readonly ScanAllowance[]
}

/** An experiment in a config. */
export type ConfiguredExperiment = NamedByKey<ExperimentOptions> | Experiment

/** The calibration of a cascade. `jurist calibrate --certify --run` uses the labelled trials of a run as items. */
export type CascadeWithItems = Omit<CalibrateCascadeOptions, 'name' | 'items'> &
  Partial<Pick<CalibrateCascadeOptions, 'name' | 'items'>>

/** A calibration in a config: of one judge, of several on the same items, or of a cascade. */
export type ConfiguredCalibration = NamedByKey<CalibrateOptions> | NamedByKey<CalibrateJudgesOptions> | CascadeWithItems

/** A study of `jurist lift`: the flags of the command, and where trials run. One of `skill`, `file`, `mcp` and `plugin` is its subject. */
export interface LiftStudy {
  /** The directory of a skill. */
  readonly skill?: string
  /** Instructions, such as `AGENTS.md`. */
  readonly file?: string
  /** A JSON file with servers of MCP. */
  readonly mcp?: string
  /** The directory of a plugin of Claude Code. */
  readonly plugin?: string
  /** `claude`, `codex`, or one of `agents`. */
  readonly agent?: string
  /** The model of the agent. */
  readonly model?: string
  /** Where an agent of `agents` looks for the subject. */
  readonly into?: string
  /** The file of the evals. Default: `evals/evals.json` beside the subject. */
  readonly evals?: string
  /** A dataset whose items have judges, instead of evals. */
  readonly dataset?: string
  /** One of `models`, for assertions that no rule decides. */
  readonly judgeModel?: string
  /** Repetitions of each eval in each arm. Default: 3. */
  readonly repetitions?: number
  /** Concurrent trials. Default: 4. */
  readonly concurrency?: number
  /** Where trials run, in both arms. Default: in copies of their files, without a sandbox. */
  readonly provision?: Provision
}

/** The default export of `jurist.config.ts`. Paths are relative to its directory. */
export interface JuristConfig {
  /**
   * A string is the results directory or the URL of a database such as `postgres://user@host/name`, which requires the
   * package `pg`. Default `results`.
   */
  readonly store?: ResultStore | string | (() => Promise<ResultStore>)
  readonly experiments?: Readonly<
    Record<string, ConfiguredExperiment | (() => ConfiguredExperiment | Promise<ConfiguredExperiment>)>
  >
  /** The juries for `jurist judge`, `jurist hook` and `jurist mcp`, by name. */
  readonly juries?: Readonly<Record<string, Jury | Judge>>
  readonly agents?: Readonly<Record<string, Agent>>
  /**
   * Whether judges reuse the answers that the models of the config gave to the same questions before, as with
   * `--cache`. A string is the directory of the answers. Default: `false`.
   */
  readonly cache?: boolean | string
  /** The models that judges and agents call, each described once: see `defineModels`. */
  readonly models?: Readonly<Record<string, JudgeModel>>
  readonly votes?: Readonly<Record<string, Vote>>
  /**
   * Judges to measure, for `jurist calibrate <name>`. Without `candidate`, several judges are measured in one table;
   * `tiers` describe a cascade for `jurist calibrate <name> --certify`.
   */
  readonly calibrations?: Readonly<
    Record<string, ConfiguredCalibration | (() => ConfiguredCalibration | Promise<ConfiguredCalibration>)>
  >
  /** Studies for `jurist lift <name>`. */
  readonly lift?: Readonly<Record<string, LiftStudy>>
  readonly thresholds?: Thresholds
  /**
   * Whether `jurist run` scans its runs, for the page and for `jurist list --suspect`. An object also has the settings of scans, there and in `jurist scan`. Default: `false`.
   */
  readonly scan?: boolean | ScanSettings
  /**
   * Judges that may abstain in a whole run, by name or path, or `true` for all. Applies to every experiment without
   * this option. Default: none.
   */
  readonly allowAbstain?: boolean | readonly string[]
  /** Functions that receive every event of every run. */
  readonly reporters?: readonly Reporter[]
  /**
   * Extensions from packages: names of packages, paths of modules relative to the config, or the plug-ins themselves.
   */
  readonly plugins?: readonly (string | Plugin)[]
  /**
   * A file of `NAME=value` lines. Existing variables take precedence. A missing file is a notice, or an error with
   * `required`.
   */
  readonly envFile?: string | { readonly path: string; readonly required?: boolean }
}

/**
 * Types a config and returns it unchanged. The command checks it when it loads it.
 *
 * @example
 * import { consensus, defineConfig, fileExists, jury } from 'jurist'
 * import { commandAgent } from 'jurist/command'
 *
 * const agent = commandAgent({ command: ['my-agent'] })
 * const rules = jury({ judges: { readme: fileExists('README.md') }, vote: consensus() })
 *
 * export default defineConfig({
 *   experiments: { 'add-readme': { dataset: 'dataset', agent, jury: rules } },
 *   thresholds: { passRate: 0.8 },
 * })
 */
export function defineConfig(config: JuristConfig): JuristConfig {
  return config
}
