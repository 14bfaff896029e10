import type { Json } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { parseOrUndefined } from '@jurist/kit/json'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { withoutKeysIn } from '../keys-in-json.js'

/** Sends JSON to a service and returns the answer. Strings that look like a key become `***`. */
export type PostJson = (path: string, body: Json) => Promise<Json>

/** The answer to a request that the service refused. */
export const notTaken: Json = Object.freeze({})

export interface Service {
  /** For example `langfuse`. */
  readonly name: string
  readonly base: URL
  readonly headers: { readonly [name: string]: string }
  /** Strings that no message may contain. */
  readonly secrets: readonly string[]
  /** Statuses which mean that the object exists already. */
  readonly exists?: readonly number[]
  /** Advice for error messages: on the keys, as a sentence without its end, and the variable with the address. */
  readonly advice: { readonly key: string; readonly address: string }
  readonly signal: AbortSignal
}

const attempts = 5
const timeoutMs = 30_000
const maxAnswer = 10_000_000
const policy = { baseMs: 500, maxMs: 20_000 }
/** The longest pause that a service may request. */
const maxPauseMs = 60_000

/** Statuses that refuse a single request; the service may accept others. */
const refusals: readonly number[] = [400, 413, 422]

/**
 * Posts JSON. Retries up to 5 times after a broken connection, 408, 425, 429 and 5xx. Does not follow redirects, which
 * could leak the key.
 *
 * @param refused called if the service refuses a request as such (400, 413, 422); the answer is `notTaken`
 * @throws `usage-invalid` with the status, the beginning of the answer and what to do, never with a key
 */
export function postJson(service: Service, refused: (what: string) => void): PostJson {
  const { name, base, secrets, exists = [], signal } = service
  const hidden = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
  let taken = 0
  return async (path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await send(service, path, body)
      const { status, retryAfterMs = 0 } = reply
      const isTaken = status >= 200 && status < 300
      const answer = isTaken && reply.text !== '' ? parseOrUndefined(reply.text) : null
      if ((isTaken || exists.includes(status)) && answer !== undefined) {
        taken += 1
        return answer as Json
      }
      const answered = status === 0 ? 'did not answer' : `answered ${status}${isTaken ? ' without JSON' : ''}`
      const said = `${answered} to POST ${base.host}${path}: ${hidden(reply.text).slice(0, 500)}`
      if (refusals.includes(status)) {
        refused(said)
        return notTaken
      }
      if (!isRetryable(status) || attempt >= attempts || retryAfterMs > maxPauseMs) {
        const before = taken === 0 ? 'Nothing was accepted before.' : `${taken} requests were accepted before.`
        throw usageInvalid('--to', `${name} ${said}\n${adviceOf(service, reply)} ${before}`)
      }
      await pause(retryPauseMs(attempt, policy, reply.retryAfterMs), signal)
    }
  }
}

function adviceOf({ advice, base }: Service, { status, retryAfterMs = 0 }: Reply): string {
  const address = `${advice.address} (now ${base.host})`
  if (status === 401 || status === 403) return `${advice.key}, and that ${address} is where the keys were made.`
  if (status !== 0 && !isRetryable(status)) return `Check ${address}.`
  const later = retryAfterMs > maxPauseMs ? ` in ${Math.ceil(retryAfterMs / 1000)} s` : ' later'
  const reachable = status === 0 ? `Check ${address}, or run` : 'Run'
  return `${reachable} the command again${later}: what was sent is not sent twice.`
}

function isRetryable(status: number): boolean {
  return status === 0 || (status !== 409 && isRetryableStatus(status))
}

interface Reply {
  /** 0 if there was no answer. */
  readonly status: number
  readonly text: string
  readonly retryAfterMs?: number | undefined
}

async function send({ base, headers, signal }: Service, path: string, body: Json): Promise<Reply> {
  const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(withoutKeysIn(body, () => undefined)),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const text = (await response.text()).slice(0, maxAnswer)
    return { status: response.status, text, retryAfterMs: retryAfterMsIn((name) => response.headers.get(name)) }
  } catch (thrown) {
    signal.throwIfAborted()
    return { status: 0, text: failureOf(thrown).message }
  }
}
