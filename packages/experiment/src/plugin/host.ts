import type { ExperimentResult } from '../result/records.js'
import type { Reporter } from '../run/events.js'
import type { ExperimentOptions } from '../run/experiment.js'
import type { ResultStore } from '../store/store.js'

/** The exit code of a command: see the table in `jurist --help`. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** The flags of every subcommand. */
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

/** Where a command writes. */
export interface CommandTerminal {
  /** Results and tables. Lines wrap at spaces to the width of the terminal. */
  readonly out: (text: string) => void
  /** Progress, warnings, errors. */
  readonly err: (text: string) => void
  /** Documents for programs, such as JSON lines: written to stdout as they are. */
  readonly raw: (text: string) => void
  /** The width for `out`. Unlimited where stdout is not a terminal, so that files and logs are not cut. */
  readonly columns: number
}

/** The results of a command: those of `--results`, of `JURIST_RESULTS`, of the config, else `results` beside the config. */
export interface CommandResults {
  readonly store: ResultStore
  /** The directory, or the address of a database without its password, for messages. */
  readonly shown: string
}

/** A signal that Ctrl-C fires. Disposing of it ends the listening. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal
}

/** The context that a subcommand runs in. */
export interface CommandHost {
  readonly flags: GlobalFlags
  readonly terminal: CommandTerminal
  /** The absolute directory that paths of arguments are relative to. */
  readonly cwd: string
  /** Writes the one JSON document of `--json`. */
  readonly json: (value: unknown) => void
  /** Prints a line on stderr, unless `--quiet` is set. */
  readonly note: (line: string) => void
  /**
   * The results. Whether they can be written is checked with `forWriting`, before anything costs money.
   *
   * @throws `usage-invalid` for a place that cannot hold results
   */
  readonly results: (options?: { readonly forWriting?: boolean }) => Promise<CommandResults>
  /**
   * A run of the results: its id or the beginning of it, `latest`, or the name of an experiment.
   *
   * @throws `usage-invalid` for an unknown run
   */
  readonly run: (reference: string) => Promise<ExperimentResult>
  /**
   * Experiments of the config with their paths made absolute. Without names: the only one.
   *
   * @param config the config file. Default: that of the command
   * @throws `usage-invalid` for an unknown name, and where there is no config
   */
  readonly experiments: (names?: readonly string[], config?: string) => Promise<readonly ExperimentOptions[]>
  /**
   * A reporter that prints the progress of runs on stderr: starts, warnings, and every few seconds the number of trials
   * that have ended.
   */
  readonly progress: () => Reporter
  /**
   * Listens to Ctrl-C and SIGTERM: the first one fires the signal, the second exits immediately with code 130.
   *
   * @param onFirst what is printed at the first one
   * @param onSecond what is printed before the exit
   */
  readonly interruptible: (onFirst: () => string, onSecond?: () => string) => Interrupt
}
