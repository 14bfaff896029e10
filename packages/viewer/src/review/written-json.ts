import { respond } from '../http.js'

/** A label with a long note is a few kilobytes. */
const maxBytes = 32 * 1024

/**
 * The JSON of a request that writes. Other methods than POST (405), a request that does not say which page sends it (403),
 * other types (415), larger bodies (413) and what is not JSON (400) are refused.
 */
export async function writtenJson(request: Request): Promise<{ readonly value: unknown } | Response> {
  const { method, headers } = request
  if (method !== 'POST') return respond.refusal(405, 'Use POST.', { allow: 'POST' })
  // A browser always sends it with POST.
  if (headers.get('origin') === null) return respond.refusal(403, 'A request that writes needs its origin.')
  if (!/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    return respond.refusal(415, 'Send application/json.')
  const text = await bodyText(request)
  if (text === undefined) return respond.refusal(413, `A label has at most ${maxBytes} bytes.`)
  try {
    return { value: JSON.parse(text) }
  } catch {
    return respond.refusal(400, 'This is not JSON.')
  }
}

/** `undefined` for a body that is too large: no more of it is read. */
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
