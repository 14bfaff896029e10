import { JuristError } from '@jurist/core'
import { isRetryableStatus, pause, retryPauseMs } from '@jurist/kit/retry-pause'
import { deadline, withinGrace } from '../run/deadline.js'
import { formsOf, textWithoutSecrets } from '../run/secrets.js'
import type { Exchange, Reply } from './exchange.js'
import { exchange } from './exchange.js'
import type { Backoff } from './http-options.js'
import { abortedProblem, httpProblem, responseProblem, timeoutProblem } from './model-problem.js'

/** Where a protocol's requests go, and how patiently. */
export interface Endpoint extends Omit<Exchange, 'body' | 'headers'> {
  /** Asked before each attempt, so that a key may be renewed. */
  readonly headers: () => Promise<{ readonly [name: string]: string }>
  readonly backoff: Backoff
}

/** The time of one call, over all its requests. */
export interface Clock {
  /** Fires with the caller's signal and when the time is over. */
  readonly signal: AbortSignal
  /** What `performance.now()` will be when the time is over. */
  readonly endsAt: number
  /** Requests sent so far. */
  attempts: number
}

/** A reply of the server that is no error of the connection. */
export interface Posted extends Reply {
  /** The path, without the query. */
  readonly path: string
  /** The text with the key and the values of headers blanked. */
  readonly shown: string
  /** What must not be told: the key, and the values of headers. */
  readonly secrets: readonly string[]
}

/**
 * Runs one call under one clock, and names its end: `model-timeout` when the time is over, `aborted` when the caller's
 * signal fired.
 */
export async function withClock<Value>(
  caller: AbortSignal,
  timeoutMs: number,
  call: (clock: Clock) => Promise<Value>,
): Promise<Value> {
  const { signal, end } = deadline(caller, timeoutMs)
  try {
    return await call({ signal, endsAt: performance.now() + timeoutMs, attempts: 0 })
  } catch (thrown) {
    if (caller.aborted) throw abortedProblem(caller)
    if (signal.aborted) throw timeoutProblem(timeoutMs)
    throw thrown
  } finally {
    end()
  }
}

/**
 * Sends one body, again while the failure may pass: statuses 408, 409, 425, 429 and from 500, a connection that fails or
 * breaks off. A wait that would pass the end of the clock is not begun.
 *
 * @returns the last reply, whatever its status
 * @throws `model-connection`, `model-response`, or the clock's reason
 */
export async function post(endpoint: Endpoint, body: object, clock: Clock): Promise<Posted> {
  for (let attempt = 1; ; attempt += 1) {
    const { posted, thrown } = await attemptOf(endpoint, body, clock)
    const again = posted === undefined ? JuristError.is(thrown, 'model-connection') : isRetryableStatus(posted.status)
    const waitMs = retryPauseMs(attempt, endpoint.backoff, posted?.retryAfterMs)
    const over = !again || attempt >= endpoint.backoff.attempts || performance.now() + waitMs >= clock.endsAt
    if (over && posted !== undefined) return posted
    if (over) throw thrown
    await pause(waitMs, clock.signal)
  }
}

async function attemptOf(
  endpoint: Endpoint,
  body: object,
  clock: Clock,
): Promise<{ readonly posted?: Posted; readonly thrown?: unknown }> {
  try {
    const headers = await withinGrace(endpoint.headers(), clock.signal, 0)
    clock.attempts += 1
    const reply = await exchange({ ...endpoint, headers, body: JSON.stringify(body) }, clock.signal)
    const secrets = formsOf(
      Object.entries(headers).flatMap(([name, value]) => (isPublic(name) ? [] : secretsOf(value))),
    )
    const shown = textWithoutSecrets(reply.text, secrets)
    return { posted: { ...reply, path: endpoint.url.pathname, shown, secrets } }
  } catch (thrown) {
    return { thrown }
  }
}

const publicHeaders: ReadonlySet<string> = new Set(['content-type', 'accept', 'anthropic-version'])
const shortestSecret = 4

function isPublic(name: string): boolean {
  return publicHeaders.has(name.toLowerCase())
}

/** A header's value and, of `Bearer <key>`, the key. */
function secretsOf(value: string): readonly string[] {
  return [value, value.replace(/^\S+\s+/, '')].filter((secret) => secret.length >= shortestSecret)
}

const shownCharacters = 500

/** The error of a reply that is no success: status, path and the beginning of the body, without the key. */
function problemOf({ status, path, shown, retryAfterMs }: Posted): JuristError<'model-http'> {
  const redirected =
    status >= 300 && status < 400 ? ' Redirects are not followed: name the last address as "baseUrl".' : ''
  const body = shown === '' ? 'nothing' : shown.slice(0, shownCharacters)
  return httpProblem(`POST ${path} was answered with status ${status}: ${body}.${redirected}`, { status, retryAfterMs })
}

/**
 * The JSON of a successful reply.
 *
 * @throws `model-http` for any other status, `model-response` for what is no JSON
 */
export function jsonOf(posted: Posted): unknown {
  if (posted.status < 200 || posted.status >= 300) throw problemOf(posted)
  try {
    return JSON.parse(posted.text)
  } catch {
    throw responseProblem('it is not JSON')
  }
}

/** What to say of an error that came under a status of success. */
export function errorText({ shown }: Posted): string {
  return `the server reported an error under status 200: ${shown.slice(0, shownCharacters)}`
}
