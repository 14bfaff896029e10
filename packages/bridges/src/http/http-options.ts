import type { JsonObject } from '@jurist/core'
import {
  checkOptions,
  nonBlank,
  type OptionRule,
  objectOf,
  option,
  optionInvalid,
  recordOf,
} from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { definedParts } from '../context/outcome.js'
import type { Backoff, Endpoint } from './requests.js'

/** How often a failed request is sent again, and how long the pauses are. */
export interface HttpRetries {
  /** Attempts in all, the first included. Default 3. */
  readonly attempts?: number
  /** The longest pause before the second attempt in milliseconds; doubled each time. Default 500. */
  readonly baseMs?: number
  /** The longest pause in milliseconds. Default 30,000. */
  readonly maxMs?: number
}

/** The options of all models behind an HTTP protocol. */
export interface HttpModelOptions {
  /** The model's name. */
  readonly model: string
  /** The server's address, without the route. */
  readonly baseUrl?: string | undefined
  /** A key, or a function that is called before each request. Default: no key is sent. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** Added to each request; they override the headers of the protocol. */
  readonly headers?: { readonly [name: string]: string }
  /** The time limit of all attempts together, in milliseconds. Default 120,000; `timeoutMs` of a request overrides it. */
  readonly timeoutMs?: number
  /** Retries of statuses 408, 409, 425, 429 and from 500, and of lost connections. */
  readonly retries?: HttpRetries
  /** The maximum size of a response in bytes. Default 8,388,608. */
  readonly maxResponseBytes?: number
  /** Further fields of the request body; they override those of the bridge. */
  readonly body?: JsonObject
  /** Prices by model, to compute the cost of a call. */
  readonly prices?: Prices
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

export const retriesRule: OptionRule = objectOf(
  'an object with "attempts" of at least 1, "baseMs" and "maxMs" of at least 0',
  { attempts: option.integer(1), baseMs: option.nonNegative, maxMs: option.nonNegative },
  ['attempts', 'baseMs', 'maxMs'],
)

/** A key or a header must not appear in a message, so the message never includes the value. */
const keyRule: OptionRule = {
  wants: 'a string without line breaks, or a function that returns one',
  holds: (value) => typeof value === 'function' || isHeaderValue(value),
}

const headersRule = recordOf(
  'an object of header names and strings without line breaks',
  { holds: isHeaderValue },
  /^[\w!#$%&'*+.^`|~-]+$/,
)

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

type Rules<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

/** Protocols add their own rules. */
export const httpRules: Rules<HttpModelOptions> = {
  model: nonBlank,
  baseUrl: nonBlank,
  apiKey: keyRule,
  headers: headersRule,
  timeoutMs: option.positive,
  retries: retriesRule,
  maxResponseBytes: option.integer(1),
  body: option.record,
  prices: pricesRule,
  fetch: option.function,
}

/** @throws `option-invalid`; an invalid key or header is named, never shown */
export function checkHttpOptions<Options extends HttpModelOptions>(
  where: string,
  options: Options,
  rules: Rules<Options>,
): Options {
  const { apiKey, headers } = options ?? {}
  if (apiKey !== undefined && !keyRule.holds(apiKey)) refuse(where, 'apiKey', keyRule)
  if (headers !== undefined && !headersRule.holds(headers)) refuse(where, 'headers', headersRule)
  const checked = checkOptions(where, options, rules)
  if (checked.model === undefined) refuse(where, 'model', nonBlank)
  return checked
}

function refuse(where: string, name: string, { wants }: OptionRule): never {
  optionInvalid(name, `${where}: "${name}" must be ${wants}.`)
}

/**
 * Keeps the query of the base, drops a trailing `/`.
 *
 * @throws `option-invalid` unless `baseUrl` is an http address without a name and password in it
 */
export function routeOf(where: string, baseUrl: string, route: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    optionInvalid(
      'baseUrl',
      `${where}: "baseUrl" must be an address that begins with http:// or https://, without a name and password in it.`,
    )
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${route}`
  url.hash = ''
  return url
}

const defaultTimeoutMs = 120_000
const defaultMaxBytes = 8_388_608
const defaultBackoff: Backoff = { attempts: 3, baseMs: 500, maxMs: 30_000 }

/** The parts that differ between the protocols. */
export interface Protocol {
  /** For messages. */
  readonly name: string
  readonly baseUrl: string
  readonly route: string
  /** The key is `undefined` if the caller passed none. */
  readonly headers: (key: string | undefined) => { readonly [name: string]: string }
}

export interface HttpSettings {
  readonly endpoint: Endpoint
  readonly timeoutMs: number
}

/** @throws `option-invalid` for a base that is not an http address */
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
      // Looked up at each call, so that tests can replace it.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    },
  }
}

async function keyOf(where: string, apiKey: HttpModelOptions['apiKey']): Promise<string | undefined> {
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey
  if (key === undefined || isHeaderValue(key)) return key
  optionInvalid('apiKey', `${where}: "apiKey" must return a string without line breaks.`)
}

/** Header names are case-insensitive, and later headers override earlier ones. */
function merged(...all: readonly { readonly [name: string]: string }[]): { readonly [name: string]: string } {
  const entries = all.flatMap((headers) => Object.entries(headers))
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}
