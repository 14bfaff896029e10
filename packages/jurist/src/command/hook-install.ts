import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { type Client, type ClientForm, formOf } from '../hook/clients.js'
import { hookCommands, pathWord, startingProgram, startingWords, withHooks } from '../hook/install-hooks.js'
import { starterConfig } from '../hook/starter-config.js'
import { isDatabase } from './database-store.js'
import type { ExitCode } from './failure-report.js'
import { type FlagValues, flag, oneOf } from './flags.js'
import { hookFlags } from './hook-flags.js'
import { commandLine, type Host } from './host.js'
import { clientNamed, codingAgent, installationOf, installFlags } from './install-flags.js'
import { type Subcommand, subcommand } from './subcommand.js'
import { type Change, changeOf, writeSettings } from './written-settings.js'

const flags = {
  ...hookFlags,
  ...installFlags,
  on: flag('--on <moment>', 'when to judge: stop, edit (default: stop)', oneOf(['stop', 'edit']), { default: 'stop' }),
} as const

/** How a hook is installed, and what its command says. */
type HookInstallation = FlagValues<typeof flags>

/** `jurist hook install`. */
export const hookInstall: Subcommand = subcommand({
  arguments: [codingAgent],
  flags,
  examples: [
    'hook install claude',
    'hook install codex --jury done --max 2',
    '-c ../evals/jurist.config.yaml hook install claude --dry-run',
  ],
  note:
    'Shows the change of the settings and writes it; in a project without a config also a config with one jury, which runs\n' +
    'the tests. Installing again replaces the hooks that were installed before.',
  run: (host, [agent], read) => install(host, clientNamed(agent), read),
})

async function install(host: Host, client: Client, read: HookInstallation): Promise<ExitCode> {
  if (formOf(client).events[read.on] === undefined)
    throw usageInvalid('--on', `${formOf(client).title} takes no answer after an edit. Leave --on out.`)
  const config = await missingConfig(host, read)
  const { change, notes } = changedSettings(host, client, read)
  const changes = [...(config === undefined ? [] : [config]), change]
  await writeSettings(host, changes, read.dryRun)
  report(host, client, read, { files: changes.map(({ file }) => file), notes })
  return 0
}

/** The config to write in a project without one. Throws `usage-invalid` for a jury that the config does not have. */
async function missingConfig(host: Host, { jury, scope }: HookInstallation): Promise<Change | undefined> {
  const loaded = await host.configIfAny()
  if (loaded === undefined) {
    // A hook of the user works in every project that has a config.
    if (scope === 'user') return undefined
    return { file: join(host.cwd, 'jurist.config.yaml'), before: '', after: starterConfig(host.cwd, jury) }
  }
  const names = Object.keys(loaded.config.juries ?? {})
  if (names.includes(jury)) return undefined
  const remedy = names.length === 0 ? ' Add it under "juries".' : unknownAmong(jury, names)
  throw usageInvalid('--jury', `${loaded.file} has no jury "${jury}".${remedy}`)
}

function changedSettings(host: Host, client: Client, read: HookInstallation) {
  const form = formOf(client)
  const file = join(read.scope === 'user' ? homedir() : host.cwd, form.settings)
  const starting = startingProgram(installationOf(host, read))
  const parts = {
    words: [...startingWords(starting, form), ...placesOf(host, form, read)],
    flags: flagsOf(client, read),
    timeoutMs: read.timeout,
    maxBlocks: read.max,
  }
  const change = changeOf(file, (before) => withHooks(file, before, form, hookCommands(read.on, parts)))
  const advice = form.advice === undefined ? [] : [form.advice]
  return { change, notes: [...(starting.isInProject ? [installedInside] : []), ...advice] }
}

const installedInside =
  'The agent can change jurist, which is installed in this project. Install it outside: npm install -g jurist'

/** What the commands of the hooks say. What is as it is by default is left out. */
function flagsOf(client: Client, read: HookInstallation) {
  const given: readonly (readonly [flag: string, value: string | undefined])[] = [
    ['--reveal', read.reveal],
    ['--goal', read.goal],
    ['--timeout', read.timeout === 100_000 ? undefined : `${read.timeout}ms`],
    ['--max', read.on === 'edit' ? undefined : String(read.max)],
  ]
  const who = ['--client', client]
  const words = [
    ...['--jury', read.jury],
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...(read.inPlace ? ['--in-place'] : []),
  ]
  return { start: who, stop: [...who, ...words], edit: [...who, ...words] }
}

/** Where the config and the results are. A project names its own from there, so that others can use the settings. */
function placesOf({ flags, cwd }: Host, form: ClientForm, { scope }: HookInstallation): readonly string[] {
  const given = { '-c': flags.config, '--results': flags.results }
  if (isDatabase(flags.results ?? ''))
    throw usageInvalid(
      '--results',
      'The address of a database, which may hold a password, is not written into settings. Name it as store in the config, or in JURIST_RESULTS.',
    )
  return Object.entries(given).flatMap(([flag, path]) => {
    if (path === undefined) return []
    const way = relative(cwd, resolve(cwd, path))
    const isInside = scope === 'project' && !isAbsolute(way) && !way.startsWith('..')
    return [flag, pathWord(isInside ? way : resolve(cwd, path), form)]
  })
}

function report(
  host: Host,
  client: Client,
  { jury, on, dryRun }: HookInstallation,
  { files, notes }: { readonly files: readonly string[]; readonly notes: readonly string[] },
): void {
  if (host.flags.json === true) {
    host.json({ client, jury, on, written: !dryRun, files, notes })
    return
  }
  for (const note of notes) host.terminal.err(`notice: ${note}\n`)
  const when = on === 'stop' ? 'wants to stop' : 'has edited a file'
  const done = `${formOf(client).title} asks the jury "${jury}" when it ${when}, from its next session on.`
  host.terminal.out(
    dryRun
      ? 'Nothing was written (--dry-run).\n'
      : `\n${done}\nThe judgments: ${commandLine(host.flags, 'list', '--kind', 'hook')}\n`,
  )
}
