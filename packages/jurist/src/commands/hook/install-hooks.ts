import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, sep } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { parseObject } from '@jurist/kit/json'
import { shellWord } from '@jurist/kit/shell-word'
import { type ClientForm, type HookCommand, type Moment, moments, type SettingsScope } from './clients.js'

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
  /** Whether the program is in the project, where the agent can change it. */
  readonly isInProject: boolean
}

/** The facts that determine how an agent starts this program. */
interface Installation {
  readonly project: string
  /** Settings of the user apply to every project. */
  readonly scope: SettingsScope
  /** The file of this program. */
  readonly program: string
  /** The directories of programs, as in `PATH`. */
  readonly path: string
}

/**
 * Chooses how an agent starts this program: the one in the packages of the project, otherwise `jurist` if it is on the
 * PATH, otherwise the absolute path.
 */
export function startingProgram({ project, scope, program, path }: Installation): Starting {
  const own = join('node_modules', '.bin', 'jurist')
  const real = realpathSync(program)
  const byPath = [process.execPath, real] as const
  if (scope === 'project' && isSame(join(project, own), real)) return { argv: [own], isInProject: true }
  if (!relative(realpathSync(project), real).startsWith(`..${sep}`)) return { argv: byPath, isInProject: true }
  const isOnPath = path
    .split(delimiter)
    .some((directory) => directory !== '' && isSame(join(directory, 'jurist'), real))
  return { argv: isOnPath ? ['jurist'] : byPath, isInProject: false }
}

/** Returns the shell words that start the program in a hook. */
export function startingWords({ argv: [program, ...rest] }: Starting, form: ClientForm): readonly string[] {
  return [program.includes(sep) ? pathWord(program, form) : shellWord(program), ...rest.map(shellWord)]
}

/**
 * Quotes a path for the shell that runs a hook. A relative path is relative to the project, regardless of the agent's
 * working directory.
 */
export function pathWord(path: string, { projectDirectory }: ClientForm): string {
  return isAbsolute(path) ? shellWord(path) : `${projectDirectory}/${shellWord(path)}`
}

function isSame(path: string, real: string): boolean {
  return existsSync(path) && realpathSync(path) === real
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
