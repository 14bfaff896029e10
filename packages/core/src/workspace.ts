import { type Failure, JuristError } from './errors.js'
import { isPlainObject } from './json.js'
import { checkOptions, type OptionRule, option, optionInvalid } from './options.js'

/** A file, directory or other entry of a workspace. `sizeBytes` is 0 for anything but a file. */
export interface WorkspaceEntry {
  /**
   * Bytes of a name that are not UTF-8 are written as `\xff`. The type of such an entry is `other`, and no path leads
   * to it.
   */
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  readonly sizeBytes: number
}
/** Options of `Workspace.list`. */
export interface ListOptions {
  /** Lists only entries below this directory. Default `.`, the root. */
  readonly under?: string
  readonly signal?: AbortSignal
}
/** Options of `Workspace.read` and `Workspace.readBytes`. */
export interface ReadOptions {
  /** The limit of what is read. Default 10,485,760. */
  readonly maxBytes?: number
}
/** Options of `Workspace.run`. */
export interface RunOptions {
  /** The time limit in milliseconds. Default 120,000; `null`: no limit. */
  readonly timeoutMs?: number | null
  /**
   * The limit of processor time, in milliseconds: the command and all its child processes, on all processors together.
   * Unlike `timeoutMs`, it does not depend on other programs on the machine. Default `null`: no limit.
   */
  readonly cpuMs?: number | null
  readonly signal?: AbortSignal
  /** The working directory, inside the workspace. Default `.`, the root. */
  readonly cwd?: string
  /** Environment variables to add. */
  readonly env?: { readonly [name: string]: string }
  /** Default `'ignore'`: the command reads nothing. */
  readonly stdin?: 'ignore' | { readonly text: string }
  /** The limit of what is kept of each stream. Default 1,048,576. */
  readonly maxOutputBytes?: number
  /** The time between the polite signal and the forced one, in milliseconds. Default 2,000. */
  readonly killAfterMs?: number
  /**
   * Called with each line of standard output while the command runs, up to `maxOutputBytes` of them. A workspace that does not
   * see the output before the end does not call it. Default: nothing.
   */
  readonly onLine?: (line: string) => void
}
/** The result of a command. `exitCode` is set only for `exited`, `signal` only for `killed`. */
export interface CommandResult {
  readonly status: 'exited' | 'timed-out' | 'killed' | 'aborted' | 'not-started'
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Whether output was left out. */
  readonly truncated: boolean
  readonly elapsedMs: number
  /** The limit that ended the command; only for `timed-out`. */
  readonly exceeded?: 'timeoutMs' | 'cpuMs'
  /**
   * The processor time used until the command was ended, in milliseconds; only for `timed-out`, and where it is known.
   */
  readonly cpuMs?: number
  readonly failure?: Failure
}

/**
 * The directory an agent worked in, as judges see it. Paths are relative, with `/`. A path that leads out of the root,
 * also through a link, is refused with `path-escape`.
 */
export interface Workspace {
  /** The absolute path of the directory, if there is one. */
  readonly root?: string
  /** Whether a file, directory or special file exists; `false` for a broken link. */
  exists(path: string): Promise<boolean>
  /** Whether the path is a regular file. Follows links inside the root. */
  isFile(path: string): Promise<boolean>
  /** Reads a file as a string: strict UTF-8, without a leading byte order mark. */
  read(path: string, options?: ReadOptions): Promise<string>
  /** Reads the bytes of a file. */
  readBytes(path: string, options?: ReadOptions): Promise<Uint8Array>
  /** Lists every entry below `under`, ordered by code units of the path. Links are listed but not followed. */
  list(options?: ListOptions): AsyncIterable<WorkspaceEntry>
  /** Runs a shell line (a string) or a program with arguments (an array). Never rejects for what the command does. */
  run(command: string | readonly string[], options?: RunOptions): Promise<CommandResult>
}

/** A workspace that an agent can change. */
export interface WritableWorkspace extends Workspace {
  /** Replaces a whole file and creates the directories above it. Never writes through a link. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes a file, a link or a tree. A missing path is not an error. */
  remove(path: string): Promise<void>
}

/** 10 MiB. */
export const maxReadBytes = 10_485_760
/** The limit of the entries that `list` returns. */
export const maxEntries = 200_000

