import { JuristError } from '@jurist/core'
import '../errors.js'
import { isInfrastructureStatus } from '../run/classify-error.js'

/** The properties of an HTTP error of a model that retries depend on. */
export interface HttpFacts {
  readonly status: number
  readonly retryAfterMs?: number | undefined
}

/** `model-http`, with numeric `status` and `retryAfterMs` and with `infrastructure`. */
export function httpProblem(message: string, { status, retryAfterMs }: HttpFacts): JuristError<'model-http'> {
  return Object.assign(new JuristError('model-http', message, { status }), {
    status,
    retryAfterMs,
    infrastructure: isInfrastructureStatus(status),
  })
}

/** `model-connection`: there was no response, or the connection broke. */
export function connectionProblem(host: string, reason: string): JuristError<'model-connection'> {
  const message = `${host} did not answer (${reason}). Check that the server runs and that "baseUrl" is right.`
  return Object.assign(new JuristError('model-connection', message, { host }), { infrastructure: true })
}

/** `model-response`: a response that does not follow the protocol. */
export function responseProblem(reason: string): JuristError<'model-response'> {
  return Object.assign(
    new JuristError('model-response', `The model sent an invalid response: ${reason}.`, { reason }),
    { infrastructure: true },
  )
}

/** `model-refused`: the model refused to answer. */
export function refusedProblem(reason: string): JuristError<'model-refused'> {
  return new JuristError('model-refused', `The model refused to answer: ${reason}.`, { reason })
}

/** `model-timeout`: the time limit of all attempts has passed. */
export function timeoutProblem(timeoutMs: number): JuristError<'model-timeout'> {
  return new JuristError(
    'model-timeout',
    `The model did not answer within ${timeoutMs} ms. Allow more time with "timeoutMs".`,
    { timeoutMs },
  )
}

/** `aborted`: the caller's signal fired. */
export function abortedProblem(signal: AbortSignal): JuristError<'aborted'> {
  const reason = signal.reason instanceof Error ? signal.reason.message : String(signal.reason)
  return new JuristError(
    'aborted',
    `The request to the model was stopped: ${reason}.`,
    { reason },
    { cause: signal.reason },
  )
}
