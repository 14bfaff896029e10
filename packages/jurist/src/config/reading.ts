import { isPlainObject, type Place, printed } from '@jurist/core/internal'
import type { Plugin } from '@jurist/experiment/plugin'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { DataLimits } from './item-limits.js'
import type { Loading } from './module-config.js'
import type { Report } from './problems.js'

/** The context in which descriptions are read. */
export interface Reading {
  /** The directory that paths are relative to. */
  readonly directory: string
  readonly report: Report
  /** How modules are loaded. */
  readonly loading?: Loading | undefined
  /** The named parts of the config that are already read, for `{use: name}`. */
  readonly juries: Readonly<Record<string, unknown>>
  /** The config's models by their names. Absent: it has none. */
  readonly models?: Readonly<Record<string, unknown>>
  readonly agents?: Readonly<Record<string, unknown>>
  readonly votes?: Readonly<Record<string, unknown>>
  /** What packages add. Absent: nothing. */
  readonly plugins?: readonly Plugin[]
  /** A plug-in could not be loaded: it may have what is unknown, and its own problem is reported. */
  readonly lacksPlugins?: boolean
  /** What the judges of an item may do, which a dataset describes. Absent: the config describes them. */
  readonly data?: DataLimits
}

/** Whether a description is `{use: name}`. */
export function isUse(value: unknown): value is { readonly use: unknown } {
  return isPlainObject(value) && value.use !== undefined
}

/** The named part of the config that `{use: name}` refers to. Reports an unknown name. */
export function used(
  { use }: { readonly use: unknown },
  kind: 'agents' | 'juries' | 'votes',
  place: Place,
  reading: Reading,
): unknown {
  const named = reading[kind] ?? {}
  const found = typeof use === 'string' && Object.hasOwn(named, use) ? named[use] : undefined
  if (typeof found === 'function') return found
  // An invalid one is reported where it is described.
  if (typeof use === 'string' && Object.hasOwn(named, use)) return undefined
  const known = Object.keys(named)
  const thing = { agents: 'agent', juries: 'jury', votes: 'vote' }[kind]
  const remedy = known.length === 0 ? `Add it to "${kind}".` : nearestOrAll(String(use), known)
  reading.report([...place, 'use'], `unknown ${thing} ${printed(use)}.`, remedy)
  return undefined
}
