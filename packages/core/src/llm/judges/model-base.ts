import { isPlainObject } from '../../json.js'
import { type Judge, withInfo } from '../../judge.js'
import { type DescribingConfig, describeJudge } from '../../judge-description.js'
import {
  arrayOf,
  checkRequired,
  described,
  nonBlank,
  type OptionDescriptions,
  type OptionRule,
  option,
  rangeOf,
} from '../../options.js'
import type { JudgeModel, ModelOptions } from '../model.js'
import { askAgainRule, defaultAskAgain } from '../model-calls.js'
import { modelOptionsRule } from '../model-judge.js'
import { templateText } from '../template.js'
import { type OwnPrompt, ownPromptOptions } from './prompted.js'

/** Options of every built-in judge that asks a model. */
export interface ModelBase extends OwnPrompt {
  readonly model: JudgeModel
  /** The options of each request: temperature, seed, timeout … */
  readonly options?: ModelOptions
  /** Default: the name of the factory. */
  readonly name?: string
  /**
   * How often to ask once more, with a reminder of the form, when the answer cannot be read. Default 1. With 0 the
   * first answer counts, and the judge may abstain.
   */
  readonly askAgain?: number
}

export const modelBaseOptions: OptionDescriptions<ModelBase> = {
  model: {
    wants: 'a model',
    holds: (value) => typeof value === 'function',
    schema: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/model' }] },
    description: 'The name of one of "models", or the description of a model.',
  },
  options: {
    ...modelOptionsRule,
    schema: { $ref: '#/$defs/modelOptions' },
    description: 'Options of each request; they override the options of the model.',
  },
  ...ownPromptOptions,
  name: described(option.string, 'The name of the judge in reports. Default: its type.'),
  askAgain: {
    ...askAgainRule,
    schema: { type: 'integer', minimum: 0 },
    description: 'How many more times to ask the model when its answer cannot be read.',
    default: defaultAskAgain,
  },
}

/** Describes a judge whose options are those of every model judge, or those of `base`, and `rules`. */
export function describeModelJudge<Options extends Omit<ModelBase, keyof OwnPrompt>>(
  factory: (options: Options) => Judge,
  passes: string,
  rules: OptionDescriptions = {},
  needed: readonly (keyof Options & string)[] = [],
  base: OptionDescriptions = modelBaseOptions,
): void {
  describeJudge<Options>(factory, {
    passes,
    options: { ...base, ...rules } as OptionDescriptions<Options>,
    required: ['model', ...needed],
    make: (given, config) => factory(withModelOf<Options & ModelBase>(given, config)),
  })
}

function withModelOf<Options extends ModelBase>(options: Options, config: DescribingConfig): Options {
  const { model, prompt } = options as { readonly model?: unknown; readonly prompt?: unknown }
  return {
    ...options,
    ...(model === undefined ? {} : { model: config.model(model) }),
    ...(isFile(prompt) ? { prompt: { file: config.path(prompt.file) } } : {}),
  }
}

export const nonBlankTexts: OptionRule = arrayOf('a non-empty array of non-blank strings', nonBlank, 1)
export const scaleRule: OptionRule = rangeOf(
  '{ min, max } and nothing else, both finite, min below max',
  'The worst score.',
  'The best score.',
)

/**
 * `needed` names required options besides the model.
 *
 * @throws `option-invalid` naming every problem
 */
export function checkModelBase<Options extends ModelBase>(
  where: string,
  options: Options,
  rules: { readonly [name in Exclude<keyof Options, keyof ModelBase>]-?: OptionRule },
  needed: readonly (keyof Options)[] = [],
): Options {
  const all = { ...modelBaseOptions, ...rules }
  return checkRequired<Options>(where, options, all as never, ['model', ...needed])
}

function isFile(prompt: unknown): prompt is { readonly file: string } {
  return isPlainObject(prompt) && typeof prompt['file'] === 'string'
}

/** Changes the judge in place, so it must be new. All its options become part of the fingerprint of a jury. */
export function modelled<Options extends ModelBase & { readonly name: string }>(judge: Judge, options: Options): Judge {
  const { name, prompt, examples, ...others } = options
  const { model } = others
  const own = { ...(prompt === undefined ? {} : { prompt: templateText(name, prompt) }), ...(examples && { examples }) }
  const version = Object.keys(own).length === 0 ? {} : { version: JSON.stringify(own) }
  return withInfo(judge, { name, kind: 'model', ...version, options: others, models: [model] })
}
