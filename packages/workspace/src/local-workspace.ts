import { randomBytes } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CommandResult,
  type JudgeView,
  JuristError,
  type ListOptions,
  type RunOptions,
  type SharedWorkspace,
  type WorkspaceEntry,
  type WritableWorkspace,
} from '@jurist/core'
import {
  abortSignal,
  checkOptions,
  failureOf,
  hasFields,
  isPlainObject,
  maxEntries,
  maxReadBytes,
  type OptionRule,
  openPathsWith,
  option,
  optionInvalid,
  timeLeft,
} from '@jurist/core/internal'
import { markerName } from '@jurist/kit/processes'
import { type Semaphore, semaphore } from '@jurist/kit/semaphore'
import { checkedPath, locate } from './containment.js'
import { blank, commandEnvironment, type EnvironmentPolicy, secretsOfHost, withoutSecrets } from './environment.js'
import { readFileBytes, removeEntry, strictText, writeWholeFile } from './file-content.js'
import { judgeView } from './judge-view.js'
import { listTree } from './list-tree.js'
import { abortedBeforeStart, notStarted, runProcess, whyNotMetered } from './process.js'
import { bubblewrapSandbox } from './sandbox/bubblewrap.js'
import { localSandbox } from './sandbox/local.js'
import { findExecutable, unavailable } from './sandbox/prerequisites.js'
import type { CommandLimits, Sandbox } from './sandbox/sandbox.js'
import { parentOfCopies } from './temporary-directory.js'
import { keepSettings, type LocalWorkspaceOptions, type WorkspaceLimits, workspaceRules } from './workspace-settings.js'

interface CommandContext {
  readonly root: string
  readonly sandbox: Sandbox
  readonly environment: EnvironmentPolicy
  readonly limits: CommandLimits
  readonly onNetwork: LocalWorkspaceOptions['onNetwork']
  /** Limits how many commands run at the same time, including those in copies of the workspace. */
  readonly places: Semaphore
  /** Aborted by the disposal of the workspace. */
  readonly closed: AbortSignal
}

const limitRule = option.either(option.positive, { wants: 'null', holds: (value) => value === null })
const runRules: { readonly [name in keyof Required<RunOptions>]: OptionRule } = {
  timeoutMs: limitRule,
  cpuMs: limitRule,
  signal: abortSignal,
  cwd: option.string,
  env: {
    wants: 'an object of strings',
    holds: (value) => isPlainObject(value) && Object.entries(value).every(isVariable),
  },
  stdin: {
    wants: '"ignore" or { text: string }',
    holds: (value) => value === 'ignore' || hasFields(value, { text: option.string }),
  },
  maxOutputBytes: option.integer(0),
  killAfterMs: option.nonNegative,
  onLine: option.function,
}

function isVariable([name, value]: readonly [string, unknown]): boolean {
  return name !== '' && !/[=\0]/.test(name) && typeof value === 'string' && !value.includes('\0')
}

/** Runs a command of a workspace in its sandbox, once a place is free. */
async function runCommand(
  context: CommandContext,
  command: string | readonly string[],
  options?: RunOptions,
): Promise<CommandResult> {
  const given = checkOptions('run', options, runRules)
  const [file, ...args] = wordsOf(command, context)
  const cwd = directoryOf(context.root, given.cwd ?? '.')
  const signals = given.signal === undefined ? [context.closed] : [given.signal, context.closed]
  const release = await context.places.acquire(...signals).catch(() => undefined)
  if (release === undefined) return unlessDisposed(context, abortedBeforeStart())
  try {
    return unlessDisposed(context, await launchAndRun(context, { file, args, cwd, options: given, signals }))
  } finally {
    release()
  }
}

function unlessDisposed({ closed }: CommandContext, result: CommandResult): CommandResult {
  if (!closed.aborted) return result
  throw new JuristError('aborted', 'The workspace was disposed of; its commands were ended.', { reason: 'disposed' })
}

interface Running {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly options: RunOptions
  readonly signals: readonly AbortSignal[]
}

