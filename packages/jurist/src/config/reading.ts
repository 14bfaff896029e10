import type { Report } from './issues.js'

/** What descriptions are read with. */
export interface Reading {
  /** Paths are relative to it. */
  readonly directory: string
  readonly report: Report
  /** The juries of the config that were read before, for `{use: name}`. */
  readonly juries: Readonly<Record<string, unknown>>
}
