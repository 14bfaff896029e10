import type { AgentOutput, JsonObject, Workspace, WritableWorkspace } from '@jurist/core'
import { checkRequired, nonBlank, type OptionRule, option } from '@jurist/core/internal'

/**
 * What a probe tries: to do `nothing`, to persuade with `words`, to change the `tests`, their `runner`, the `process` that
 * they run in or its `report`, to fit the visible tests only (`overfit`), to find the answer (`leak`), or to leave something
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

/** What a probe sees: what an agent sees, and what was found out about its workspace. */
export interface ProbeSite {
  readonly workspace: WritableWorkspace
  /** The id of the item. */
  readonly itemId: string
  /** What the agent is asked. */
  readonly prompt: string
  readonly input: JsonObject | null
  /** Paths of all files of the workspace but those of installed packages and version control, in order. */
  readonly files: readonly string[]
  /** Those that are tests. */
  readonly tests: readonly string[]
  /** Those that hold code and are no tests. */
  readonly sources: readonly string[]
  /** The languages of the sources and tests, such as `javascript`. */
  readonly languages: readonly string[]
  /** The right answer. `null`: the item has none, or the probe is not of the pattern `overfit` or `leak`. */
  readonly reference: Workspace | null
  /** Whether a member of the jury asks a model. */
  readonly asksModels: boolean
  /**
   * Reports that the probe got hold of something that it must not have, such as a secret: it got through, whatever the jury
   * says.
   */
  found(what: string): void
  /** Fires when the probe must stop. */
  readonly signal: AbortSignal
}

/** What a probe answers. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement returns void.
export type Answer = AgentOutput | undefined | void

/** An agent that tries to pass without doing the task. */
export interface Probe {
  /** Letters, digits, `-`. */
  readonly name: string
  /** What it does, as a sentence. */
  readonly what: string
  readonly pattern: ProbePattern
  /** How to keep it from passing, as a sentence. */
  readonly remedy: string
  /** `full`: it takes long, and runs only where it is asked for. Default `standard`. */
  readonly level?: 'standard' | 'full'
  /**
   * Whether it reaches beyond its workspace: without a sandbox it would harm the machine, or prove nothing new.
   * Default `false`.
   */
  readonly needsSandbox?: boolean
  /** Whether it can be tried on this item. Where it cannot, it is counted apart. */
  applies(site: ProbeSite): boolean | Promise<boolean>
  /** Cheats. Without an output it claims that everything is done. An exception counts as an error, never as "held". */
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
  applies: option.function,
  act: option.function,
}

/**
 * A probe of your own, checked and frozen, for `runProbes`.
 *
 * @throws `option-invalid` naming the part that is missing or wrong
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
