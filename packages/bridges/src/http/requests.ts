import { JuristError } from '@jurist/core'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { deadline, withinGrace } from '../run/deadline.js'
import { formsOf, textWithoutSecrets } from '../run/secrets.js'
import { abortedProblem, connectionProblem, httpProblem, responseProblem, timeoutProblem } from './model-errors.js'

/** How often a request is sent, and how long the pauses between are. */
export interface Backoff {
  /** Attempts in all, the first included. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
}

/** One request as it goes out. */
interface Exchange {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
}

/** What came back. */
interface Reply {
  readonly status: number
  readonly text: string
  readonly retryAfterMs?: number
}

/**
 * One request and its whole answer. Redirects are not followed: the key must not travel.
 *
 * @throws `model-connection` when nobody answers or the answer breaks off, `model-response` when it is too long, the
 * signal's reason as soon as it fires
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
  return { status, text, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** The text of an answer; `undefined` when it is longer than allowed, and the rest is not read. */
async function textOf(response: Response, maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  // Of a `fetch` that was handed in, nobody knows whether it heard the signal.
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

/** The code of a connection that failed, which the `fetch` of Node keeps as the cause. Messages may hold headers. */
function codeIn(thrown: unknown): string {
  const errors = [thrown, (thrown as { readonly cause?: unknown } | null)?.cause]
  const codes = errors.map((error) => (error as { readonly code?: unknown } | null | undefined)?.code)
  return codes.find((code) => typeof code === 'string') ?? 'the connection failed'
}

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
