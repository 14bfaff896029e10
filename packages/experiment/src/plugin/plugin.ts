import type { CommandHost } from './host.js'
import type { Subcommand, SubcommandGroup } from './subcommand.js'

/** A subcommand that a package adds: help and completion know its line before it is loaded. */
export interface PluginCommand<Host = CommandHost> {
  readonly summary: string
  /** Called when the subcommand is used. */
  readonly load: () => Promise<Subcommand<Host> | SubcommandGroup<Host>>
}

/** What a package adds to the command: its default export. */
export interface Plugin {
  /** Subcommands by name. */
  readonly commands?: Readonly<Record<string, PluginCommand>>
}

/**
 * Gives a plug-in its type. Returns it unchanged.
 *
 * @example
 * import { definePlugin, subcommand } from 'jurist/plugin'
 *
 * const hello = subcommand({
 *   ...{ arguments: [], flags: {}, examples: ['hello'] },
 *   async run({ terminal }) {
 *     terminal.out('Hello.\n')
 *     return 0
 *   },
 * })
 *
 * export default definePlugin({ commands: { hello: { summary: 'say hello', load: async () => hello } } })
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin
}
