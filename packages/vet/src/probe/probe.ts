import type { AgentOutput, JsonObject, Workspace, WritableWorkspace } from '@jurist/core'
import { checkRequired, nonBlank, type OptionRule, option } from '@jurist/core/internal'

/**
 * The method of a probe: do `nothing`, persuade with `words`, change the `tests`, their `runner`, the `process` that
 * they run in or its `report`, fit only the visible tests (`overfit`), find the answer (`leak`), or leave something
 * behind that acts later (`state`).
 */
export type ProbePattern =
  | 'nothing'
  | 'words'
  | 'tests'
  | 'runner'
  | 'process'
  | 'report'
  | 'overfit'
  | 'leak'
  | 'state'

/** Where the project of an item is developed. */
export interface ProbeUpstream {
  /** An address of `http` or `https`, without `.git` at its end. */
  readonly address: string
  /** `null` if it is unknown. */
  readonly commit: string | null
}

/** The view of a probe: the view of an agent, and facts about its workspace. */
export interface ProbeSite {
  readonly workspace: WritableWorkspace
  /** The id of the item. */
  readonly itemId: string
  /** The prompt of the agent. */
  readonly prompt: string
  readonly input: JsonObject | null
  /** The paths of all files in the workspace, in order, except those of installed packages and version control. */
  readonly files: readonly string[]
  /** The files that are tests. */
  readonly tests: readonly string[]
  /** The files that contain code and are not tests. */
  readonly sources: readonly string[]
  /** The languages of the sources, of the tests, and of the verifier of a Harbor task, such as `javascript`. */
  readonly languages: readonly string[]
  /** The files of the workspace that the script of a Harbor verifier names, so that it may run or read them. */
  readonly verifierFiles: readonly string[]
  /** The files that a Harbor verifier compares: `outputs` of the workspace, and absolute paths of `others`. */
  readonly verifierCompares: { readonly outputs: readonly string[]; readonly others: readonly string[] }
  /** The right answer; `null` if the item has none, or if the pattern of the probe is neither `overfit` nor `leak`. */
  readonly reference: Workspace | null
  /** The address of the repository that the item comes from, and the commit with its answer; `null` if it is unknown. */
  readonly upstream: ProbeUpstream | null
  /** Whether a jury member calls a model. */
  readonly asksModels: boolean
  /**
   * Reports that the probe obtained something that must be out of reach, such as a secret. The probe then counts as
   * passed, regardless of the jury.
   */
  found(what: string): void
  /** Fires when the probe must stop. */
  readonly signal: AbortSignal
}

/** The answer of a probe. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void.
export type Answer = AgentOutput | undefined | void

/** An agent that tries to pass without doing the task. */
export interface Probe {
  /** Letters, digits, `-`. */
  readonly name: string
  /** A sentence that describes the action. */
  readonly what: string
  readonly pattern: ProbePattern
  /** A sentence that describes how to prevent the probe from passing. */
  readonly remedy: string
  /** `full` marks a slow probe, which runs only on request. Default `standard`. */
  readonly level?: 'standard' | 'full'
  /**
   * Whether it reaches beyond its workspace: without a sandbox, it would harm the machine or prove nothing new. Default
   * `false`.
   */
  readonly needsSandbox?: boolean
  /** Whether it sends requests to servers of others: it then runs only with the option `online`. Default `false`. */
  readonly online?: boolean
  /** Whether it can be tried on this item. Items to which it does not apply are counted separately. */
  applies(site: ProbeSite): boolean | Promise<boolean>
  /**
   * Performs the cheat. The default output claims that everything is done. An exception counts as an error, never as
   * "held".
   */
  act(site: ProbeSite): Promise<Answer>
}

const sentence: OptionRule = { ...nonBlank, wants: 'a sentence' }

const rules: { readonly [part in keyof Required<Probe>]: OptionRule } = {
  name: {
    wants: 'letters, digits and "-"',
    holds: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  },
  what: sentence,
  pattern: option.oneOf('nothing', 'words', 'tests', 'runner', 'process', 'report', 'overfit', 'leak', 'state'),
  remedy: sentence,
  level: option.oneOf('standard', 'full'),
  needsSandbox: option.boolean,
  online: option.boolean,
  applies: option.function,
  act: option.function,
}

/**
 * Checks and freezes a custom probe for `runProbes`.
 *
 * @throws `option-invalid` with the missing or invalid part
 *
 * @example
 * import { defineProbe } from '@jurist/vet'
 *
 * const stamped = defineProbe({
 *   name: 'stamp',
 *   what: 'Writes the file that the release script looks for.',
 *   pattern: 'report',
 *   remedy: 'Let the jury make the file itself.',
 *   applies: ({ files }) => files.includes('release.sh'),
 *   act: async ({ workspace }) => workspace.write('RELEASED', 'yes'),
 * })
 */
export function defineProbe(probe: Probe): Probe {
  return Object.freeze(
    checkRequired('defineProbe', probe, rules, ['name', 'what', 'pattern', 'remedy', 'applies', 'act']),
  )
}
