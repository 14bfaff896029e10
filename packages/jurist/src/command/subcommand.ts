import type { Command } from 'commander'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'

/** Flags as commander reads them. */
export type Flags = Readonly<Record<string, unknown>>

/** One subcommand: its arguments and flags, and what it does. */
export interface Subcommand {
  readonly define: (command: Command) => Command
  readonly run: (
    host: Host,
    args: readonly (string | readonly string[] | undefined)[],
    flags: Flags,
  ) => Promise<ExitCode>
}
