import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { type Client, formOf } from '../hook/clients.js'
import { startingProgram } from '../hook/install-hooks.js'
import { serverSettings, withServer } from '../mcp/install-server.js'
import type { ExitCode } from './failure-report.js'
import type { FlagValues } from './flags.js'
import type { Host } from './host.js'
import { clientNamed, codingAgent, installationOf, installFlags } from './install-flags.js'
import { mcpFlags } from './mcp-flags.js'
import { type Subcommand, subcommand } from './subcommand.js'
import { changeOf, writeSettings } from './written-settings.js'

const flags = { ...mcpFlags, ...installFlags } as const

/** `jurist mcp install`. */
export const mcpInstall: Subcommand = subcommand({
  arguments: [codingAgent],
  flags,
  examples: ['mcp install claude', 'mcp install codex --allow-commands --dry-run'],
  note: 'Shows the change of the settings and writes it. Installing again replaces the server that was installed before.',
  run: (host, [agent], read) => install(host, clientNamed(agent), read),
})

async function install(host: Host, client: Client, read: FlagValues<typeof flags>): Promise<ExitCode> {
  const file = join(read.scope === 'user' ? homedir() : host.cwd, serverSettings[client][read.scope])
  const { argv } = startingProgram(installationOf(host, read))
  const [command, ...first] = argv
  const args = [...first, ...wordsOf(host, read)]
  // A server of the user works in every project that has a config.
  if (read.scope === 'project' && (await host.configIfAny()) === undefined) host.note(`notice: ${withoutConfig}`)
  const change = changeOf(file, (before) => withServer(client, file, before, { command, args }))
  await writeSettings(host, [change], read.dryRun)
  if (host.flags.json === true) host.json({ client, written: !read.dryRun, files: [file] })
  else if (read.dryRun) host.terminal.out('Nothing was written (--dry-run).\n')
  else
    host.terminal.out(`\n${formOf(client).title} offers the tools of the server "jurist", from its next session on.\n`)
  return 0
}

const withoutConfig =
  'There is no config here, so the server has no juries. Make one: jurist init, or name another: jurist -c FILE mcp install'

/**
 * What the server is started with. In the settings of a project, its files are named from there, so that others can use the
 * settings; a server of the user starts anywhere.
 */
function wordsOf(
  { flags: given, cwd }: Host,
  { allowCommands, reveal, scope }: FlagValues<typeof flags>,
): readonly string[] {
  const place = (path: string) => {
    const way = relative(cwd, resolve(cwd, path))
    return scope === 'user' || way.startsWith('..') ? resolve(cwd, path) : way
  }
  return [
    ...(given.config === undefined ? [] : ['-c', place(given.config)]),
    ...(given.results === undefined ? [] : ['--results', place(given.results)]),
    'mcp',
    ...(allowCommands ? ['--allow-commands'] : []),
    ...(reveal === undefined ? [] : ['--reveal', reveal]),
  ]
}
