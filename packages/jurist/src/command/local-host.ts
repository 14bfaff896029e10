import { findConfig, noConfig } from '../config/find-config.js'
import { type LoadedConfig, loadConfig } from '../config/load-config.js'
import { terminalOf } from '../terminal/terminal.js'
import type { GlobalFlags, Host } from './host.js'

/** The host of a command in this process. The config is found and loaded once, when it is first wanted. */
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
