import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { type ExitCode, type FlagValues, flag, oneOf, text, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { parseObject } from '@jurist/kit/json'
import { findRun } from '../../command-kit/find-run.js'
import { type Host, ownStdout } from '../../command-kit/host.js'
import { resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { type Client, formOf } from '../hook/clients.js'
import { reveals } from '../hook/feedback.js'
import {
  changeOf,
  clientNamed,
  codingAgent,
  installFlags,
  pathInSettings,
  startingProgram,
  writeSettings,
} from '../hook/install-hooks.js'
import { hidesTests } from '../hook/pinned-config.js'
import { serve } from './serve.js'
import { judgedVerdicts, ratchetTool } from './tools.js'

/** The settings files with the MCP servers of a project and of its user, by coding agent. */
const serverSettings: { readonly [client in Client]: { readonly project: string; readonly user: string } } = {
  claude: { project: '.mcp.json', user: '.claude.json' },
  codex: { project: '.codex/config.toml', user: '.codex/config.toml' },
  cursor: { project: '.cursor/mcp.json', user: '.cursor/mcp.json' },
}

/** The command with which a client starts a server. */
interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * Adds this server, as `jurist`, to the settings of a coding agent. Everything else stays unchanged.
 *
 * @throws `usage-invalid` for a file that is not JSON
 */
function withServer(client: Client, file: string, before: string, server: ServerCommand): string {
  if (client === 'codex') return withTable(before, server)
  const settings = before.trim() === '' ? {} : parseObject(before)
  if (settings === undefined)
    throw usageInvalid(file, `${file} is not a JSON object. Nothing was written. Correct it, and install again.`)
  const servers = isPlainObject(settings.mcpServers) ? settings.mcpServers : {}
  return `${JSON.stringify({ ...settings, mcpServers: { ...servers, jurist: server } }, null, 2)}\n`
}

const table = '[mcp_servers.jurist]'

/** Adds the table of this server to the settings, and replaces an earlier one. JSON strings are valid TOML strings. */
function withTable(before: string, { command, args }: ServerCommand): string {
  const lines = before.split('\n')
  const start = lines.findIndex((line) => line.trim() === table)
  const next = start < 0 ? -1 : lines.findIndex((line, index) => index > start && line.trim().startsWith('['))
  const others = start < 0 ? lines : [...lines.slice(0, start), ...(next < 0 ? [] : lines.slice(next))]
  const own = [table, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
  const rest = others.join('\n').trim()
  return `${rest === '' ? '' : `${rest}\n\n`}${own.join('\n')}\n`
}

/** The flags of the server, and of the command that installs it. */
const mcpFlags = {
  allowCommands: toggle('--allow-commands', 'judges may run commands, in a copy of the directory'),
  reveal: flag(
    '--reveal <what>',
    `the part of a failure that clients read: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
  ratchet: flag('--ratchet <name>', 'offer ratchet_try, which tries a version with this ratchet', text),
} as const

export const mcp: Subcommand = subcommand({
  arguments: [],
  flags: mcpFlags,
  examples: ['mcp install claude', 'mcp --allow-commands'],
  note:
    'Tools: list_juries, judge, explain, list_runs, show_trial, compare. Resources: jurist://runs/<id>.\n' +
    'Nothing is changed, but ratchet_try may keep a version.\n' +
    'Directories must be within the roots of the client, or within this directory if it names none.',
  run: (host, _, read) => answerClient(host, read),
})

async function answerClient(
  host: Host,
  { allowCommands, reveal, ratchet }: FlagValues<typeof mcpFlags>,
): Promise<ExitCode> {
  using stdout = ownStdout()
  // The server keeps the config of its start, even if the file changes.
  const config = host.config()
  const results = config.then(() => resultsOf(host))
  const hides = await config.then(hidesTests).catch(() => true)
  void results.catch(() => undefined)
  await serve({
    version: createRequire(import.meta.url)('jurist/package.json').version,
    cwd: host.cwd,
    input: process.stdin,
    send: stdout.write,
    more: ratchet === undefined ? {} : { ratchet_try: ratchetTool(ratchet) },
    place: {
      config: () => config,
      store: async () => (await results).store,
      findRun: async (text) => findRun(await results, plainName(text), host.cwd),
      allowCommands,
      reveal: reveal ?? (hides ? 'names' : 'reasons'),
      judged: judgedVerdicts(),
    },
  })
  return 0
}

/** Refuses paths, which would lead out of the results. */
function plainName(text: string): string {
  if (!/[/\\]|\.tgz$/.test(text)) return text
  throw usageInvalid('run', 'A run has an id, such as 20261121T091500123Z-4kq7rm; see list_runs.')
}

const flags = { ...mcpFlags, ...installFlags } as const

export const mcpInstall: Subcommand = subcommand({
  arguments: [codingAgent],
  flags,
  examples: ['mcp install claude', 'mcp install codex --allow-commands --dry-run'],
  note: 'Shows the change of the settings and writes it. Installing again replaces the server that was installed before.',
  run: (host, [agent], read) => install(host, clientNamed(agent), read),
})

async function install(host: Host, client: Client, read: FlagValues<typeof flags>): Promise<ExitCode> {
  const file = join(read.scope === 'user' ? homedir() : host.cwd, serverSettings[client][read.scope])
  const { argv } = startingProgram(host, read)
  const [command, ...first] = argv
  const args = [...first, ...wordsOf(host, read)]
  // A server in the user's settings applies to every project with a config.
  if (read.scope === 'project' && (await host.configIfAny()) === undefined) host.note(`notice: ${withoutConfig()}`)
  const change = changeOf(file, (before) => withServer(client, file, before, { command, args }))
  await writeSettings(host, [change], read.dryRun)
  if (host.flags.json === true) host.json({ client, written: !read.dryRun, files: [file] })
  else if (read.dryRun) host.terminal.out('Nothing was written (--dry-run).\n')
  else
    host.terminal.out(`\n${formOf(client).title} offers the tools of the server "jurist", from its next session on.\n`)
  return 0
}

function withoutConfig(): string {
  return `There is no config here, so the server has no juries. Make one: ${commandLine('init')}, or name another: ${commandLine('-c', 'FILE', 'mcp', 'install')}`
}

/**
 * Returns the arguments of the server. Settings of a project contain relative paths, so that others can use them; a
 * server of the user may start in any directory.
 */
function wordsOf(
  { flags: given, cwd }: Host,
  { allowCommands, reveal, ratchet, scope }: FlagValues<typeof flags>,
): readonly string[] {
  const place = (path: string) => pathInSettings(path, cwd, scope)
  return [
    ...(given.config === undefined ? [] : ['-c', place(given.config)]),
    ...(given.results === undefined ? [] : ['--results', place(given.results)]),
    'mcp',
    ...(allowCommands ? ['--allow-commands'] : []),
    ...(reveal === undefined ? [] : ['--reveal', reveal]),
    ...(ratchet === undefined ? [] : ['--ratchet', ratchet]),
  ]
}
