/** Everything is allowed that the page's own files are, and nothing else; text can never become markup or code. */
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

const safety: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Responses, each with the headers of safety. */
export const reply = {
  /** A JSON document. */
  json(value: unknown): Response {
    return new Response(JSON.stringify(value), { headers: { ...safety, 'content-type': 'application/json' } })
  },
  /** A file of the page. */
  file(body: Uint8Array<ArrayBuffer>, type: string): Response {
    return new Response(body, { headers: { ...safety, 'content-type': type } })
  },
  /** An error: why, as JSON. */
  refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
    const body = JSON.stringify({ error: { message } })
    return new Response(body, { status, headers: { ...safety, 'content-type': 'application/json', ...headers } })
  },
} as const
