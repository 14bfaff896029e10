import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { Reporter } from '@jurist/experiment'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { ChoiceRules } from './choose-mutants.js'
import { operators as known, type Operator } from './operators.js'

/** Options of `runMutants`. */
export interface RunMutantsOptions {
  /**
   * Mutants of an item, at most. Default 10: with it the survival over 162 items has an interval of ±1.3 points (95 %), with 5
   * of ±1.8, with 3 of ±2.4.
   */
  readonly perItem?: number
  /**
   * What may be mutated in the files that the reference changes: the changed lines, their functions too, or all. Nearer
   * mutants are chosen first. Default `all`.
   */
  readonly where?: 'changed' | 'function' | 'all'
  /** Operators, or names of those that come with Jurist. Default: all of these. */
  readonly operators?: readonly (Operator | string)[]
  /** A whole number. The same seed chooses the same mutants on every machine. Default 1. */
  readonly seed?: number
  /** The directory of an item that holds one directory for each wrong solution of people. Default `wrong`. */
  readonly wrong?: string
  /**
   * Whether members of the jury that cost money judge, too; needs a `budget` of the experiment in dollars. A cascade asks them
   * only where its cheaper tiers do not kill. Default `false`: they are left out.
   */
  readonly untilKilled?: boolean
  /**
   * Whether survivors are compared with the reference: exported functions of JavaScript, TypeScript and Python get the literal
   * inputs of the visible and hidden tests, and variations of them, in the sandbox of the workspace. A difference proves that
   * the jury lets a wrong program through. Default `false`.
   */
  readonly prove?: boolean
  /**
   * With `prove`, seconds for the inputs of one function, and as many again for each mutant. Inputs that exceed them are left
   * out, and the report says so. Default 10.
   */
  readonly proveSeconds?: number
  /** Minutes after which no more mutants run or are compared; the run can be resumed. Default: no limit. */
  readonly budgetMinutes?: number
  /** The largest acceptable survival, 0 to 1. Default: `vet.survival` of the experiment, else every survival. */
  readonly survival?: number
  /** A run id, or `latest`: the newest unfinished run of mutants of this experiment, else a new one. */
  readonly resume?: string
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
  /** Called with `prove` when survivors begin to be compared, and after each of them. */
  readonly onProof?: (progress: ProvingProgress) => void
}

/** How far survivors have been compared with their references. */
export interface ProvingProgress {
  readonly runId: string
  readonly survivors: number
  /** How many have been compared, with those of `stored`. */
  readonly done: number
  /** How many were compared before the run was resumed. */
  readonly stored: number
}

const rules: { readonly [name in keyof Required<RunMutantsOptions>]: OptionRule } = {
  perItem: option.integer(1),
  where: option.oneOf('changed', 'function', 'all'),
  operators: { wants: 'an array of operators or their names', holds: Array.isArray },
  seed: option.integer(0),
  wrong: option.string,
  untilKilled: option.boolean,
  prove: option.boolean,
  proveSeconds: { wants: 'a number above 0', holds: isAboveZero },
  budgetMinutes: { wants: 'a number above 0', holds: isAboveZero },
  survival: option.rate,
  resume: option.string,
  signal: option.anything,
  onEvent: option.function,
  onProof: option.function,
}

function isAboveZero(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

/** The options, checked. */
export function checkedOptions(given: RunMutantsOptions | undefined): RunMutantsOptions {
  return checkOptions('runMutants', given, rules)
}

/**
 * Which mutants are chosen.
 *
 * @throws `option-invalid` for an unknown operator
 */
export function choiceRules({ perItem = 10, where = 'all', seed = 1, operators }: RunMutantsOptions): ChoiceRules {
  return {
    ...{ perItem, seed },
    where: where === 'all' ? 'rest' : where,
    operators: operators?.map((one) => (typeof one === 'string' ? named(one) : one)) ?? known,
  }
}

function named(name: string): Operator {
  const found = known.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = known.map((one) => one.name)
  const problem = `runMutants: "operators" has no operator "${name}".${nearestOrAll(name, names)}`
  optionInvalid('operators', problem)
}
