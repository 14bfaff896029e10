import { abortedError, untilAborted } from '../../judge.js'
import type { JudgeModelRequest, JudgeModelResponse } from '../model.js'

/** An answer, and whether somebody else has paid for it already. */
export interface SharedAnswer {
  readonly hit: boolean
  readonly response: JudgeModelResponse
}

/** Answers one request that stands for all that are equal to it. */
export type AnswerOnce = (request: JudgeModelRequest, key: string) => Promise<SharedAnswer>

interface Call {
  readonly answer: Promise<SharedAnswer>
  readonly abort: AbortController
  waiting: number
  /** Whether somebody has got the answer as the one who paid. */
  paid: boolean
}

/**
 * Lets equal requests in flight share one call, which continues as long as one of them waits. The first who gets the answer
 * has paid for it; for the others it is a hit, so that no cost is counted twice.
 */
export function sharedCalls(
  answerOnce: AnswerOnce,
): (request: JudgeModelRequest, keyOf: (request: JudgeModelRequest) => Promise<string>) => Promise<SharedAnswer> {
  const calls = new Map<string, Call>()

  function begin(request: JudgeModelRequest, key: string): Call {
    const abort = new AbortController()
    const answer = answerOnce({ ...request, signal: abort.signal }, key).finally(() => forget(key, call))
    const call: Call = { answer, abort, waiting: 0, paid: false }
    calls.set(key, call)
    return call
  }

  function forget(key: string, call: Call): void {
    if (calls.get(key) === call) calls.delete(key)
  }

  return async function share(request, keyOf) {
    const { signal } = request
    if (signal.aborted) throw abortedError(signal)
    const key = await untilAborted(keyOf(request), request.signal)
    const call = calls.get(key) ?? begin(request, key)
    call.waiting += 1
    try {
      const { hit, response } = await untilAborted(call.answer, request.signal)
      const first = !call.paid
      call.paid = true
      return { hit: hit || !first, response }
    } finally {
      call.waiting -= 1
      if (call.waiting === 0) {
        // Whoever comes now must not join a call that is being given up.
        if (calls.get(key) === call) call.abort.abort(signal.reason)
        forget(key, call)
      }
    }
  }
}