async function launchAndRun(context: CommandContext, running: Running): Promise<CommandResult> {
  const { file, args, cwd, signals, options } = running
  const startedAt = performance.now()
  const marker = randomBytes(16).toString('hex')
  const env = { ...commandEnvironment(context.environment, options.env ?? {}), [markerName]: marker }
  const { root, limits, sandbox, onNetwork } = context
  const unmetered = typeof options.cpuMs === 'number' ? await whyNotMetered(sandbox.isolation) : undefined
  if (unmetered !== undefined) return notStarted(failureOf(unavailable(sandbox.name, unmetered)), startedAt)
  const launch = await sandbox.launch({ file, args, root, cwd, env, limits, onNetwork }).catch(failureOf)
  if (!('stop' in launch)) return notStarted({ ...launch, code: launch.code ?? 'not-started' }, startedAt)
  const { cpuMs = null, stdin = 'ignore', maxOutputBytes = 1_048_576, onLine } = options
  // Without isolation, a command can read the variables of this process, and its output is stored.
  const secrets = secretsOfHost(process.env, env)
  const result = await runProcess(launch, {
    ...{ marker, ...timesOf(options), cpuMs, signals, stdin, maxOutputBytes },
    onLine: onLine && ((line) => onLine(blank(line, secrets))),
  })
  return withoutSecrets(result, secrets)
}

/**
 * The share of the time until the signal fires that is reserved for ending the command and reporting it, and its limit
 * in milliseconds.
 */
const [keptShare, mostKeptMs] = [0.2, 10_000]

/** A command must end before its caller does: otherwise, a program that takes too long would leave no finding. */
export function timesOf({ timeoutMs = 120_000, killAfterMs = 2_000, signal }: RunOptions): {
  readonly timeoutMs: number | null
  readonly killAfterMs: number
} {
  const left = timeLeft(signal)
  if (left === undefined) return { timeoutMs, killAfterMs }
  const kept = Math.min(left * keptShare, mostKeptMs)
  return {
    timeoutMs: Math.max(1, Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, left - kept)),
    killAfterMs: Math.min(killAfterMs, kept / 4),
  }
}

/** Returns an array unchanged, and a string as the arguments that pass it to a shell. */
function wordsOf(command: string | readonly string[], { sandbox }: CommandContext): readonly [string, ...string[]] {
  const words = typeof command === 'string' ? [command] : command
  const [file, ...args] = words
  if (file === undefined || file.trim() === '' || words.some((word) => typeof word !== 'string' || word.includes('\0')))
    optionInvalid('command', 'run: the command is blank or has a NUL character. Name a program.')
  if (typeof command !== 'string') return [file, ...args]
  // The available shells are only known inside the image.
  const choose = 'command -v bash >/dev/null 2>&1 && exec bash -c "$1"; exec sh -c "$1"'
  if (sandbox.isolation === 'container') return ['sh', '-c', choose, 'sh', command]
  return [findExecutable('bash', '/', process.env.PATH) === undefined ? 'sh' : 'bash', '-c', command]
}

function directoryOf(root: string, cwd: string): string {
  const { absolute, exists } = locate(root, checkedPath(cwd, 'entry'))
  if (!exists || !statSync(absolute).isDirectory())
    optionInvalid('cwd', `run: "cwd" must be a directory of the workspace (got ${cwd}).`)
  return relative(root, absolute) || '.'
}

/** Options of `list` of a local workspace. */
export interface LocalListOptions extends ListOptions {
  /** Patterns of entries to leave out, in gitignore syntax. Default: none. */
  readonly ignore?: readonly string[]
  /** How many entries may be listed. Default 200,000. */
  readonly maxEntries?: number
}
/** A directory of this machine. Disposing it ends its commands and deletes nothing. */
export interface LocalWorkspace extends WritableWorkspace, SharedWorkspace, AsyncDisposable {
  /** The absolute path of the directory, without links. */
  readonly root: string
  /** The sandbox of its commands, for the conditions of an experiment. */
  readonly sandbox: Pick<Sandbox, 'name' | 'isolation'>
  list(options?: LocalListOptions): AsyncIterable<WorkspaceEntry>
  /** Gives one of several judges its own view; absent with `judges: 'in-place'`. */
  forJudge?(): JudgeView
}

/**
 * Opens an existing directory as a workspace: a path, or a `file:` URL such as `new URL('.', import.meta.url)`.
 *
 * @throws `not-found` when `dir` is not a directory, `option-invalid` for invalid options
 *
 * @example
 * import { localWorkspace } from '@jurist/workspace'
 *
 * await using workspace = localWorkspace('project')
 * const { exitCode } = await workspace.run(['npm', 'test'])
 */
