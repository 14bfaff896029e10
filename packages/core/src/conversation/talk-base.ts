import type { DescribingConfig } from '../judge-description.js'
import { type ModelBase, modelBaseOptions, withModelOf } from '../llm/judges/model-base.js'
import type { OwnPrompt } from '../llm/judges/own-prompt.js'
import { checkRequired, type OptionDescriptions, type OptionRule } from '../options.js'

/** What judges of conversations by a model take. Their prompts are their own: each message is data within marks of its own. */
export type TalkBase = Omit<ModelBase, keyof OwnPrompt>

const { prompt: _, examples: __, ...options } = modelBaseOptions

/** The options of `TalkBase`, as configs give them. */
export const talkBaseOptions: OptionDescriptions<TalkBase> = options

/**
 * Checks the options of a judge of conversations, as `checkOptions` does; `needed` names those, beside the model, that must be
 * given.
 *
 * @throws `option-invalid` naming every problem
 */
export function checkTalkBase<Options extends TalkBase>(
  where: string,
  given: Options,
  rules: { readonly [name in Exclude<keyof Options, keyof TalkBase>]-?: OptionRule },
  needed: readonly (keyof Options)[] = [],
): Options {
  return checkRequired<Options>(where, given, { ...talkBaseOptions, ...rules } as never, ['model', ...needed])
}

/** The options of a description, with the model that they name. */
export function withTalkModel<Options extends TalkBase>(given: Options, config: DescribingConfig): Options {
  return withModelOf<Options & ModelBase>(given, config)
}
