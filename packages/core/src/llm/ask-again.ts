import type { JudgmentContext } from '../context.js'
import { freeze } from '../freeze.js'
import { abortedError } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import type { OptionRule } from '../options.js'
import { option } from '../options.js'
import type { ModelMessage } from './model.js'
import type { RenderedPrompt } from './prompt.js'

/** How often a ready-made judge asks again by default. */
export const defaultAskAgain = 1
const mostTimes = 10

/** What `askAgain` may be. */
export const askAgainRule: OptionRule = {
  wants: `a whole number from 0 to ${mostTimes}`,
  holds: (value) => option.integer(0).holds(value) && (value as number) <= mostTimes,
}

/** Whether a judgment says that an answer could not be read. */
export function isUnread({ status, metadata }: Judgment): boolean {
  return status === 'abstain' && typeof metadata['unread'] === 'string'
}

/**
 * The prompt once more, after `times` answers to it that could not be read, with a reminder of the form at its end. Since
 * the words differ it has another `requestKey`: no cache and no cassette gives the answer that could not be read.
 */
export function promptAgain(prompt: RenderedPrompt, times: number): RenderedPrompt {
  const reminder =
    `${times === 1 ? 'An earlier answer' : `${times} earlier answers`} to this could not be read. ` +
    'Keep exactly to the form that is asked for; quote nothing, and write nothing after the last line of it.'
  const last = prompt.messages.at(-1)
  const more: ModelMessage = { role: 'user', content: reminder }
  const messages =
    last?.role === 'user'
      ? [...prompt.messages.slice(0, -1), { ...last, content: `${last.content}\n\n${reminder}` }]
      : [...prompt.messages, more]
  return { ...prompt, messages }
}

/** The value; `undefined` when a further call fails, for then the answer that is there stays what it is. An abort rejects. */
export async function orNothing<Value>(value: Promise<Value>, { signal }: JudgmentContext): Promise<Value | undefined> {
  try {
    return await value
  } catch {
    if (signal.aborted) throw abortedError(signal)
    return undefined
  }
}

/** The judgment with the metadata `askedAgain`, when the model was. */
export function toldAgain(judgment: Judgment, askedAgain: number): Judgment {
  if (askedAgain === 0) return judgment
  return assemble(judgment, { ...judgment, metadata: freeze({ ...judgment.metadata, askedAgain }) })
}
