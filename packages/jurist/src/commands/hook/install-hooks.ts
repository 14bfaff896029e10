import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, sep } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { parseObject } from '@jurist/kit/json'
import { shellWord } from '@jurist/kit/shell-word'
import { type ClientForm, type HookCommand, type Moment, moments, type SettingsScope } from './clients.js'

/** An entry of ours, whatever installed it. */
const ours = new RegExp(`jurist\\b.* hook (${moments.join('|')})\\b`)

/**
 * The settings of a coding agent with hooks of ours. Those that were there are replaced; everything else stays.
 *
 * @param before what the file has; empty for a new one
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

/** The commands in an entry. */
function commandText(entry: unknown): string {
  if (!isPlainObject(entry)) return ''
  const inner = Array.isArray(entry.hooks) ? entry.hooks : []
  return [entry.command, ...inner.map((hook) => (isPlainObject(hook) ? hook.command : ''))].join('\n')
}

/** How an agent starts this program. */
interface Starting {
  /** The program and its first arguments. A relative path is one in the project. */
  readonly argv: readonly [program: string, ...rest: string[]]
  /** Whether the program is in the project, where the agent can change it. */
  readonly isInProject: boolean
}

/** What decides how an agent starts this program. */
interface Installation {
  readonly project: string
  /** Settings of the user are for every project. */
  readonly scope: SettingsScope
  /** The file of this program. */
  readonly program: string
  /** The directories of programs, as in `PATH`. */
  readonly path: string
}

/**
 * How an agent starts this program: the one in the packages of the project, else `jurist` if the PATH has it, else by its
 * absolute path.
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

/** The words of a shell that start it, for a hook. */
export function startingWords({ argv: [program, ...rest] }: Starting, form: ClientForm): readonly string[] {
  return [program.includes(sep) ? pathWord(program, form) : shellWord(program), ...rest.map(shellWord)]
}

/** A path as a shell that runs a hook writes it. A relative one is in the project, wherever the agent works by then. */
export function pathWord(path: string, { projectDirectory }: ClientForm): string {
  return isAbsolute(path) ? shellWord(path) : `${projectDirectory}/${shellWord(path)}`
}

function isSame(path: string, real: string): boolean {
  return existsSync(path) && realpathSync(path) === real
}

/** What the hook of each moment runs. Every session begins with a copy of the config. */
export function hookCommands(
  on: Exclude<Moment, 'start'>,
  { words, flags, timeoutMs, maxBlocks }: CommandParts,
): readonly HookCommand[] {
  // The command ends itself first.
  const seconds = Math.ceil(timeoutMs / 1_000) + 20
  return (['start', on] as const).map((moment) => ({
    moment,
    command: [...words, 'hook', moment, ...flags[moment].map(shellWord)].join(' '),
    seconds,
    maxBlocks,
  }))
}

/** What commands of hooks are made of. */
interface CommandParts {
  /** The words of a shell before the subcommand. */
  readonly words: readonly string[]
  /** Flags of each moment. */
  readonly flags: { readonly [moment in Moment]: readonly string[] }
  readonly timeoutMs: number
  readonly maxBlocks: number
}

/** The test tools that a project shows by a file. A `package.json` counts if it has a test script. */
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

/** A config with one jury, for a project without a config: its tests pass, or else it has a README with a title. */
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

/** Whether `package.json` has a test script that is not the one that npm writes into a new project. */
function hasTestScript(directory: string): boolean {
  try {
    const scripts = parseObject(readFileSync(join(directory, 'package.json'), 'utf8'))?.scripts
    const script = isPlainObject(scripts) ? scripts.test : undefined
    return typeof script === 'string' && !script.includes('no test specified')
  } catch {
    return false
  }
}
