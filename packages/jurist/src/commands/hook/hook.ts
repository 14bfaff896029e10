import { homedir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import {
  type ExitCode,
  type FlagValues,
  flag,
  oneOf,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeBlock } from '@jurist/kit/terminal'
import { type Host, interruptible, ownStdout } from '../../command-kit/host.js'
import { isConfirmed, isPerson } from '../../command-kit/key-reader.js'
import { isDatabase, resultsOf } from '../../command-kit/results-store.js'
import { milliseconds, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { unknownAmong } from '../../config/problems.js'
import { pendingConfig } from './accepted-config.js'
import { answerEvent } from './answer-event.js'
import { type Client, type ClientForm, clientNames, formOf, type Moment } from './clients.js'
import { reveals } from './feedback.js'
import { readEvent } from './hook-session.js'
import {
  type Change,
  changeOf,
  clientNamed,
  codingAgent,
  hookCommands,
  installFlags,
  pathInSettings,
  pathWord,
  starterConfig,
  startingProgram,
  startingWords,
  withHooks,
  writeSettings,
} from './install-hooks.js'

/** The flags of a hook, and of the command that installs it. */
const hookFlags = {
  jury: flag('--jury <name>', 'a jury of the config (default: done)', text, { default: 'done', completes: 'jury' }),
  max: flag('--max <n>', 'how many times in a row the agent may be sent back (default: 3)', whole(0, 8), {
    default: 3,
  }),
  timeout: flag('--timeout <duration>', 'time limit for the jury (default: 100s)', milliseconds, { default: 100_000 }),
  reveal: flag(
    '--reveal <what>',
    `the part of a failure that the agent reads: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
  goal: flag('--goal <text>', 'the task, for judges that read it', text),
  claims: toggle('--claims', 'tell the user what the last message claims and the session does not show'),
  inPlace: toggle('--in-place', 'judges that run commands run them in the directory itself (default: in a copy)'),
} as const

const answerFlags = {
  ...hookFlags,
  client: flag(
    '--client <agent>',
    `the coding agent: ${clientNames.join(', ')} (default: detected from the event)`,
    oneOf(clientNames),
  ),
} as const

type AnswerFlags = FlagValues<typeof answerFlags>

/** `jurist hook start`, `stop` and `edit`, which hooks run. */
export function answerHook(moment: Moment): Subcommand {
  return subcommand({
    arguments: [],
    flags: answerFlags,
    examples: [`hook ${moment} --client claude`, `-c ../evals/jurist.config.yaml hook ${moment} --client codex`],
    note:
      'Coding agents call this: jurist hook install <agent>. It reads their event on standard input and prints their answer.\n' +
      'Exit codes: 0 the jury gave a verdict, or the project has no config; 3 the jury could not run, so the agent may stop.',
    run: (host, _, read) => answer(host, moment, read),
  })
}

async function answer(host: Host, moment: Moment, read: AnswerFlags): Promise<ExitCode> {
  const { jury, max, timeout, reveal, goal, inPlace, claims } = read
  const event = readEvent(process.stdin.isTTY ? '' : await readAll(process.stdin), read.client)
  // A config that prints must not spoil the answer.
  using stdout = ownStdout()
  using interrupt = interruptible(host, () => 'Stopping.')
  const { decision, broken, warnings } = await answerEvent({
    moment,
    event,
    jury,
    maxBlocks: max,
    timeoutMs: timeout,
    reveal,
    goal,
    inPlace,
    claims,
    cwd: host.cwd,
    config: host.flags.config,
    signal: interrupt.signal,
    openStore: async (loaded) => (await resultsOf({ ...host, configIfAny: async () => loaded })).store,
  })
  const lines = [...(broken === undefined ? [] : [`${broken} The agent may stop.`]), ...warnings]
  for (const line of lines) host.terminal.err(`jurist: ${safeBlock(line)}\n`)
  stdout.write(`${JSON.stringify(formOf(event.client).answer(decision))}\n`)
  return broken === undefined ? 0 : 3
}

const settingsFlags = {
  ...hookFlags,
  ...installFlags,
  on: flag('--on <moment>', 'when to judge: stop, edit (default: stop)', oneOf(['stop', 'edit']), { default: 'stop' }),
} as const

type HookInstallation = FlagValues<typeof settingsFlags>

export const hookInstall: Subcommand = subcommand({
  arguments: [codingAgent],
  flags: settingsFlags,
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

/**
 * Returns the config to write in a project without one. Throws `usage-invalid` for a jury that the config does not
 * contain.
 */
async function missingConfig(host: Host, { jury, scope }: HookInstallation): Promise<Change | undefined> {
  const loaded = await host.configIfAny()
  if (loaded === undefined) {
    // A hook in the user's settings applies to every project with a config.
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
  const starting = startingProgram(host, read)
  const parts = {
    words: [...startingWords(starting, form, host.cwd), ...placesOf(host, form, read)],
    flags: flagsOf(client, read),
    timeoutMs: read.timeout,
    maxBlocks: read.max,
  }
  const change = changeOf(file, (before) => withHooks(file, before, form, hookCommands(read.on, parts)))
  const advice = form.advice === undefined ? [] : [form.advice]
  return { change, notes: [...starting.notes, ...advice] }
}

/** Returns the flags for the commands of hooks. Default values are left out. */
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
    ...(read.claims ? ['--claims'] : []),
  ]
  return { start: who, stop: [...who, ...words], edit: [...who, ...words] }
}

/**
 * Returns flags for the paths of config and results. In the settings of a project a relative path stays relative, so that
 * others can use them.
 */
function placesOf({ flags, cwd }: Host, form: ClientForm, { scope }: HookInstallation): readonly string[] {
  if (isDatabase(flags.results ?? ''))
    throw usageInvalid(
      '--results',
      'The address of a database, which may hold a password, is not written into settings. Name it as store in the config, or in JURIST_RESULTS.',
    )
  return Object.entries({ '-c': flags.config, '--results': flags.results }).flatMap(([flag, path]) =>
    path === undefined ? [] : [flag, pathWord(pathInSettings(path, cwd, scope), form, cwd)],
  )
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
      : `\n${done}\nThe judgments:\n  ${commandLine('list', '--kind', 'hook')}\n`,
  )
}

export const hookAccept: Subcommand = subcommand({
  arguments: [],
  flags: {},
  examples: ['hook accept', 'hook accept --help'],
  note:
    'A session shows how the config that judges it differs from the one that was accepted, or that judged first. This command shows\n' +
    'the differences again, asks, and accepts the config. It needs a terminal: only a person may accept what judges an agent.',
  async run(host) {
    const pending = await pendingConfig(host.cwd)
    if (pending === undefined) {
      host.note('There is nothing to accept: no session here was judged by another config than the accepted one.')
      return 0
    }
    if (!isPerson(host))
      throw usageInvalid('accept', 'Only a person may accept a config. Run this command in a terminal, without --json.')
    for (const change of pending.changes) host.terminal.out(`${safeBlock(change)}\n`)
    const isAccepted = await isConfirmed(host, 'Is this config to judge the agent?')
    if (isAccepted) await pending.accept()
    host.note(isAccepted ? 'Accepted.' : 'Nothing was accepted.')
    return 0
  },
})
