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
  /** The settings for loading modules. */
  readonly loading?: Loading | undefined
  /** The named parts of the config that have already been read, for `{use: name}`. */
  readonly juries: Readonly<Record<string, unknown>>
  /** The config's models by name; absent if it has none. */
  readonly models?: Readonly<Record<string, unknown>>
  readonly agents?: Readonly<Record<string, unknown>>
  readonly votes?: Readonly<Record<string, unknown>>
  /** The plug-ins; absent if there are none. */
  readonly plugins?: readonly Plugin[]
  /**
   * Whether a plug-in could not be loaded. Its own problem is reported, and it may contain the names that are unknown.
   */
  readonly lacksPlugins?: boolean
  /** The permissions of judges in the items of a dataset; absent for judges of the config. */
  readonly data?: DataLimits
}

/** Whether a description is `{use: name}`. */
export function isUse(value: unknown): value is { readonly use: unknown } {
  return isPlainObject(value) && value.use !== undefined
}

/** Returns the named part of the config that `{use: name}` refers to. Reports an unknown name. */
export function used(
  { use }: { readonly use: unknown },
  kind: 'agents' | 'juries' | 'votes',
  place: Place,
  reading: Reading,
): unknown {
  const named = reading[kind] ?? {}
  const found = typeof use === 'string' && Object.hasOwn(named, use) ? named[use] : undefined
  if (typeof found === 'function') return found
  // An invalid part is reported where it is described.
  if (typeof use === 'string' && Object.hasOwn(named, use)) return undefined
  const known = Object.keys(named)
  const thing = { agents: 'agent', juries: 'jury', votes: 'vote' }[kind]
  const remedy = known.length === 0 ? `Add it to "${kind}".` : nearestOrAll(String(use), known)
  reading.report([...place, 'use'], `unknown ${thing} ${printed(use)}.`, remedy)
  return undefined
}
