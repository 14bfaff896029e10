import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, type Judge, JuristError, type Workspace } from '@jurist/core'
import {
  described,
  isPlainObject,
  type OptionDescriptions,
  option,
  optionInvalid,
  printed,
} from '@jurist/core/internal'
import { type CommandLine, commandOption } from './command-evidence.js'
import { cpuOption, directoryOption, variablesOption } from './command-succeeds.js'

export interface Site {
  /** The workspace, or the copy of an overlay. */
  readonly workspace: Workspace
  /** The known workspaces that the agent did not touch: its initial state, the reference, the overlay. */
  readonly originals: readonly Workspace[]
  /** Normalised. */
  readonly cwd: string
}

export interface Prepared {
  readonly command: CommandLine
  readonly metadata: JsonObject
  /** Variables for the tool, unless the user sets them. */
  readonly env?: { readonly [name: string]: string }
  /** The report that the command should write, relative to the directory it runs in. */
  readonly reportFile?: string
  /** Whether Node's test runner should write its report. */
  readonly asksNode?: boolean
  /** Whether a run without a report counts as having run no test. */
  readonly demandsReport?: boolean
  /** The reason why the command need not run: the agent removed what it would run. */
  readonly missing?: string
}

export type Prepare = (site: Site) => Promise<Prepared>

/** A script in a project, so that everybody builds with the same version of a tool. */
export interface Wrapper {
  readonly script: string
  /** The directory of its parts, which determine what the script runs. */
  readonly parts: string
}

/** Whether the wrapper of a site exists, is executable and may be trusted. */
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

/** Whether the agent's initial state or the reference has an executable wrapper. */
export async function gaveWrapper({ originals, cwd }: Site, { script }: Wrapper): Promise<boolean> {
  for (const original of originals) if (await isRunnable(original, below(cwd, script))) return true
  return false
}

/** Joins a directory of the workspace and a path below it. */
export function below(directory: string, path: string): string {
  return directory === '.' ? path : `${directory}/${path}`
}

/** Whether a file is executable, if the workspace knows it. A workspace without a directory does not. */
async function isRunnable(workspace: Workspace, path: string): Promise<boolean> {
  if (!(await isFile(workspace, path))) return false
  const stats =
    workspace.root === undefined ? undefined : statSync(join(workspace.root, path), { throwIfNoEntry: false })
  return stats === undefined || (stats.mode & 0o111) !== 0
}

/** A link that leaves the workspace does not count. */
export async function isFile(workspace: Workspace, path: string): Promise<boolean> {
  try {
    return await workspace.isFile(path)
  } catch (thrown) {
    if (JuristError.is(thrown, 'path-escape')) return false
    throw thrown
  }
}

/** Reads a `package.json`; `undefined` if it is missing or unreadable: the agent may have left anything there. */
export async function manifestOf(
  workspace: Workspace,
  path: string,
): Promise<{ readonly [key: string]: unknown } | undefined> {
  try {
    const manifest: unknown = JSON.parse(await workspace.read(path))
    return isPlainObject(manifest) ? manifest : undefined
  } catch (thrown) {
    if (thrown instanceof JuristError || thrown instanceof SyntaxError) return undefined
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

/** Whether a file has the same bytes in both. */
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

/** Options of every judge that runs a build tool. */
export interface BuildOptions {
  /** The time limit, in milliseconds. Default 600,000. */
  readonly timeoutMs?: number
  /** The limit of processor time, in milliseconds. It does not depend on how busy the machine is. Default: no limit. */
  readonly cpuMs?: number
  /**
   * Whether `./mvnw` and `./gradlew` of the workspace may run. Otherwise the tool of the machine runs. Default
   * `'unchanged'`: if the script and its parts have the same bytes as in the initial state or the reference, or if
   * neither is known. `'reference'`: only if they are the same as in what the agent was given. `true`: always. `false`:
   * never.
   */
  readonly trustWrapper?: boolean | 'reference' | 'unchanged'
  /** The directory of the workspace in which the tool runs. Default: its root. */
  readonly cwd?: string
  /** Additional environment variables. Default: none. */
  readonly env?: { readonly [name: string]: string }
}

/** The default time limit of a build or a test run, in milliseconds. */
export const defaultTimeoutMs = 600_000

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

/** The description of such a judge in a config: `{tool, arguments?, …options}` or `{command, …options}`. */
export interface ToolDescription {
  readonly tool?: string
  readonly arguments?: readonly string[]
  readonly command?: string | readonly string[]
}

export function toolOptions(factories: object): OptionDescriptions<ToolDescription> {
  return {
    tool: described(option.oneOf(...Object.keys(factories)), 'The tool. Default: `command`, if there is a command.'),
    arguments: described(
      option.strings,
      'Words for the tool, such as a script or a goal. They never go through a shell.',
    ),
    command: commandOption,
  }
}

/** The factories check their arguments. */
interface Factories {
  readonly [tool: string]: (...given: never[]) => Judge
}

/**
 * Creates the judge that a description names.
 *
 * @throws `option-invalid` for an unknown tool and for arguments that are not strings
 */
export function judgeByTool(name: string, factories: Factories, { tool, ...described }: ToolDescription): Judge {
  const wanted = tool ?? (described.command === undefined ? undefined : 'command')
  const factory = Object.entries(factories).find(([one]) => one === wanted)?.[1] as
    | ((...given: readonly unknown[]) => Judge)
    | undefined
  if (factory === undefined) {
    const known = Object.keys(factories).join(', ')
    optionInvalid('tool', `${name}: "tool" must be one of ${known} (got ${printed(tool)}).`)
  }
  if (wanted === 'command') {
    const { command, ...options } = described
    return factory(command, options)
  }
  if (wanted === 'detect') return factory(described)
  const { arguments: words = [], ...options } = described
  if (option.strings.holds(words)) return factory(...words, options)
  optionInvalid('arguments', `${name}: "arguments" must be an array of strings (got ${printed(words)}).`)
}
