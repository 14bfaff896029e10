import { JuristError } from '../errors.js'
import { abortedError, untilAborted } from '../judge.js'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse } from '../llm/model.js'

/** One answer of a scripted model: a string, a whole response, an error to throw, or a function that answers. */
export type ScriptedReply =
  | string
  | JudgeModelResponse
  | Error
  | ((request: JudgeModelRequest) => string | JudgeModelResponse | Promise<string | JudgeModelResponse>)

/** A model that answers from a script and records its requests. */
export interface ScriptedModel extends JudgeModel {
  /** Every request in order, including failed ones. */
  readonly requests: readonly JudgeModelRequest[]
}

/**
 * Creates a model for tests. Replies are used in the order of the calls; a function at the end answers all further
 * calls. A call whose signal has fired rejects with `aborted` and uses up no reply.
 *
 * @throws `script-exhausted`, when called more often than there are replies
 *
 * @example
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * scriptedModel('Answer: YES', new Error('overloaded'))
 */
export function scriptedModel(...replies: readonly ScriptedReply[]): ScriptedModel {
  const requests: JudgeModelRequest[] = []
  let used = 0
  const model = async function scriptedModel(request: JudgeModelRequest): Promise<JudgeModelResponse> {
    requests.push(request)
    if (request.signal.aborted) throw abortedError(request.signal)
    const reply = replies[used] ?? lastFunction(replies)
    if (reply === undefined) throw exhausted(replies.length)
    used += 1
    if (reply instanceof Error) throw reply
    return responseOf(typeof reply === 'function' ? await untilAborted(reply(request), request.signal) : reply)
  }
  return Object.defineProperty(model, 'requests', { value: requests }) as typeof model & ScriptedModel
}

function lastFunction(replies: readonly ScriptedReply[]): ScriptedReply | undefined {
  const last = replies.at(-1)
  return typeof last === 'function' ? last : undefined
}

function responseOf(reply: string | JudgeModelResponse): JudgeModelResponse {
  return typeof reply === 'string' ? Object.freeze({ text: reply }) : reply
}

function exhausted(calls: number): JuristError<'script-exhausted'> {
  return new JuristError(
    'script-exhausted',
    `scriptedModel was called more often than its ${calls} replies. Give it more; a function as the last one repeats.`,
    { calls },
  )
}
