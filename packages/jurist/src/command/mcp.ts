import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { clientNames, formOf, settingsScopes } from '../hook/clients.js'
import { reveals } from '../hook/feedback.js'
import { startingProgram } from '../hook/install-hooks.js'
import { hidesTests } from '../hook/pinned-config.js'
import { serverSettings, withServer } from '../mcp/install-server.js'
import { judgedVerdicts } from '../mcp/judged-verdicts.js'
import { serve } from '../mcp/serve.js'
import type { ExitCode } from './failure-report.js'
import { findRun } from './find-run.js'
import { type FlagValues, flag, oneOf, toggle } from './flags.js'
import { installationOf } from './hook-install.js'
import type { Host } from './host.js'
import { ownStdout } from './own-stdout.js'
import { resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'
import { changeOf, writeSettings } from './written-settings.js'

const flags = {
  allowCommands: toggle('--allow-commands', 'judges may run commands, in a copy of the directory'),
  reveal: flag(
    '--reveal <what>',
    `what clients read of a failure: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
  scope: flag(
    '--scope <scope>',
    `install: whose settings: ${settingsScopes.join(', ')} (default: project)`,
    oneOf(settingsScopes),
    { default: 'project' },
  ),
  dryRun: toggle('--dry-run', 'install: show the change and write nothing'),
} as const

type McpFlags = FlagValues<typeof flags>

/** `jurist mcp`. */
export const mcp: Subcommand = subcommand({
  arguments: [
    ['[action]', 'install (default: serve on standard input and output)'],
    ['[agent]', `install: ${clientNames.join(', ')}`],
  ],
  flags,
  examples: ['mcp install claude', 'mcp --allow-commands'],
  note:
    'Tools: list_juries, judge, explain, list_runs, show_trial, compare. Resources: jurist://runs/<id>. Nothing is changed.\n' +
    'Directories must be within the roots of the client, or within this directory if it names none.',
  async run(host, [action, agent], read) {
    if (action === undefined) return answerClient(host, read)
    if (action === 'install') return install(host, agent, read)
    throw usageInvalid('action', `Unknown action "${action}".${unknownAmong(action, ['install'])}`)
  },
})

async function answerClient(host: Host, { allowCommands, reveal }: McpFlags): Promise<ExitCode> {
  using stdout = ownStdout()
  // The config that the server began with answers, whatever happens to its file.
  const config = host.config()
  const results = config.then(() => resultsOf(host))
  const hides = await config.then(hidesTests).catch(() => true)
  void results.catch(() => undefined)
  await serve({
    version: createRequire(import.meta.url)('jurist/package.json').version,
    cwd: host.cwd,
    input: process.stdin,
    send: stdout.write,
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

/** A path would lead out of the results. */
function plainName(text: string): string {
  if (!/[/\\]|\.tgz$/.test(text)) return text
  throw usageInvalid('run', 'A run has an id, such as 20261121T091500123Z-4kq7rm; see list_runs.')
}

async function install(host: Host, agent: string | undefined, read: McpFlags): Promise<ExitCode> {
  const client = clientNames.find((one) => one === agent)
  if (client === undefined)
    throw usageInvalid('agent', `Name a coding agent: jurist mcp install <${clientNames.join('|')}>`)
  const file = join(read.scope === 'user' ? homedir() : host.cwd, serverSettings[client][read.scope])
  const { argv } = startingProgram(installationOf(host, read))
  const [command, ...first] = argv
  const args = [...first, ...wordsOf(host, read)]
  const change = changeOf(file, (before) => withServer(client, file, before, { command, args }))
  await writeSettings(host, [change], read.dryRun)
  if (host.flags.json === true) host.json({ client, written: !read.dryRun, files: [file] })
  else if (read.dryRun) host.terminal.out('Nothing was written (--dry-run).\n')
  else
    host.terminal.out(`\n${formOf(client).title} offers the tools of the server "jurist", from its next session on.\n`)
  return 0
}

/** What the server is started with. Files in the project are named from there, so that others can use the settings. */
function wordsOf({ flags: given, cwd }: Host, { allowCommands, reveal }: McpFlags): readonly string[] {
  const place = (path: string) => {
    const way = relative(cwd, resolve(cwd, path))
    return way.startsWith('..') ? resolve(cwd, path) : way
  }
  return [
    ...(given.config === undefined ? [] : ['-c', place(given.config)]),
    ...(given.results === undefined ? [] : ['--results', place(given.results)]),
    'mcp',
    ...(allowCommands ? ['--allow-commands'] : []),
    ...(reveal === undefined ? [] : ['--reveal', reveal]),
  ]
}
