import type { LoadedConfig } from '../config/load-config.js'
import type { Terminal } from '../terminal/terminal.js'

/** The flags that every subcommand knows. */
export interface GlobalFlags {
  readonly cwd?: string
  readonly config?: string
  readonly results?: string
  readonly envFile?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly debug?: boolean
  readonly color?: boolean
}

/** What a subcommand works with. */
export interface Host {
  readonly flags: GlobalFlags
  readonly terminal: Terminal
  /** The absolute directory that paths of arguments are relative to. */
  readonly cwd: string
  /** The config; throws `usage-invalid` when there is none. */
  readonly config: () => Promise<LoadedConfig>
  /** The config, or `undefined` when there is none. */
  readonly configIfAny: () => Promise<LoadedConfig | undefined>
  /** Writes the one JSON document of `--json`. */
  readonly json: (value: unknown) => void
  /** A line for people on stderr; silent with `--quiet`. */
  readonly note: (line: string) => void
}
