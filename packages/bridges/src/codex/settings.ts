import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { Permissions } from '../coding/coding-options.js'
import type { CodexThreadOptions } from './shape.js'

/** The prefix of the metadata keys. */
export const prefix = 'codex'

/** The sandbox that Codex puts its commands into. */
export const sandboxModes: { readonly [permissions in Permissions]: NonNullable<CodexThreadOptions['sandboxMode']> } = {
  'read-only': 'read-only',
  workspace: 'workspace-write',
  full: 'danger-full-access',
}

/**
 * Configuration as words of the command: `-c a.b=value`, the values as TOML.
 *
 * @example
 * configurationWords({ analytics: { enabled: false } }) // ['-c', 'analytics.enabled=false']
 */
export function configurationWords(config: JsonObject, under = ''): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const path = `${under}${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`
    if (isPlainObject(value)) return configurationWords(value as JsonObject, `${path}.`)
    return ['-c', `${path}=${tomlOf(value)}`]
  })
}

/** JSON texts, numbers, booleans and lists are TOML already; objects inside lists are inline tables. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`
  if (!isPlainObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)} = ${tomlOf(part)}`)
  return `{ ${entries.join(', ')} }`
}
