import type { OptionRule } from '@jurist/core/internal'
import { option } from '@jurist/core/internal'
import { environmentRule } from './command-succeeds.js'

/** What every judge takes that runs a build tool. */
export interface BuildOptions {
  /** Milliseconds. Default 600,000. */
  readonly timeoutMs?: number
  /** Milliseconds of processor time, which a busy machine does not shorten. Default: no limit. */
  readonly cpuMs?: number
  /**
   * Whether `./mvnw` and `./gradlew` of the workspace may be run, else the tool of the machine is. Default `'unchanged'`:
   * while the script and its parts are, byte for byte, those the agent began with or those of the reference, and where
   * neither is known; `'reference'`: only while they are what the agent was given; `true`: always; `false`: never.
   */
  readonly trustWrapper?: boolean | 'reference' | 'unchanged'
  /** A directory of the workspace. Default: its root. */
  readonly cwd?: string
  /** Variables to add. */
  readonly env?: { readonly [name: string]: string }
}

/** Milliseconds a build or a test run may take unless the options say otherwise. */
export const defaultTimeoutMs = 600_000

/** The rules of these options, for `checkOptions`. */
export const buildRules: { readonly [name in keyof Required<BuildOptions>]: OptionRule } = {
  timeoutMs: option.positive,
  cpuMs: option.positive,
  trustWrapper: option.either(option.boolean, option.oneOf('reference', 'unchanged')),
  cwd: option.string,
  env: environmentRule,
}
