import { checkOptions, described, type OptionDescription, type OptionDescriptions, option } from '../options.js'
import { type Strategy, type Vote, voteBy } from './vote.js'

/** A vote, as configs, editors and forms need it. */
export interface VoteDescription {
  /** The name of the factory, and the `strategy` in stored verdicts. */
  readonly name: string
  /** When the vote passes, in one sentence. */
  readonly passes: string
  readonly options: OptionDescriptions
  readonly usesWeights: boolean
}

const descriptions = new WeakMap<object, VoteDescription>()

/** `undefined` for any function that is not a vote factory. */
export function voteDescriptionOf(factory: object): VoteDescription | undefined {
  return descriptions.get(factory)
}

/** A vote without the steps that all votes share. */
export interface VoteDeclaration<Options extends object> {
  readonly name: string
  readonly passes: string
  readonly options: OptionDescriptions<Options>
  /** Default `false`. */
  readonly usesWeights?: boolean
  /** The options as verdicts store them. Default: as given, with the defaults. */
  readonly stored?: (options: Options) => Options
  /** Gets the options as they are stored. */
  readonly strategy: (options: Options) => Omit<Strategy, 'name' | 'options' | 'usesWeights'>
}

/**
 * The factory checks the options, fills in the defaults, and stores both in `metadata.aggregation` of every judgment.
 */
export function voteFactory<Options extends object>(
  declaration: VoteDeclaration<Options>,
): (options?: Options) => Vote {
  const { name, passes, options: rules, usesWeights = false, stored = (options) => options, strategy } = declaration
  const entries: readonly (readonly [string, OptionDescription])[] = Object.entries(rules)
  const factory = (options?: Options): Vote => {
    const given = checkOptions(name, options, rules) as { readonly [key: string]: unknown }
    const whole = entries.flatMap(([key, { default: otherwise }]) => {
      const value = given[key] ?? otherwise
      return value === undefined ? [] : [[key, value]]
    })
    const kept = stored(Object.fromEntries(whole) as Options) as Options & Strategy['options']
    return voteBy({ name, usesWeights, options: kept, ...strategy(kept) })
  }
  Object.defineProperty(factory, 'name', { value: name })
  descriptions.set(factory, Object.freeze({ name, passes, options: rules, usesWeights }))
  return factory
}

export const onErrorOption: OptionDescription = /* @__PURE__ */ described(
  option.oneOf('propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore'),
  'What a judge in error counts as. Default: an error of the vote, unless the outcome is the same without it.',
  'propagate-if-decisive',
)

export const minEligibleOption: OptionDescription = /* @__PURE__ */ described(
  option.integer(1),
  'The vote abstains with fewer eligible judges.',
  1,
)
