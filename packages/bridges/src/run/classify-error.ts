import type { ExecutionStatus, Failure, Invocation } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { isObject, propertyOf } from '../context/safe-reader.js'
import { withoutKeys } from './secrets.js'

export interface ThrownOutcome {
  /** The status of the context. */
  readonly status: Exclude<ExecutionStatus, 'success' | 'unknown'>
  /** The status of the invocation. */
  readonly invocation: Exclude<Invocation['status'], 'completed'>
  readonly failure: Failure
}

/**
 * Uses the names, codes and HTTP statuses of the error and its causes, never its message.
 *
 * @param thrown what a run threw
 * @param signal the run's signal. If it has fired, it alone decides: `timeout` for a reason named `TimeoutError`,
 * otherwise `cancelled`
 */
export function thrownOutcome(thrown: unknown, signal?: AbortSignal): ThrownOutcome {
  const { infrastructure: _, ...described } = failureOf(thrown)
  const failure = { ...described, message: withoutKeys(described.message) }
  if (signal?.aborted === true) {
    const status = nameOf(signal.reason) === 'TimeoutError' ? 'timeout' : 'cancelled'
    return { status, invocation: status, failure: Object.freeze(failure) }
  }
  const chain = causesOf(thrown)
  if (chain.some(isTimeout)) return { status: 'timeout', invocation: 'timeout', failure: Object.freeze(failure) }
  if (chain.some(isRefusal)) return { status: 'refused', invocation: 'refused', failure: Object.freeze(failure) }
  const http = chain.map(httpStatusOf).find((status) => status !== undefined)
  const infrastructure = http === undefined ? chain.some(isConnection) : isInfrastructureStatus(http)
  const code = http === undefined ? {} : { code: `http-${http}` }
  return { status: 'failed', invocation: 'error', failure: Object.freeze({ ...failure, ...code, infrastructure }) }
}

/** Authentication, payment, rate limit, server error. */
export function isInfrastructureStatus(status: number): boolean {
  return status >= 500 || infrastructureStatuses.has(status)
}

const infrastructureStatuses: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 425, 429])
const maxCauses = 8

/** Clients that retry keep the last error in `lastError`. */
function causesOf(thrown: unknown): readonly object[] {
  const chain: object[] = []
  let current = thrown
  while (isObject(current) && !chain.includes(current) && chain.length < maxCauses) {
    chain.push(current)
    current = propertyOf(current, 'cause') ?? propertyOf(current, 'lastError')
  }
  return chain
}

/** Or else the name of its class. */
export function nameOf(thrown: unknown): string | undefined {
  if (!isObject(thrown)) return undefined
  const name = propertyOf(thrown, 'name')
  if (typeof name === 'string' && name !== 'Error') return name
  const own = propertyOf(propertyOf(thrown, 'constructor') as object, 'name')
  return typeof own === 'string' ? own : undefined
}

function codeOf(thrown: object): string {
  const code = propertyOf(thrown, 'code')
  return typeof code === 'string' ? code : ''
}

export function httpStatusOf(thrown: object): number | undefined {
  const statuses = [propertyOf(thrown, 'status'), propertyOf(thrown, 'statusCode')]
  return statuses.find((status): status is number => Number.isInteger(status) && Number(status) >= 400)
}

const timeoutNames: ReadonlySet<string | undefined> = new Set([
  'TimeoutError',
  'ModelTimeoutError',
  'APIConnectionTimeoutError',
])

function isTimeout(thrown: object): boolean {
  const code = codeOf(thrown)
  return (
    timeoutNames.has(nameOf(thrown)) ||
    code === 'ETIMEDOUT' ||
    code === 'model-timeout' ||
    /^UND_ERR_\w+_TIMEOUT$/.test(code)
  )
}

function isRefusal(thrown: object): boolean {
  const name = nameOf(thrown) ?? ''
  return (
    name === 'ModelRefusalError' || name.endsWith('GuardrailTripwireTriggered') || codeOf(thrown) === 'model-refused'
  )
}

const connectionCodes =
  /^(E(CONN|NET|HOST)[A-Z]+|ENOTFOUND|EAI_\w+|EPIPE|EPROTO|UND_ERR_\w+|ERR_(TLS|SSL)_\w+|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(VERIFY|GET|DECODE|DECRYPT)_\w+|HPE_\w+)$/
const brokenCodes: ReadonlySet<string> = new Set(['model-connection', 'model-response', 'agent-start'])

/** Also looks at the causes of the error. */
export function isConnectionFailure(thrown: unknown): boolean {
  return causesOf(thrown).some(isConnection)
}

function isConnection(thrown: object): boolean {
  const code = codeOf(thrown)
  return nameOf(thrown) === 'APIConnectionError' || brokenCodes.has(code) || connectionCodes.test(code)
}
