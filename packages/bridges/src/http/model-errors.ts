import { JuristError } from '@jurist/core'
import '../errors.js'
import { isInfrastructureStatus } from '../run/classify-error.js'

/** What an HTTP error of a model carries beside its code, for whoever retries. */
export interface HttpFacts {
  readonly status: number
  readonly retryAfterMs?: number | undefined
}

/** `model-http`, with numeric `status` and `retryAfterMs` and with `infrastructure`. */
export function httpProblem(message: string, { status, retryAfterMs }: HttpFacts): JuristError<'model-http'> {
  return Object.assign(new JuristError('model-http', message, { status }), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    infrastructure: isInfrastructureStatus(status),
  })
}

/** `model-connection`: nobody answered, or the answer broke off. */
export function connectionProblem(host: string, reason: string): JuristError<'model-connection'> {
  const message = `${host} did not answer (${reason}). See whether the server runs and whether "baseUrl" is right.`
  return Object.assign(new JuristError('model-connection', message, { host }), { infrastructure: true })
}

/** `model-response`: an answer that is none of the protocol. */
export function responseProblem(reason: string): JuristError<'model-response'> {
  return Object.assign(new JuristError('model-response', `The model's answer cannot be used: ${reason}.`, { reason }), {
    infrastructure: true,
  })
}

/** `model-refused`: the model would not answer. */
export function refusedProblem(reason: string): JuristError<'model-refused'> {
  return new JuristError('model-refused', `The model refused to answer: ${reason}.`, { reason })
}

/** `model-timeout`: the time for all attempts is over. */
export function timeoutProblem(timeoutMs: number): JuristError<'model-timeout'> {
  return new JuristError(
    'model-timeout',
    `The model did not answer within ${timeoutMs} ms. Give it more time with "timeoutMs".`,
    { timeoutMs },
  )
}

/** `aborted`: the caller does not want the answer any more. */
export function abortedProblem(signal: AbortSignal): JuristError<'aborted'> {
  const reason = signal.reason instanceof Error ? signal.reason.message : String(signal.reason)
  return new JuristError(
    'aborted',
    `The request to the model was stopped: ${reason}.`,
    { reason },
    { cause: signal.reason },
  )
}
