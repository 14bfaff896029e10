import { createHash, timingSafeEqual } from 'node:crypto'

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Only the page's own files may run, style or load anything. Text can never become markup or code. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Each response has the security headers. */
export const respond = {
  json(value: unknown): Response {
    return new Response(JSON.stringify(value), { headers: { ...securityHeaders, 'content-type': 'application/json' } })
  },
  file(body: Uint8Array<ArrayBuffer>, type: string): Response {
    return new Response(body, { headers: { ...securityHeaders, 'content-type': type } })
  },
  download(html: string, name: string): Response {
    return new Response(html, {
      headers: {
        ...securityHeaders,
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      },
    })
  },
  refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
    const body = JSON.stringify({ error: { message } })
    return new Response(body, {
      status,
      headers: { ...securityHeaders, 'content-type': 'application/json', ...headers },
    })
  },
} as const

/**
 * Refuses what the page itself never sends: methods that change something (405), and requests for another host or from
 * another page (403).
 *
 * @returns the refusal, or `undefined` for a request that may be answered
 */
export function refusalOf(request: Request, hosts: readonly string[]): Response | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return respond.refusal(405, 'This page is read-only. Use GET or HEAD.', { allow: 'GET, HEAD' })
  return otherSiteRefusal(request, hosts)
}

/**
 * Refuses requests for another host or from another page (403). A host name that an attacker points at this machine
 * (DNS rebinding) is another host.
 */
export function otherSiteRefusal(request: Request, hosts: readonly string[]): Response | undefined {
  const host = request.headers.get('host') ?? new URL(request.url).host
  if (!isAllowed(host, hosts))
    return respond.refusal(403, 'This host is not served. Open the address that jurist view printed.')
  const origin = request.headers.get('origin')
  if (origin !== null && hostOfOrigin(origin) !== host.toLowerCase())
    return respond.refusal(403, 'Other pages may not read this one.')
  return undefined
}

/** Whether a request has the token. Without a token, every request is trusted. */
export function isTrusted(request: Request, token: string | undefined): boolean {
  return token === undefined || isSecret(request.headers.get('x-jurist-token'), token)
}

/** Compares a string with a secret in constant time, so that timing reveals nothing about the secret. */
export function isSecret(given: string | null, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(secret))
}

/** `host` may include a port. */
function isAllowed(host: string, hosts: readonly string[]): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[^:[\]@/\\?#]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
  return name !== undefined && [...loopback, ...hosts].includes(name)
}

function hostOfOrigin(origin: string): string | undefined {
  try {
    const { protocol, host } = new URL(origin)
    return protocol === 'http:' || protocol === 'https:' ? host : undefined
  } catch {
    return undefined
  }
}

/** Decodes the segments of a path below a prefix; `undefined` for other paths and for malformed encodings. */
export function segmentsBelow(prefix: string, pathname: string): readonly string[] | undefined {
  if (!pathname.startsWith(prefix)) return undefined
  try {
    return pathname.slice(prefix.length).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** A label with a long note is a few kilobytes, and nothing else that is sent is longer. */
const maxBytes = 32 * 1024

/**
 * Reads the JSON of a request that writes. Refuses other methods than POST (405), requests without an origin (403),
 * other types (415), larger bodies (413) and malformed JSON (400).
 */
export async function writtenJson(request: Request): Promise<{ readonly value: unknown } | Response> {
  const { method, headers } = request
  if (method !== 'POST') return respond.refusal(405, 'Use POST.', { allow: 'POST' })
  // A browser always sends it with POST.
  if (headers.get('origin') === null) return respond.refusal(403, 'A request that writes needs its origin.')
  if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    return respond.refusal(415, 'Send application/json.')
  const text = await bodyText(request)
  if (text === undefined) return respond.refusal(413, `Send at most ${maxBytes} bytes.`)
  try {
    return { value: JSON.parse(text) }
  } catch {
    return respond.refusal(400, 'This is not JSON.')
  }
}

/** Returns `undefined` for a body that is too large, without reading the rest. */
async function bodyText({ body, headers }: Request): Promise<string | undefined> {
  if (Number(headers.get('content-length')) > maxBytes) return undefined
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
