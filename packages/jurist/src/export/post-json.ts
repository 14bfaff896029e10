import type { Json } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { withoutKeysIn } from '../config/keys-in-json.js'
import { usageInvalid } from '../config/problems.js'

/** Sends JSON to a service, with `***` for what looks like a key, and returns what it answers. */
export type PostJson = (path: string, body: Json) => Promise<Json>

/** Where requests go, and how. */
export interface Service {
  /** Such as `langfuse`. */
  readonly name: string
  readonly base: URL
  readonly headers: { readonly [name: string]: string }
  /** What no message may show. */
  readonly secrets: readonly string[]
  /** Statuses that say that the object is there already. */
  readonly exists?: readonly number[]
  readonly signal: AbortSignal
}

const attempts = 5
const timeoutMs = 30_000
const maxAnswer = 10_000_000
const policy = { baseMs: 500, maxMs: 20_000 }

/**
 * Posts JSON with retries: after a connection that breaks, 408, 425, 429 and 5xx, up to 5 times. Redirects are not followed, since
 * they could leak the key.
 *
 * @throws `usage-invalid` with the status and the beginning of the answer, never with a key
 */
export function postJson(service: Service): PostJson {
  const { name, base, secrets, exists = [] } = service
  const hidden = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
  return async (path, body) => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await send(service, path, body)
      if (reply.status >= 200 && reply.status < 300) return (parseOrUndefined(reply.text) ?? null) as Json
      if (exists.includes(reply.status)) return null
      if (!isRetryable(reply.status) || attempt >= attempts) {
        const said = hidden(reply.text).slice(0, 500)
        const status = reply.status === 0 ? 'did not answer' : `answered ${reply.status}`
        throw usageInvalid('--to', `${name} ${status} to POST ${base.host}${path}: ${said}`)
      }
      await pause(retryPauseMs(attempt, policy, reply.retryAfterMs), service.signal)
    }
  }
}

function isRetryable(status: number): boolean {
  return status === 0 || (status !== 409 && isRetryableStatus(status))
}

interface Reply {
  /** 0: there was no answer. */
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
