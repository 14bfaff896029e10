import { JuristError } from '@jurist/core'
import { definedParts } from '../context/outcome.js'
import type { Backoff, HttpModelOptions } from './http-options.js'
import { isHeaderValue, routeOf } from './http-options.js'
import type { Endpoint } from './post.js'

const defaultTimeoutMs = 120_000
const defaultMaxBytes = 8_388_608
const defaultBackoff: Backoff = { attempts: 3, baseMs: 500, maxMs: 30_000 }

/** What a protocol adds to the options of its model. */
export interface Protocol {
  /** The factory, for messages. */
  readonly name: string
  readonly baseUrl: string
  readonly route: string
  /** The headers of the protocol; the key is absent when none was given. */
  readonly headers: (key: string | undefined) => { readonly [name: string]: string }
}

/** A model's address, and how long a call may take. */
export interface HttpSettings {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
}

/**
 * The endpoint of a protocol's model.
 *
 * @throws `option-invalid` for a base that is no http address
 */
export function httpSettings(options: HttpModelOptions, protocol: Protocol): HttpSettings {
  const { apiKey, headers = {}, timeoutMs = defaultTimeoutMs, retries, maxResponseBytes = defaultMaxBytes } = options
  return {
    timeoutMs,
    endpoint: {
      url: routeOf(protocol.name, protocol.baseUrl, protocol.route),
      headers: async () =>
        merged({ 'content-type': 'application/json' }, protocol.headers(await keyOf(protocol.name, apiKey)), headers),
      backoff: { ...defaultBackoff, ...definedParts(retries ?? {}) },
      maxResponseBytes,
      // Looked up at each call, so that tests and surroundings may replace it.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    },
  }
}

async function keyOf(where: string, apiKey: HttpModelOptions['apiKey']): Promise<string | undefined> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey
  if (key === undefined || isHeaderValue(key)) return key
  throw new JuristError('option-invalid', `${where}: "apiKey" must give a text without line breaks.`, {
    option: 'apiKey',
  })
}

/** Headers merged without regard to the case of their names; later ones win. */
function merged(...all: readonly { readonly [name: string]: string }[]): { readonly [name: string]: string } {
  const entries = all.flatMap((headers) => Object.entries(headers))
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}
