import { retryAfterMsIn } from '@jurist/kit/retry-pause'
import { withinGrace } from '../run/deadline.js'
import { connectionProblem, responseProblem } from './model-problem.js'

/** One request as it goes out. */
export interface Exchange {
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly maxResponseBytes: number
  readonly fetch: typeof fetch
}

/** What came back. */
export interface Reply {
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
export async function exchange(request: Exchange, signal: AbortSignal): Promise<Reply> {
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
