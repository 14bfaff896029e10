import type { CommandHost, GlobalFlags } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { findConfig, type LoadedConfig, loadConfig, noConfig } from '../config/load-config.js'
import { type Terminal, terminalOf } from '../terminal/terminal.js'

/** The environment of a subcommand. */
export interface Host extends Pick<CommandHost, 'flags' | 'cwd' | 'json' | 'note'> {
  readonly terminal: Terminal
  /** Returns the config; throws `usage-invalid` if there is no config. */
  readonly config: () => Promise<LoadedConfig>
  /** Returns the config; `undefined` if there is no config. */
  readonly configIfAny: () => Promise<LoadedConfig | undefined>
}

/** Creates the host of a command in this process. The config is searched and loaded once, on first use. */
export function hostOf(flags: GlobalFlags, cwd: string): Host {
  const terminal = terminalOf({ ...streams(), color: flags.color })
  const note = (line: string) => {
    if (flags.quiet !== true) terminal.err(`${line}\n`)
  }
  const load = async () => {
    const file = await findConfig(cwd, flags.config)
    const config = file === undefined ? undefined : await loadConfig(file)
    for (const notice of config?.notices ?? []) note(`notice: ${notice}`)
    return config
  }
  let loaded: Promise<LoadedConfig | undefined> | undefined
  const configIfAny = () => {
    loaded ??= load()
    return loaded
  }
  return {
    flags,
    terminal,
    cwd,
    configIfAny,
    async config() {
      const config = await configIfAny()
      if (config === undefined) throw noConfig()
      return config
    },
    json: (value) => terminal.out(`${JSON.stringify(value, null, 2)}\n`),
    note,
  }
}

function streams() {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env }
}

/** Returns a host for other results than those of the command line. Proposed command lines name these results. */
export function resultsNamed(host: Host, results: string): Host {
  const command: Terminal['command'] = (...words) => commandLine('--results', results, ...words)
  return { ...host, flags: { ...host.flags, results }, terminal: { ...host.terminal, command } }
}
