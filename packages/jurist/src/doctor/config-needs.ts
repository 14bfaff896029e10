import { isPlainObject } from '@jurist/core/internal'
import type { SandboxWords } from './machine-checks.js'

/** What the text of a config names. */
export interface ConfigNeeds {
  /** Names of variables that hold keys. */
  readonly keys: readonly string[]
  readonly sandboxes: SandboxWords
}

/** Everything below `apiKeyEnv` and `sandbox`, wherever it is in a config. */
export function configNeeds(config: unknown): ConfigNeeds {
  const keys = new Set<string>()
  const sandboxes = new Set<string>()
  const look = (value: unknown) => {
    if (Array.isArray(value)) for (const one of value) look(one)
    if (!isPlainObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'apiKeyEnv' && typeof inner === 'string') keys.add(inner)
      if (name === 'sandbox')
        for (const word of typeof inner === 'string' ? [inner] : Object.keys(Object(inner))) sandboxes.add(word)
      look(inner)
    }
  }
  look(config)
  return { keys: [...keys], sandboxes: [...sandboxes] }
}