export function localWorkspace(dir: string | URL, options?: LocalWorkspaceOptions): LocalWorkspace {
  const given = checkOptions('localWorkspace', options, workspaceRules)
  const limits = limitsOf(given.limits)
  return opened(rootOf(dir), given, limits, semaphore(limits.concurrentCommands))
}

// Wherever this package is loaded, the path of a directory is accepted as a workspace in every context.
openPathsWith(localWorkspace)

/** Opens a directory. Its commands and those of its copies share `places`. */
function opened(
  root: string,
  given: LocalWorkspaceOptions,
  limits: WorkspaceLimits,
  places: Semaphore,
): LocalWorkspace {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const commands = commandContext(root, given, limits, places, closing.signal)
  const sandbox = Object.freeze({ name: commands.sandbox.name, isolation: commands.sandbox.isolation })
  keepSettings(sandbox, { ...given, sandbox: commands.sandbox })
  const products = new Set<string>()
  const workspace: LocalWorkspace = Object.freeze<LocalWorkspace>({
    root,
    sandbox,
    exists: async (path) => locate(root, checkedPath(path, 'entry')).exists,
    isFile: async (path) => isRegularFile(root, path),
    read: async (path, reading) => strictText(readFileBytes(root, path, limits.readBytes, reading), path),
    readBytes: async (path, reading) => readFileBytes(root, path, limits.readBytes, reading),
    list: (listing) => entriesOf(root, limits.treeEntries, listing),
    async run(command, how) {
      const result = runCommand(commands, command, how)
      running.add(result)
      return result.finally(() => running.delete(result))
    },
    write: async (path, content) => writeWholeFile(root, path, content),
    remove: async (path) => removeEntry(root, path),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error('The workspace was disposed of.'))
      await Promise.allSettled(running)
    },
    ...(given.judges === 'in-place' ? {} : { forJudge }),
  })
  function forJudge(): JudgeView {
    return judgeView({
      original: () => workspace,
      rootToCopy: () => root,
      parentDirectory: parentOfCopies(root),
      open: (directory) => opened(rootOf(directory), given, limits, places),
      products,
    })
  }
  return workspace
}

function limitsOf(given: Partial<WorkspaceLimits> | undefined): WorkspaceLimits {
  const limits = checkOptions('localWorkspace: limits', given, {
    concurrentCommands: option.integer(1),
    readBytes: option.integer(0),
    treeEntries: option.integer(0),
    memoryBytes: option.integer(1),
    processes: option.integer(1),
    cpuSeconds: option.positive,
    fileBytes: option.integer(0),
  })
  return { concurrentCommands: 4, readBytes: maxReadBytes, treeEntries: maxEntries, ...limits }
}

function commandContext(
  root: string,
  { sandbox = 'none', environment, onNetwork }: LocalWorkspaceOptions,
  limits: WorkspaceLimits,
  places: Semaphore,
  closed: AbortSignal,
): CommandContext {
  const policy = checkOptions('localWorkspace: environment', environment, { allow: option.strings, set: option.record })
  const chosen = sandbox === 'none' ? localSandbox() : sandbox === 'bubblewrap' ? bubblewrapSandbox() : sandbox
  return { root, sandbox: chosen, environment: policy, limits, onNetwork, places, closed }
}

function rootOf(dir: string | URL): string {
  try {
    const root = realpathSync.native(String(dir).startsWith('file:') ? fileURLToPath(dir) : dir)
    if (statSync(root).isDirectory()) return root
  } catch {
    // The error below covers it.
  }
  throw new JuristError('not-found', `${dir} is not a directory. Create it first: a workspace never does.`, {
    path: String(dir),
  })
}

function isRegularFile(root: string, path: string): boolean {
  const { absolute, exists } = locate(root, checkedPath(path, 'file'))
  return exists && statSync(absolute, { throwIfNoEntry: false })?.isFile() === true
}

async function* entriesOf(root: string, cap: number, options?: LocalListOptions): AsyncIterable<WorkspaceEntry> {
  const listing = checkOptions('list', options, {
    under: option.string,
    signal: option.anything,
    ignore: option.strings,
    maxEntries: option.integer(0),
  })
  yield* listTree(root, { under: '.', ignore: [], maxEntries: cap, signal: undefined, ...listing })
}
