import type { CommandHost, GlobalFlags } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { findConfig, type LoadedConfig, loadConfig, noConfig } from '../config/load-config.js'
import { type Terminal, terminalOf } from '../terminal/terminal.js'

/** What a subcommand works with. */
export interface Host extends Pick<CommandHost, 'flags' | 'cwd' | 'json' | 'note'> {
  readonly terminal: Terminal
  /** The config; throws `usage-invalid` without one. */
  readonly config: () => Promise<LoadedConfig>
  /** The config, or `undefined` without one. */
  readonly configIfAny: () => Promise<LoadedConfig | undefined>
}

/** The host of a command in this process. The config is found and loaded once, on first use. */
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

/** A host for other results than the command line names, which its proposed command lines name instead. */
export function resultsNamed(host: Host, results: string): Host {
  const command: Terminal['command'] = (...words) => commandLine('--results', results, ...words)
  return { ...host, flags: { ...host.flags, results }, terminal: { ...host.terminal, command } }
}
