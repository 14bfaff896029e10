import { isPlainObject, type Place, printed } from '@jurist/core/internal'
import type { Report } from './issues.js'

/** What descriptions are read with. */
export interface Reading {
  /** Paths are relative to it. */
  readonly directory: string
  readonly report: Report
  /** What the config names, as far as it was read before, for `{use: name}`. */
  readonly juries: Readonly<Record<string, unknown>>
  readonly agents?: Readonly<Record<string, unknown>>
  readonly votes?: Readonly<Record<string, unknown>>
}

/** Whether a description is `{use: name}`. */
export function isUse(value: unknown): value is { readonly use: unknown } {
  return isPlainObject(value) && value.use !== undefined
}

/** What `{use: name}` means among the named ones; a name that nothing has is reported. */
export function used(
  { use }: { readonly use: unknown },
  kind: 'agents' | 'juries' | 'votes',
  place: Place,
  reading: Reading,
): unknown {
  const named = reading[kind] ?? {}
  const found = typeof use === 'string' && Object.hasOwn(named, use) ? named[use] : undefined
  if (typeof found === 'function') return found
  const known = Object.keys(named).join(', ')
  const thing = { agents: 'agent', juries: 'jury', votes: 'vote' }[kind]
  const remedy = known === '' ? `Add it to "${kind}".` : `There are: ${known}.`
  reading.report([...place, 'use'], `there is no ${thing} ${printed(use)}.`, remedy)
  return undefined
}
