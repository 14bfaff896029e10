import type { JsonObject, Workspace } from '@jurist/core'
import type { CommandLine } from './command-line.js'

/** Where a command is about to run. */
export interface Site {
  /** The workspace, or the copy of an overlay. */
  readonly workspace: Workspace
  /** What the agent had no hand in: what it began with, the reference, what is laid over its work; as far as known. */
  readonly originals: readonly Workspace[]
  /** Normalised. */
  readonly cwd: string
}

/** A command made for a site. */
export interface Prepared {
  readonly command: CommandLine
  /** What is known of the tool. */
  readonly metadata: JsonObject
  /** Variables that the tool is given, unless the user gives others. */
  readonly env?: { readonly [name: string]: string }
  /** The report the command was told to write, from the directory it runs in. */
  readonly reportFile?: string
  /** Whether the runner of Node is asked for its report. */
  readonly asksNode?: boolean
  /** Whether a run without a report is one that ran no test. */
  readonly demandsReport?: boolean
  /** Why the command need not be run: the agent took away what it would run. */
  readonly missing?: string
}

/** How a tool is asked to do its work at a site. */
export type Prepare = (site: Site) => Promise<Prepared>
