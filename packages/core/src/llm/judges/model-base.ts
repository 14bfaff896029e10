import type { OptionRule } from '../../options.js'
import { option } from '../../options.js'
import { askAgainRule } from '../ask-again.js'
import type { JudgeModel, ModelOptions } from '../model.js'
import { modelOptionsRule } from '../model-judge.js'
import { checkNeeded } from '../needed.js'

/** What every built-in judge by a model takes. */
export interface ModelBase {
  readonly model: JudgeModel
  /** For each request: temperature, seed, timeout … */
  readonly options?: ModelOptions
  /** Default: the name of the factory. */
  readonly name?: string
  /**
   * How often the model is asked once more, with a reminder of the form, when its answer cannot be read. Default 1; 0 takes
   * the first answer as it is, and then the judge abstains.
   */
  readonly askAgain?: number
}

/** A text with something in it. */
export const nonBlank: OptionRule = { wants: 'a text that is not blank', holds: isNonBlank }
/** A list of such texts, not empty. */
export const nonBlankTexts: OptionRule = {
  wants: 'a list of texts, none blank, and not empty',
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isNonBlank),
}
/** The range of a score. */
export const scaleRule: OptionRule = {
  wants: '{ min, max } and nothing else, both finite, min below max',
  holds: (value) => {
    const { min, max, ...others } = (value ?? {}) as { readonly min?: unknown; readonly max?: unknown }
    const known = Object.values(others).every((other) => other === undefined)
    return known && Number.isFinite(min) && Number.isFinite(max) && (min as number) < (max as number)
  },
}

function isNonBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/**
 * Checks the options of a judge by a model, as `checkOptions` does; `needed` names those, beside the model, that must be
 * given.
 *
 * @throws `option-invalid` naming every problem
 */
export function checkModelBase<Options extends ModelBase>(
  where: string,
  options: Options,
  rules: { readonly [name in Exclude<keyof Options, keyof ModelBase>]-?: OptionRule },
  needed: readonly (keyof Options)[] = [],
): Options {
  const all = {
    model: option.function,
    options: modelOptionsRule,
    name: option.string,
    askAgain: askAgainRule,
    ...rules,
  }
  return checkNeeded<Options>(where, options, all as never, ['model', ...needed])
}
