import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import { copyOf } from '@jurist/workspace'
import { deleteTree, temporaryDirectory } from '@jurist/workspace/internal'
import { sha256 } from '../dataset/hash.js'
import type { MadeWorkspace } from './lease.js'
import type { Views } from './read-only-workspaces.js'
import { setupRules, type WorkspaceSettings, type WorkspaceSetup } from './workspace-options.js'

/** What package managers need of the machine beside what every command gets. */
const passedOn = ['npm_config_*', 'PIP_*', 'UV_*', 'SSL_CERT_*', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE']
const proxies = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

/** Gives the workspaces of a trial what a setup installs. */
export type Install = (settings: WorkspaceSettings, views: Views, signal: AbortSignal) => Promise<WorkspaceSettings>

/**
 * A function that adds to settings where the installed directories are, and runs the command if they are not there yet. Equal
 * inputs are installed once; the next process finds them in the cache.
 *
 * @throws `option-invalid`; the function: `setup-failed`
 */
export function installation(where: string, setup: WorkspaceSetup | undefined): Install {
  if (setup === undefined) return async (settings) => settings
  const given = checkOptions<WorkspaceSetup>(`${where}: setup`, setup, setupRules)
  const cache = resolve(given.cacheDirectory ?? '.jurist/setups')
  const running = new Map<string, Promise<void>>()
  return async function install(settings, { reference, before }, signal) {
    const source = reference ?? before
    if (source === null) return settings
    const key = await keyOf(source, given)
    const place = join(cache, key)
    if (!existsSync(place)) {
      const work = running.get(key) ?? perform(source, given, { place, signal }).finally(() => running.delete(key))
      running.set(key, work)
      await work
    }
    return { ...settings, options: { ...settings.options, installed: { from: place, paths: given.keeps } } }
  }
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
  const { command, keeps, timeoutMs = 900_000 } = setup
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
    if (filled.length === 0) throw nothingFilled(command, keeps)
    for (const path of filled) {
      mkdirSync(dirname(join(made, path)), { recursive: true })
      renameSync(join(tree, path), join(made, path))
    }
    if (!existsSync(place)) renameSync(made, place)
  } finally {
    await Promise.all([deleteTree(made), deleteTree(tree)])
  }
}

/** What was installed is no part of the agent's work, so it is not kept with it. */
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

const keptLines = 5

function setupFailed(
  command: WorkspaceSetup['command'],
  output: string,
  end: number | string,
): JuristError<'setup-failed'> {
  const shown = shownCommand(command)
  const said = output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-keptLines)
    .join('\n')
  const message = `The setup "${shown}" failed (${end}): ${said}\nRun it in a checkout of the item to see more.`
  return new JuristError('setup-failed', message, { command: shown, output: said })
}
