import { checkOptions, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { Reporter } from '@jurist/experiment'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { LabelledRun } from '../variants/labelled-trials.js'
import type { ChoiceRules } from './choose-mutants.js'
import { operators as known, type Operator } from './operators.js'

/** Options of `runMutants`. Each of them has a default. */
export interface RunMutantsOptions {
  /**
   * The maximum number of mutants per item. Default 10: over 162 items, the survival then has an interval of ±1.3
   * points (95 %), compared with ±1.8 for 5 and ±2.4 for 3.
   */
  readonly perItem?: number
  /**
   * The code that may be mutated in the files that the reference changes: only the changed lines, also their functions,
   * or everything. Mutants closer to the changes are chosen first. Default `all`.
   */
  readonly where?: 'changed' | 'function' | 'all'
  /** Operators, or names of those of Jurist. Default: all operators of Jurist. */
  readonly operators?: readonly (Operator | string)[]
  /**
   * Whether right solutions in other forms are judged, too: variants of the reference that behave like it, at most
   * `perItem` per item, and the directories in `right` of an item. Default `false`.
   */
  readonly variants?: boolean
  /**
   * With `variants`, stored runs with the labels of people. Failed trials tell which hidden demands are real. Trials that a person labelled right and whose jury failed are
   * judged again, at most `perItem` per item. Two people prove that the tests are too strict; one, or people who
   * differ, make it a suspicion. Default: none.
   */
  readonly labelled?: readonly LabelledRun[]
  /** A whole number. The same seed chooses the same mutants on every machine. Default 1. */
  readonly seed?: number
  /**
   * Whether jury members that cost money judge as well, which requires a `budget` of the experiment in dollars. A
   * cascade asks them only if its cheaper tiers do not kill the mutant. Default `false`: they are left out.
   */
  readonly untilKilled?: boolean
  /**
   * Whether survivors are compared with the reference: exported functions of JavaScript, TypeScript and Python are
   * called with the literal inputs of the visible and hidden tests, and with variations of these inputs, in the sandbox
   * of the workspace. A difference proves that the jury passes a wrong program. Default `false`.
   */
  readonly prove?: boolean
  /**
   * With `prove`, the seconds for the inputs of one function, and again for each mutant. Inputs beyond this limit are
   * left out, and the report mentions it. Default 10.
   */
  readonly proveSeconds?: number
  /** The minutes after which no further mutant runs or is compared. The run can be resumed. Default: no limit. */
  readonly budgetMinutes?: number
  /** The largest acceptable survival, from 0 to 1. Default: `vet.survival` of the experiment, otherwise any. */
  readonly survival?: number
  /**
   * A run id, or `latest` for the newest unfinished run of mutants of this experiment, if there is one. Default: a new
   * run.
   */
  readonly resume?: string
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
  /** With `prove`, called when the comparison of survivors begins, and after each of them. */
  readonly onProof?: (progress: ProvingProgress) => void
}

/** The progress of comparing survivors with their references. */
export interface ProvingProgress {
  readonly runId: string
  readonly survivors: number
  /** The number of compared survivors, including `stored`. */
  readonly done: number
  /** The number of survivors that were compared before the run was resumed. */
  readonly stored: number
}

const rules: { readonly [name in keyof Required<RunMutantsOptions>]: OptionRule } = {
  perItem: option.integer(1),
  where: option.oneOf('changed', 'function', 'all'),
  operators: { wants: 'an array of operators or their names', holds: Array.isArray },
  seed: option.integer(0),
  variants: option.boolean,
  labelled: { wants: 'an array of runs with labels', holds: Array.isArray },
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

export function checkedOptions(given: RunMutantsOptions | undefined): RunMutantsOptions {
  return checkOptions('runMutants', given, rules)
}

/**
 * Returns the rules for choosing mutants.
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
