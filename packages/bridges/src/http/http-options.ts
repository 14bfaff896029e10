import { type JsonObject, JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import { type Prices, pricesRule } from '../context/cost.js'
import { definedParts } from '../context/outcome.js'
import type { Backoff, Endpoint } from './requests.js'

/** How often and how patiently a request is tried again. */
export interface Retries {
  /** In all, the first included. Default 3. */
  readonly attempts?: number
  /** The first wait in milliseconds, doubled each time. */
  readonly baseMs?: number
  /** The longest wait in milliseconds. Default 30,000. */
  readonly maxMs?: number
}

/** What every model behind an HTTP protocol may be told. */
export interface HttpModelOptions {
  readonly model: string
  readonly baseUrl?: string | undefined
  /** A key, or a function that is asked before each request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** Added to each request; they win over those of the protocol. */
  readonly headers?: { readonly [name: string]: string }
  /** Milliseconds for all attempts together. Default 120,000; that of a request wins. */
  readonly timeoutMs?: number
  readonly retries?: Retries
  /** The most that is read of an answer. Default 8,388,608. */
  readonly maxResponseBytes?: number
  /** Merged last into the request, not deeply. */
  readonly body?: JsonObject
  readonly prices?: Prices
  /** Default: the `fetch` of the surroundings. */
  readonly fetch?: typeof fetch
}

export const retriesRule: OptionRule = {
  wants: 'an object with "attempts" of at least 1, "baseMs" and "maxMs" of at least 0',
  holds: (value) => {
    if (!option.record.holds(value)) return false
    const { attempts = 1, baseMs = 0, maxMs = 0, ...more } = value as Record<string, unknown>
    return (
      option.integer(1).holds(attempts) &&
      option.nonNegative.holds(baseMs) &&
      option.nonNegative.holds(maxMs) &&
      Object.keys(more).length === 0
    )
  },
}

const filled: OptionRule = {
  wants: 'a text that is not blank',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
}

/** The words that never show the value: a key or a header must not stand in a message. */
const keyRule: OptionRule = {
  wants: 'a text without line breaks, or a function that gives one',
  holds: (value) => typeof value === 'function' || isHeaderValue(value),
}

const headersRule: OptionRule = {
  wants: 'an object of header names and texts without line breaks',
  holds: (value) =>
    option.record.holds(value) &&
    Object.entries(value as object).every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isHeaderValue(text)),
}

/** Whether a text may stand in a header. */
function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

type Rules<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

/** The rules of `HttpModelOptions`; a protocol adds its own. */
export const httpRules: Rules<HttpModelOptions> = {
  model: filled,
  baseUrl: filled,
  apiKey: keyRule,
  headers: headersRule,
  timeoutMs: option.positive,
  retries: retriesRule,
  maxResponseBytes: option.integer(1),
  body: option.record,
  prices: pricesRule,
  fetch: option.function,
}

/**
 * The options of a protocol's model, checked.
 *
 * @throws `option-invalid`; a bad key or header is named, never shown
 */
export function checkHttpOptions<Options extends HttpModelOptions>(
  where: string,
  options: Options,
  rules: Rules<Options>,
): Options {
  const { apiKey, headers } = options ?? {}
  if (apiKey !== undefined && !keyRule.holds(apiKey)) refuse(where, 'apiKey', keyRule)
  if (headers !== undefined && !headersRule.holds(headers)) refuse(where, 'headers', headersRule)
  const checked = checkOptions(where, options, rules)
  if (checked.model === undefined) refuse(where, 'model', filled)
  return checked
}

function refuse(where: string, name: string, { wants }: OptionRule): never {
  throw new JuristError('option-invalid', `${where}: "${name}" must be ${wants}.`, { option: name })
}

/**
 * The address of a route of a server. A query of the base is kept, a trailing `/` is not.
 *
 * @throws `option-invalid` unless `baseUrl` is an http address without a name and password in it
 */
export function routeOf(where: string, baseUrl: string, route: string): URL {
  const url = parsed(baseUrl)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new JuristError(
      'option-invalid',
      `${where}: "baseUrl" must be an address that begins with http:// or https://, without a name and password in it.`,
      { option: 'baseUrl' },
    )
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${route}`
  url.hash = ''
  return url
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

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
