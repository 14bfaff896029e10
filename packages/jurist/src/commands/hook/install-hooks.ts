import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { flag, oneOf, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { parseObject } from '@jurist/kit/json'
import { shellWord } from '@jurist/kit/shell-word'
import { safeBlock } from '@jurist/kit/terminal'
import { unifiedDiff } from '@jurist/kit/text-diff'
import { repositoryAround } from '@jurist/workspace/internal'
import type { Host } from '../../command-kit/host.js'
import { makeParent } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import {
  type Client,
  type ClientForm,
  clientNames,
  type HookCommand,
  type Moment,
  moments,
  type SettingsScope,
  settingsScopes,
} from './clients.js'

/** The flags of every command that writes the settings of a coding agent. */
export const installFlags = {
  scope: flag(
    '--scope <scope>',
    `the settings to change: ${settingsScopes.join(', ')} (default: project)`,
    oneOf(settingsScopes),
    { default: 'project' },
  ),
  dryRun: toggle('--dry-run', 'show the change and write nothing'),
} as const

export const codingAgent: readonly ['[agent]', string, readonly string[]] = [
  '[agent]',
  clientNames.join(', '),
  clientNames,
]

/** Throws `usage-invalid` for an unknown coding agent. */
export function clientNamed(name: string | undefined): Client {
  const client = clientNames.find((one) => one === name)
  if (client !== undefined) return client
  if (name === undefined) throw usageInvalid('agent', `Name a coding agent: ${clientNames.join(', ')}.`)
  throw usageInvalid('agent', `Unknown coding agent "${name}".${unknownAmong(name, clientNames)}`)
}

/** A file to write, with its current content. */
export interface Change {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** Describes the change of a file whose new content depends on the old one, which is `''` for a new file. */
export function changeOf(file: string, change: (before: string) => string): Change {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return { file, before, after: change(before) }
}

/** Shows each change, and writes the files unless it is a dry run. With `--json`, nothing is shown. */
export async function writeSettings(host: Host, changes: readonly Change[], dryRun: boolean): Promise<void> {
  for (const { file, before, after } of changes) {
    if (host.flags.json !== true) showChange(host, { file, before, after })
    if (dryRun) continue
    await makeParent(file)
    await writeFile(file, after)
  }
}

function showChange({ cwd, terminal }: Host, { file, before, after }: Change): void {
  const lines = unifiedDiff(before, after)
  const shown = relative(cwd, file)
  terminal.out(`${shown.startsWith('..') ? file : shown}\n${lines.length === 0 ? '  unchanged\n' : ''}`)
  for (const line of lines) terminal.out(`${safeBlock(line)}\n`)
}

/** Matches a hook of Jurist, regardless of how it was installed. */
const ours = new RegExp(`jurist\\b.* hook (${moments.join('|')})\\b`)

/**
 * Adds hooks to the settings of a coding agent. Earlier hooks of Jurist are replaced; everything else stays unchanged.
 *
 * @param before the current content of the file; empty for a new one
 * @throws `usage-invalid` for a file that is not JSON
 */
export function withHooks(file: string, before: string, form: ClientForm, commands: readonly HookCommand[]): string {
  const settings = before.trim() === '' ? form.empty : parseObject(before)
  if (settings === undefined)
    throw usageInvalid(file, `${file} is not a JSON object. Nothing was written. Correct it, and install again.`)
  const hooks = isPlainObject(settings.hooks) ? settings.hooks : {}
  const kept = Object.entries(hooks).flatMap(([event, entries]) => {
    const others = Array.isArray(entries) ? entries.filter((entry) => !ours.test(commandText(entry))) : entries
    return Array.isArray(others) && others.length === 0 ? [] : [[event, others] as const]
  })
  const all: Record<string, unknown> = Object.fromEntries(kept)
  for (const command of commands) {
    const event = form.events[command.moment]
    if (event === undefined) continue
    const others = Array.isArray(all[event]) ? (all[event] as readonly unknown[]) : []
    all[event] = [...others, form.entry(command)]
  }
  return `${JSON.stringify({ ...settings, hooks: all }, null, 2)}\n`
}

function commandText(entry: unknown): string {
  if (!isPlainObject(entry)) return ''
  const inner = Array.isArray(entry.hooks) ? entry.hooks : []
  return [entry.command, ...inner.map((hook) => (isPlainObject(hook) ? hook.command : ''))].join('\n')
}

/** The command line with which an agent starts this program. */
interface Starting {
  /** The program and its first arguments. A relative path is relative to the project. */
  readonly argv: readonly [program: string, ...rest: string[]]
  /** What the user must know of it. */
  readonly notes: readonly string[]
}

const installedInside =
  'The agent can change jurist, which is installed in this project. Install it in a directory that the agent cannot write to, and run this command with that one'
const onThisMachine =
  'The settings of the project name jurist by its path on this machine. For others, add it to the dependencies of the project and run npx jurist, or use --scope user'

/**
 * Chooses how an agent starts this program. In the settings of a project, which are usually committed: the one in the
 * packages of the project or, of a workspace, above it in the repository. Otherwise `jurist` if it is on the PATH, `npx`
 * if that downloaded it, else its absolute path.
 */
export function startingProgram({ cwd: project }: Host, { scope }: { readonly scope: SettingsScope }): Starting {
  const real = realpathSync(process.argv[1] ?? '')
  const isReal = (path: string) => existsSync(path) && realpathSync(path) === real
  const here = realpathSync(project)
  const top = repositoryAround(here)?.tree ?? here
  for (let at = here; scope === 'project'; at = dirname(at)) {
    const own = join(at, 'node_modules', '.bin', 'jurist')
    if (isReal(own)) return { argv: [relative(here, own)], notes: [installedInside] }
    if (at === top) break
  }
  const byPath = [process.execPath, real] as const
  if (real.startsWith(`${top}${sep}`)) return { argv: byPath, notes: [installedInside] }
  if (real.includes(`${sep}_npx${sep}`)) return { argv: ['npx', '--yes', 'jurist'], notes: [] }
  // npm and npx put the packages of projects on the PATH, which hooks do not have.
  const places = (process.env.PATH ?? '').split(delimiter).filter((one) => !one.endsWith(join('node_modules', '.bin')))
  if (places.some((one) => one !== '' && isReal(join(one, 'jurist')))) return { argv: ['jurist'], notes: [] }
  return { argv: byPath, notes: scope === 'project' ? [onThisMachine] : [] }
}

/** Returns the shell words that start the program in a hook. */
export function startingWords(
  { argv: [program, ...rest] }: Starting,
  form: ClientForm,
  cwd: string,
): readonly string[] {
  return [program.includes(sep) ? pathWord(program, form, cwd) : shellWord(program), ...rest.map(shellWord)]
}

/** A path as settings name it: relative in those of a project, unless it lies there by an absolute path elsewhere. */
export function pathInSettings(path: string, cwd: string, scope: SettingsScope): string {
  const way = relative(cwd, resolve(cwd, path))
  return scope === 'user' || (isAbsolute(path) && way.startsWith('..')) ? resolve(cwd, path) : way
}

/**
 * Quotes a path for the shell that runs a hook. A path relative to `cwd`, the project, leads to the same file from every
 * working directory of the agent.
 */
export function pathWord(path: string, { baseDirectory, isRepository }: ClientForm, cwd: string): string {
  const here = realpathSync(cwd)
  const base = isRepository ? repositoryAround(here)?.tree : here
  const file = resolve(here, path)
  if (isAbsolute(path) || !base) return shellWord(file)
  return `${baseDirectory}/${shellWord(relative(base, file))}`
}

/** Returns the hook of each moment. Every session begins with a copy of the config. */
export function hookCommands(
  on: Exclude<Moment, 'start'>,
  { words, flags, timeoutMs, maxBlocks }: CommandParts,
): readonly HookCommand[] {
  // The command has to reach its own timeout first.
  const seconds = Math.ceil(timeoutMs / 1_000) + 20
  return (['start', on] as const).map((moment) => ({
    moment,
    command: [...words, 'hook', moment, ...flags[moment].map(shellWord)].join(' '),
    seconds,
    maxBlocks,
  }))
}

interface CommandParts {
  /** The shell words before the subcommand. */
  readonly words: readonly string[]
  /** The flags for each moment. */
  readonly flags: { readonly [moment in Moment]: readonly string[] }
  readonly timeoutMs: number
  readonly maxBlocks: number
}

/** The test tools of projects, by a typical file. A `package.json` counts if it has a test script. */
const tools: readonly (readonly [file: string, tool: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package.json', 'npm'],
  ['pyproject.toml', 'pytest'],
  ['pytest.ini', 'pytest'],
  ['pom.xml', 'maven'],
  ['build.gradle', 'gradle'],
  ['build.gradle.kts', 'gradle'],
  ['go.mod', 'go'],
  ['Cargo.toml', 'cargo'],
]
const node: ReadonlySet<string> = new Set(['pnpm', 'yarn', 'npm'])

/**
 * Returns a config with one jury for a project without a config: its tests must pass, or otherwise it must have a
 * README with a title.
 */
export function starterConfig(directory: string, jury: string): string {
  const found = tools.find(
    ([file, tool]) => existsSync(join(directory, file)) && (!node.has(tool) || hasTestScript(directory)),
  )
  const judges =
    found === undefined
      ? 'readme: { type: file-content, path: README.md, matches: "^# \\\\w" }'
      : `tests: { type: tests-pass, tool: ${found[1]}, timeoutMs: 80000 }`
  return `# The agent may stop when every judge passes. Commit this file: a commit judges as it is, whatever happens to the file.
juries:
  ${jury}:
    judges:
      ${judges}
    vote: consensus
`
}

/** Whether `package.json` has a test script other than the one that npm writes into a new project. */
function hasTestScript(directory: string): boolean {
  try {
    const scripts = parseObject(readFileSync(join(directory, 'package.json'), 'utf8'))?.scripts
    const script = isPlainObject(scripts) ? scripts.test : undefined
    return typeof script === 'string' && !script.includes('no test specified')
  } catch {
    return false
  }
}
