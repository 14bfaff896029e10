import { JuristError } from '@jurist/core'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { deadline, withinGrace } from '../run/deadline.js'
import { formsOf, textWithoutSecrets } from '../run/secrets.js'
import { abortedProblem, connectionProblem, httpProblem, responseProblem, timeoutProblem } from './model-errors.js'

export interface Backoff {
  /** Includes the first attempt. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
}

interface Exchange {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
}

interface Reply {
  readonly status: number
  readonly text: string
  readonly retryAfterMs?: number
}

/**
 * Does not follow redirects, which could leak the key.
 *
 * @throws `model-connection` if there is no response or the connection breaks, `model-response` if the response is too
 * long, the signal's reason as soon as it fires
 */
async function exchange(request: Exchange, signal: AbortSignal): Promise<Reply> {
  signal.throwIfAborted()
  try {
    return await withinGrace(send(request, signal), signal, 0)
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw thrown
  }
}

async function send({ url, headers, body, maxResponseBytes, fetch }: Exchange, signal: AbortSignal): Promise<Reply> {
  const connected = <Value>(value: Promise<Value>): Promise<Value> =>
    value.catch((thrown: unknown) => {
      throw connectionProblem(url.host, codeIn(thrown))
    })
  const response = await connected(fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }))
  const { status, type } = response
  if (type === 'opaqueredirect') return { status: 302, text: '' }
  const retryAfterMs = retryAfterMsIn((name) => response.headers.get(name))
  const text = await connected(textOf(response, maxResponseBytes, signal))
  if (text === undefined) throw responseProblem(`it has more than ${maxResponseBytes} bytes`)
  return { status, text, retryAfterMs }
}

/** `undefined` if the body is too long; the rest is then not read. */
async function textOf(response: Response, maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  // The caller's `fetch` may ignore the signal.
  const cancel = () => {
    reader.cancel(signal.reason).catch(() => {})
  }
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await readText(reader, maxBytes)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    bytes += value?.byteLength ?? 0
    if (bytes > maxBytes) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Node's `fetch` keeps the code of a failed connection in the cause. Messages may contain headers, so they are not
 * used.
 */
function codeIn(thrown: unknown): string {
  const errors = [thrown, (thrown as { readonly cause?: unknown } | null)?.cause]
  const codes = errors.map((error) => (error as { readonly code?: unknown } | null | undefined)?.code)
  return codes.find((code) => typeof code === 'string') ?? 'the connection failed'
}

export interface Endpoint extends Omit<Exchange, 'body' | 'headers'> {
  /** Called before each attempt, so that keys can be renewed. */
  readonly headers: () => Promise<{ readonly [name: string]: string }>
  readonly backoff: Backoff
}

/** The time limit of one call covers all its requests. */
export interface Clock {
  /** Fires with the caller's signal, and when the time is over. */
  readonly signal: AbortSignal
  /** The value of `performance.now()` at which the time is over. */
  readonly endsAt: number
  attempts: number
}

/** Any status is possible. */
export interface Posted extends Reply {
  /** The path, without the query. */
  readonly path: string
  /** The body without the key and the values of headers. */
  readonly shown: string
  /** The key and the values of headers, which must not be shown. */
  readonly secrets: readonly string[]
}

/** @throws `model-timeout` when the time is over, `aborted` when the caller's signal fires */
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
 * Retries statuses 408, 409, 425, 429 and from 500, and lost connections, unless the pause would exceed the time limit.
 *
 * @returns the last response, whatever its status
 * @throws `model-connection`, `model-response`, or the reason of the clock's signal
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

/** A header's value, and the key in `Bearer <key>`. */
function secretsOf(value: string): readonly string[] {
  return [value, value.replace(/^\S+\s+/, '')].filter((secret) => secret.length >= shortestSecret)
}

const shownCharacters = 500

/** Contains status, path and the beginning of the body, without the key. */
function problemOf({ status, path, shown, retryAfterMs }: Posted): JuristError<'model-http'> {
  const redirected =
    status >= 300 && status < 400 ? ' Redirects are not followed. Pass the final address as "baseUrl".' : ''
  const body = shown === '' ? 'nothing' : shown.slice(0, shownCharacters)
  return httpProblem(`POST ${path} was answered with status ${status}: ${body}.${redirected}`, { status, retryAfterMs })
}

/** @throws `model-http` for an unsuccessful status, `model-response` if the body is not JSON */
export function jsonOf(posted: Posted): unknown {
  if (posted.status < 200 || posted.status >= 300) throw problemOf(posted)
  try {
    return JSON.parse(posted.text)
  } catch {
    throw responseProblem('it is not JSON')
  }
}

/** Some servers report an error with a successful status. */
export function errorText({ shown }: Posted): string {
  return `the server reported an error under status 200: ${shown.slice(0, shownCharacters)}`
}
