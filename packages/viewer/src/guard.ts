import { createHash, timingSafeEqual } from 'node:crypto'
import { reply } from './reply.js'

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Refuses what the page itself never asks: methods that change something (405), and requests for another host or from
 * another page (403). A name that an attacker lets point at this machine (DNS rebinding) is another host.
 *
 * @returns the refusal, or `undefined` for a request that may be answered
 */
export function refusalOf(request: Request, hosts: readonly string[]): Response | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply.refusal(405, 'This page only shows. Use GET or HEAD.', { allow: 'GET, HEAD' })
  const host = request.headers.get('host') ?? new URL(request.url).host
  if (!isAllowed(host, hosts))
    return reply.refusal(403, 'This host is not served. Open the address that jurist view printed.')
  const origin = request.headers.get('origin')
  if (origin !== null && hostOfOrigin(origin) !== host.toLowerCase())
    return reply.refusal(403, 'Other pages may not read this one.')
  return undefined
}

/** Whether a request shows the token; any does where none is asked for. */
export function isTrusted(request: Request, token: string | undefined): boolean {
  if (token === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(request.headers.get('x-jurist-token') ?? ''), digest(token))
}

/** `host` with or without a port. */
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
