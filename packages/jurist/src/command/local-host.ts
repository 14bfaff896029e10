import { findConfig, noConfig } from '../config/find-config.js'
import { type LoadedConfig, loadConfig } from '../config/load-config.js'
import { terminalOf } from '../terminal/terminal.js'
import type { GlobalFlags, Host } from './host.js'

/** The host of a command in this process. The config is found and loaded once, when it is first wanted. */
export function hostOf(flags: GlobalFlags, cwd: string): Host {
  const terminal = terminalOf({ ...streams(), color: flags.color })
  let loaded: Promise<LoadedConfig | undefined> | undefined
  const configIfAny = () => {
    loaded ??= findConfig(cwd, flags.config).then((file) => (file === undefined ? undefined : loadConfig(file)))
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
    note: (line) => {
      if (flags.quiet !== true) terminal.err(`${line}\n`)
    },
  }
}

function streams() {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env }
}
