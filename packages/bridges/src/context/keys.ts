import type { FactSuffix } from './run-facts.js'
import { factSuffixes } from './run-facts.js'

/** The metadata keys of a bridge: `bridge`, and one `<prefix>.<suffix>` for each fact. */
export type BridgeKeys<Prefix extends string, Own extends string = never> = { readonly bridge: 'bridge' } & {
  readonly [suffix in FactSuffix | Own]: `${Prefix}.${suffix}`
}

/**
 * The metadata keys of the bridge with this prefix.
 *
 * @param own facts that only this bridge has
 *
 * @example
 * const keys = keysOf('langchain')
 * keys.finishReason // 'langchain.finishReason'
 */
export function keysOf<Prefix extends string, Own extends string = never>(
  prefix: Prefix,
  ...own: readonly Own[]
): BridgeKeys<Prefix, Own> {
  const entries = [...factSuffixes, ...own].map((suffix) => [suffix, `${prefix}.${suffix}`])
  return Object.freeze({ bridge: 'bridge', ...Object.fromEntries(entries) }) as BridgeKeys<Prefix, Own>
}
