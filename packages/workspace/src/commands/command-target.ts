import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, JuristError, type Workspace } from '@jurist/core'
import { described, type OptionDescriptions, option } from '@jurist/core/internal'
import type { CommandLine } from './command-evidence.js'
import { cpuOption, directoryOption, variablesOption } from './command-succeeds.js'

/** Where a command is about to run. */
export interface Site {
  /** The workspace, or the copy of an overlay. */
  readonly workspace: Workspace
  /** Workspaces that the agent did not touch, as far as known: its initial state, the reference, the overlay. */
  readonly originals: readonly Workspace[]
  /** Normalised. */
  readonly cwd: string
}

/** A command made for a site. */
export interface Prepared {
  readonly command: CommandLine
  /** What is known of the tool. */
  readonly metadata: JsonObject
  /** Variables that the tool is given, unless the user gives others. */
  readonly env?: { readonly [name: string]: string }
  /** The report that the command is asked to write, relative to the directory it runs in. */
  readonly reportFile?: string
  /** Whether the runner of Node is asked for its report. */
  readonly asksNode?: boolean
  /** Whether a run without a report is one that ran no test. */
  readonly demandsReport?: boolean
  /** Why the command need not be run: the agent took away what it would run. */
  readonly missing?: string
}

/** How a tool is asked to do its work at a site. */
export type Prepare = (site: Site) => Promise<Prepared>

/** The script a project brings along so that everybody builds with the same version of a tool. */
export interface Wrapper {
  readonly script: string
  /** Where its parts lie; they decide what the script runs. */
  readonly parts: string
}

/** Whether the wrapper of a site is there, can be run and may be trusted. */
export async function mayUseWrapper(
  site: Site,
  { script, parts }: Wrapper,
  trust: NonNullable<BuildOptions['trustWrapper']>,
): Promise<boolean> {
  const { workspace, originals, cwd } = site
  const [scriptPath, partsPath] = [below(cwd, script), below(cwd, parts)]
  if (trust === false || !(await isRunnable(workspace, scriptPath))) return false
  if (trust === true || (trust === 'unchanged' && originals.length === 0)) return true
  for (const original of trust === 'unchanged' ? originals : originals.slice(0, 1))
    if ((await sameFile(workspace, original, scriptPath)) && (await sameTree(workspace, original, partsPath)))
      return true
  return false
}

/** Whether the agent was given a wrapper that can be run, or the reference has one. */
export async function gaveWrapper({ originals, cwd }: Site, { script }: Wrapper): Promise<boolean> {
  for (const original of originals) if (await isRunnable(original, below(cwd, script))) return true
  return false
}

/** A path of the workspace from one below a directory of it. */
export function below(directory: string, path: string): string {
  return directory === '.' ? path : `${directory}/${path}`
}

/** A file that can be executed, as far as the workspace knows: one without a directory does not. */
async function isRunnable(workspace: Workspace, path: string): Promise<boolean> {
  if (!(await isFile(workspace, path))) return false
  const stats =
    workspace.root === undefined ? undefined : statSync(join(workspace.root, path), { throwIfNoEntry: false })
  return stats === undefined || (stats.mode & 0o111) !== 0
}

/** Whether a file exists. A link that leaves the workspace does not count. */
export async function isFile(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return await workspace.isFile(path)
  } catch (thrown) {
    if (JuristError.is(thrown, 'path-escape')) return false
    throw thrown
  }
}

async function sameTree(workspace: Workspace, original: Workspace, directory: string): Promise<boolean> {
  const [paths, wanted] = [await entries(workspace, directory), await entries(original, directory)]
  if (JSON.stringify(paths) !== JSON.stringify(wanted)) return false
  for (const [path, type] of paths)
    if (type !== 'directory' && !(await sameFile(workspace, original, path))) return false
  return true
}

async function entries(workspace: Workspace, directory: string): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = []
  for await (const { path, type } of workspace.list({ under: directory })) found.push([path, type])
  return found
}

/** Whether both have the same bytes there. */
export async function sameFile(workspace: Workspace, original: Workspace, path: string): Promise<boolean> {
  if (!(await isFile(workspace, path)) || !(await isFile(original, path))) return false
  const theirs = await original.readBytes(path, { maxBytes: Number.MAX_SAFE_INTEGER })
  try {
    const ours = await workspace.readBytes(path, { maxBytes: theirs.length })
    return Buffer.compare(ours, theirs) === 0
  } catch (thrown) {
    if (JuristError.is(thrown, 'too-large')) return false
    throw thrown
  }
}

/** What every judge takes that runs a build tool. */
export interface BuildOptions {
  /** Milliseconds. Default 600,000. */
  readonly timeoutMs?: number
  /** Milliseconds of processor time, which a busy machine does not shorten. Default: no limit. */
  readonly cpuMs?: number
  /**
   * Whether `./mvnw` and `./gradlew` of the workspace may be run, else the tool of the machine is. Default `'unchanged'`:
   * while the script and its parts are, byte for byte, those the agent began with or those of the reference, and where
   * neither is known; `'reference'`: only while they are what the agent was given; `true`: always; `false`: never.
   */
  readonly trustWrapper?: boolean | 'reference' | 'unchanged'
  /** A directory of the workspace. Default: its root. */
  readonly cwd?: string
  /** Variables to add. */
  readonly env?: { readonly [name: string]: string }
}

/** Milliseconds a build or a test run may take unless the options say otherwise. */
export const defaultTimeoutMs = 600_000

/** What each of these options is. */
export const buildRules: OptionDescriptions<BuildOptions> = {
  timeoutMs: described(option.positive, 'Milliseconds.', defaultTimeoutMs),
  cpuMs: cpuOption,
  trustWrapper: described(
    option.either(option.boolean, option.oneOf('reference', 'unchanged')),
    'Whether `./mvnw` and `./gradlew` of the workspace may run: always (true), never (false), or while unchanged.',
    'unchanged',
  ),
  cwd: directoryOption,
  env: variablesOption,
}
