import { judgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import type { Judge } from '../judge.js'
import { pass } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { noticesIn } from '../llm/evidence.js'
import { type AnswerForm, schemaOf } from '../llm/judges/answer-form.js'
import { describeModelJudge, type ModelBase, modelBaseOptions } from '../llm/judges/model-base.js'
import type { OwnPrompt } from '../llm/judges/prompted.js'
import type { RenderedPrompt } from '../llm/model.js'
import { modelCalls } from '../llm/model-calls.js'
import { checkRequired, type OptionDescriptions, type OptionRule } from '../options.js'
import { type Spent, totalSpent } from '../usage.js'

/**
 * Options of judges that ask a model about conversations. Their prompts cannot be replaced: each message is data within
 * separate marks.
 */
export type TalkBase = Omit<ModelBase, keyof OwnPrompt>

const { prompt: _, examples: __, ...options } = modelBaseOptions

const talkBaseOptions: OptionDescriptions<TalkBase> = options

/**
 * `needed` names required options besides the model.
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

/** Describes a judge whose options are those of every judge that asks a model about conversations, and `rules`. */
export function describeTalkJudge<Options extends TalkBase>(
  factory: (options: Options) => Judge,
  passes: string,
  rules: OptionDescriptions = {},
  needed: readonly (keyof Options & string)[] = [],
): void {
  describeModelJudge<Options>(factory, passes, rules, needed, talkBaseOptions)
}

interface AskedValue<Value> extends Spent {
  readonly value: Value
  readonly notices?: readonly string[]
}

/**
 * Asks again while the answer cannot be read.
 *
 * @param read creates the reader of an answer, which passes on the value it finds
 * @throws the errors of the model, and `response-invalid` for an answer that cannot be read
 */
export async function asked<Value>(
  base: TalkBase & { readonly name: string },
  prompt: RenderedPrompt,
  { read, schema }: AnswerForm<Value>,
  signal: AbortSignal,
): Promise<AskedValue<Value>> {
  let found: { readonly value: Value } | undefined
  const question = {
    prompt,
    options: { responseSchema: schema },
    read: json(schemaOf(read), (value) => {
      found = { value }
      return pass('the answer was read')
    }),
  }
  const calls = await modelCalls(base).askUntilRead(question, judgmentContext({ signal }))
  const answers = calls.asked.flatMap(({ answer }) => {
    if (!answer.ok) throw answer.thrown
    return [answer.response]
  })
  if (calls.read?.judgment.status !== 'pass' || found === undefined) {
    const reason = calls.read?.judgment.reasoning ?? 'there is no answer'
    throw new JuristError('response-invalid', `${base.name}: the model's answer cannot be read: ${reason}.`, { reason })
  }
  const notices = answers.flatMap(({ metadata }) => noticesIn(metadata))
  return { value: found.value, ...(notices.length === 0 ? {} : { notices }), ...totalSpent(answers) }
}