/**
 * Such as `a/b/c` for `a/./b//c`; the root is `.`.
 *
 * @param use `'file'` refuses the root and a trailing `/`; `'entry'` takes both
 * @throws `path-invalid` (blank, NUL, backslash) or `path-escape` (absolute, a drive, any `..`)
 */
export function normalizePath(path: string, use: 'file' | 'entry' = 'entry'): string {
  if (typeof path !== 'string' || path.trim() === '') return invalid(String(path), 'is blank; name a file or directory')
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  const normal = segments.join('/')
  if (/^(\/|\\\\)/.test(path) || /^[A-Za-z]:/.test(normal)) return escapes(path, 'is absolute; make it relative')
  if (path.includes('\0')) return invalid(path, 'contains a NUL character')
  if (path.includes('\\')) return invalid(path, 'contains a backslash; separate with "/"')
  if (segments.includes('..')) return escapes(path, 'contains ".."; leave it out')
  if (use === 'file' && path.endsWith('/')) return invalid(path, 'ends in "/", but a file is meant')
  if (use === 'file' && normal === '') return invalid(path, 'is the root, but a file is meant')
  return normal === '' ? '.' : normal
}

function invalid(path: string, problem: string): never {
  throw new JuristError('path-invalid', `The path ${JSON.stringify(path)} ${problem}.`, { path })
}

function escapes(path: string, problem: string): never {
  throw new JuristError('path-escape', `The path ${JSON.stringify(path)} ${problem}.`, { path })
}

/** Also called while listing. */
export function checkListing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new JuristError('aborted', 'Listing was stopped.', { reason: String(signal.reason) })
}

const limitRule = option.either(option.positive, { wants: 'null', holds: (value) => value === null })
const runRules: { readonly [name in keyof Required<RunOptions>]: OptionRule } = {
  timeoutMs: limitRule,
  cpuMs: limitRule,
  signal: option.anything,
  cwd: option.string,
  env: {
    wants: 'an object of texts',
    holds: (value) => isPlainObject(value) && option.strings.holds(Object.values(value)),
  },
  stdin: {
    wants: '"ignore" or { text }',
    holds: (value) => value === 'ignore' || (isPlainObject(value) && option.string.holds(value.text)),
  },
  maxOutputBytes: option.integer(0),
  killAfterMs: option.nonNegative,
  onLine: option.function,
}

/**
 * @param isDirectory whether a normalised path is a directory of the workspace
 * @throws `option-invalid` for a blank command, a bad option or a `cwd` that is not a directory; as `normalizePath`
 */
export function checkRun(
  command: string | readonly string[],
  options: RunOptions | undefined,
  isDirectory: (path: string) => boolean,
): RunOptions {
  const given = checkOptions('run', options, runRules)
  const words = [command].flat()
  if (!option.strings.holds(words) || !words[0]?.trim() || words.some((word) => word.includes('\0')))
    return optionInvalid('command', 'run: the command is blank or holds a NUL character. Name a program.')
  if (isDirectory(normalizePath(given.cwd ?? '.'))) return given
  return optionInvalid('cwd', 'run: "cwd" must be a directory of the workspace.')
}

export function emptyWorkspace(): Workspace {
  return nothing
}

async function missing(path: string): Promise<never> {
  normalizePath(path, 'file')
  throw new JuristError('not-found', `${path} does not exist: the workspace is empty.`, { path })
}

export function notStarted(message: string): CommandResult {
  return Object.freeze<CommandResult>({
    status: 'not-started',
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
    truncated: false,
    elapsedMs: 0,
    failure: Object.freeze({ name: 'Error', message, code: 'not-started' }),
  })
}

const isRoot = (path: string): boolean => path === '.'

const nothing: Workspace = Object.freeze<Workspace>({
  exists: async (path) => isRoot(normalizePath(path)),
  isFile: async (path) => isRoot(normalizePath(path, 'file')),
  read: missing,
  readBytes: missing,
  list: async function* ({ under = '.', signal }: ListOptions = {}): AsyncIterable<WorkspaceEntry> {
    normalizePath(under)
    checkListing(signal)
    yield* []
  },
  run: async (command, options) => {
    checkRun(command, options, isRoot)
    return notStarted('an empty workspace runs no commands')
  },
})
