import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { copyOf } from '@jurist/workspace'
import { deleteTree, temporaryDirectory } from '@jurist/workspace/internal'
import { sha256 } from '../dataset/hash.js'
import type { MadeWorkspace } from './lease.js'
import type { Views } from './read-only-workspaces.js'
import { setupRules, type WorkspaceOptions, type WorkspaceSettings, type WorkspaceSetup } from './workspace-options.js'

/** Environment variables that package managers need in addition to those of every command. */
const passedOn = ['npm_config_*', 'PIP_*', 'UV_*', 'SSL_CERT_*', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE']
const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

/** Adds the packages that a setup installs to the workspaces of a trial. */
export type Install = (settings: WorkspaceSettings, views: Views, signal: AbortSignal) => Promise<WorkspaceSettings>

/**
 * A function that adds to settings where the installed directories are, and runs the command if they are not there yet. Equal
 * inputs are installed once; the next process finds them in the cache.
 *
 * @throws `option-invalid`; the function: `setup-failed`
 */
export function installation(where: string, setup: WorkspaceOptions['setup']): Install {
  const setups = [setup ?? []].flat().map((one) => checkOptions<WorkspaceSetup>(`${where}: setup`, one, setupRules))
  const running = new Map<string, Promise<void>>()
  return async function install(settings, { reference, before }, signal) {
    const source = reference ?? before
    const given = source === null ? undefined : await setupFor(source, setups)
    if (source === null || given === undefined) return settings
    const key = await keyOf(source, given)
    const place = join(resolve(given.cacheDirectory ?? '.jurist/setups'), key)
    if (!existsSync(place)) {
      const work = running.get(key) ?? perform(source, given, { place, signal })
      running.set(key, work)
      const forget = () => running.delete(key)
      // A failed setup would fail again, so the next trial reuses its failure.
      work.then(forget, (thrown) => JuristError.is(thrown, 'setup-failed') || forget())
      await work
    }
    return { ...settings, options: { ...settings.options, installed: { from: place, paths: given.keeps } } }
  }
}

/** The first setup that is for a tree. */
async function setupFor(source: Workspace, setups: readonly WorkspaceSetup[]): Promise<WorkspaceSetup | undefined> {
  for (const setup of setups) if (setup.when === undefined || (await source.isFile(setup.when))) return setup
  return undefined
}

async function keyOf(source: Workspace, { command, inputs, keeps }: WorkspaceSetup): Promise<string> {
  const contents = await Promise.all(
    inputs.map(async (path) =>
      (await source.isFile(path)) ? sha256(Buffer.from(await source.readBytes(path))) : null,
    ),
  )
  const machine = [process.platform, process.arch, process.version]
  return sha256(JSON.stringify([command, inputs, contents, keeps, machine])).slice(0, 32)
}

interface Performing {
  readonly place: string
  readonly signal: AbortSignal
}

async function perform(source: Workspace, setup: WorkspaceSetup, { place, signal }: Performing): Promise<void> {
  const { command, keeps, when, timeoutMs = 900_000 } = setup
  const parent = dirname(place)
  mkdirSync(parent, { recursive: true })
  const [made, tree] = [temporaryDirectory(parent), temporaryDirectory(parent)]
  try {
    await using copy = await copyOf(source.root ?? '', {
      ...{ to: tree, environment: { allow: [...passedOn, ...proxies] } },
      signal,
    })
    const { status, exitCode, stdout, stderr } = await copy.run(command, { timeoutMs, signal })
    signal.throwIfAborted()
    if (status !== 'exited' || exitCode !== 0) throw setupFailed(command, `${stdout}\n${stderr}`, exitCode ?? status)
    const filled = keeps.filter((path) => isFilled(join(tree, path)))
    if (filled.length === 0 && when === undefined) throw nothingFilled(command, keeps)
    for (const path of filled) {
      mkdirSync(dirname(join(made, path)), { recursive: true })
      renameSync(join(tree, path), join(made, path))
    }
    if (!existsSync(place)) renameSync(made, place)
  } finally {
    await Promise.all([deleteTree(made), deleteTree(tree)])
  }
}

/** Installed packages are not part of the agent's work, so they are not kept with it. */
export function withoutInstalled(made: MadeWorkspace, { options: { installed } }: WorkspaceSettings): MadeWorkspace {
  return installed === undefined ? made : { ...made, notKept: [...(made.notKept ?? []), ...installed.paths] }
}

function isFilled(directory: string): boolean {
  const stats = statSync(directory, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && readdirSync(directory).length > 0
}

function nothingFilled(command: WorkspaceSetup['command'], keeps: readonly string[]): JuristError<'setup-failed'> {
  const shown = shownCommand(command)
  const paths = keeps.join(', ')
  const message = `The setup "${shown}" succeeded and left nothing in ${paths}. Name the directories that it fills in "keeps".`
  return new JuristError('setup-failed', message, { command: shown, output: '' })
}

function shownCommand(command: WorkspaceSetup['command']): string {
  return typeof command === 'string' ? command : command.join(' ')
}

function setupFailed(
  command: WorkspaceSetup['command'],
  output: string,
  end: number | string,
): JuristError<'setup-failed'> {
  const shown = shownCommand(command)
  const said = firstError(output)
  const message = `The setup "${shown}" failed (${end}): ${said}\nRun it in a checkout of the item to see more.`
  return new JuristError('setup-failed', message, { command: shown, output: said })
}

const keptLines = 5
/** Prefix of each line of an npm error. */
const ofNpm = /^npm (?:error|ERR!)(?: |$)/
/** Lines that report a failure. */
const saysError =
  /\berr(?:or)?\b|\bERR[_!]|\bE[A-Z]{4,}\b|\bfatal\b|\bnot found\b|\bno such\b|\bdenied\b|\bfailed\b|\bcan(?:no|')t\b/i
/** Error codes and warnings, which precede the line that describes the error. */
const saysLittle = /^(?:(?:code|errno|syscall|path|dest|cwd) \S+$|(?:npm )?warn\b)/i

/**
 * The first error in the output of a tool, without the lines after it, such as help; its last lines if none names an
 * error.
 *
 * @internal
 */
function firstError(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  const text = (line: string) => line.replace(ofNpm, '').trim()
  const first = lines.findIndex((line) => text(line) !== '' && saysError.test(line) && !saysLittle.test(text(line)))
  if (first === -1)
    return lines
      .filter((line) => line !== '')
      .slice(-keptLines)
      .join('\n')
  const rest = lines.slice(first).map(text)
  const paragraph = rest.slice(0, [...rest, ''].indexOf('')).slice(0, keptLines)
  // npm breaks sentences into lines.
  return paragraph.join(ofNpm.test(lines[first] ?? '') ? ' ' : '\n')
}
