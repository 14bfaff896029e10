import { JuristError } from '@jurist/core'
import '../errors.js'
import { isInfrastructureStatus } from '../run/classify-error.js'

/** The properties of an HTTP error that retries depend on. */
export interface HttpFacts {
  readonly status: number
  readonly retryAfterMs?: number | undefined
}

/** Sets `infrastructure` and numeric `status` and `retryAfterMs`. */
export function httpProblem(message: string, { status, retryAfterMs }: HttpFacts): JuristError<'model-http'> {
  return Object.assign(new JuristError('model-http', message, { status }), {
    status,
    retryAfterMs,
    infrastructure: isInfrastructureStatus(status),
  })
}

/** There was no response, or the connection broke. */
export function connectionProblem(host: string, reason: string): JuristError<'model-connection'> {
  const message = `${host} did not answer (${reason}). Check that the server runs and that "baseUrl" is right.`
  return Object.assign(new JuristError('model-connection', message, { host }), { infrastructure: true })
}

/** For a response that does not follow the protocol. */
export function responseProblem(reason: string): JuristError<'model-response'> {
  return Object.assign(
    new JuristError('model-response', `The model sent an invalid response: ${reason}.`, { reason }),
    { infrastructure: true },
  )
}

export function refusedProblem(reason: string): JuristError<'model-refused'> {
  return new JuristError('model-refused', `The model refused to answer: ${reason}.`, { reason })
}

export function timeoutProblem(timeoutMs: number): JuristError<'model-timeout'> {
  return new JuristError(
    'model-timeout',
    `The model did not answer within ${timeoutMs} ms. Allow more time with "timeoutMs".`,
    { timeoutMs },
  )
}

export function abortedProblem(signal: AbortSignal): JuristError<'aborted'> {
  const reason = signal.reason instanceof Error ? signal.reason.message : String(signal.reason)
  return new JuristError(
    'aborted',
    `The request to the model was stopped: ${reason}.`,
    { reason },
    { cause: signal.reason },
  )
}
