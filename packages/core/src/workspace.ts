import { type Failure, JuristError } from './errors.js'
import { isPlainObject } from './json.js'
import { checkOptions, type OptionRule, option, optionInvalid } from './options.js'

/** One thing in a workspace. `sizeBytes` is 0 for anything but a file. */
export interface WorkspaceEntry {
  /** A name that is not UTF-8 has its bytes as `\xff`; the type of such an entry is `other`, and no path leads to it. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  readonly sizeBytes: number
}
/** Options of `Workspace.list`. */
export interface ListOptions {
  /** Only what is below this directory. Default `.`, the root. */
  readonly under?: string
  readonly signal?: AbortSignal
}
/** Options of `Workspace.read` and `Workspace.readBytes`. */
export interface ReadOptions {
  /** The most that is read. Default 10,485,760. */
  readonly maxBytes?: number
}
/** Options of `Workspace.run`. */
export interface RunOptions {
  /** Milliseconds. Default 120,000; `null`: no limit. */
  readonly timeoutMs?: number | null
  /**
   * Milliseconds of processor time that the command may use up with all that it starts, on all processors together.
   * Other programs on the machine do not shorten it, as they do `timeoutMs`. Default `null`: no limit.
   */
  readonly cpuMs?: number | null
  readonly signal?: AbortSignal
  /** A directory of the workspace. Default `.`, the root. */
  readonly cwd?: string
  /** Variables to add. */
  readonly env?: { readonly [name: string]: string }
  /** Default `'ignore'`: the command reads nothing. */
  readonly stdin?: 'ignore' | { readonly text: string }
  /** The most that is kept of each stream. Default 1,048,576. */
  readonly maxOutputBytes?: number
  /** Milliseconds from the polite signal to the hard one. Default 2,000. */
  readonly killAfterMs?: number
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
  /** Which limit ended the command; only for `timed-out`. */
  readonly exceeded?: 'timeoutMs' | 'cpuMs'
  /** Milliseconds of processor time until it was ended; only for `timed-out`, and where it is known. */
  readonly cpuMs?: number
  readonly failure?: Failure
}

/**
 * A directory an agent worked in, as judges see it. Paths are relative, with `/`; whatever leads out of the root is
 * refused with `path-escape`, also through a link.
 */
export interface Workspace {
  /** The absolute directory, where there is one. */
  readonly root?: string
  /** Whether a file, directory or special file is there; a broken link is `false`. */
  exists(path: string): Promise<boolean>
  /** Whether a regular file is there, links inside the root followed. */
  isFile(path: string): Promise<boolean>
  /** The text of a file: strict UTF-8, a leading byte order mark removed. */
  read(path: string, options?: ReadOptions): Promise<string>
  /** The bytes of a file. */
  readBytes(path: string, options?: ReadOptions): Promise<Uint8Array>
  /** Every entry below `under`, ordered by code units of the path; links are entries and never entered. */
  list(options?: ListOptions): AsyncIterable<WorkspaceEntry>
  /** Runs a shell line (a string) or a program with arguments (an array). Never rejects for what the command does. */
  run(command: string | readonly string[], options?: RunOptions): Promise<CommandResult>
}

/** What an agent gets. */
export interface WritableWorkspace extends Workspace {
  /** Replaces a whole file, making the directories above it; never through a link. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes a file, a link or a tree; a missing path is not an error. */
  remove(path: string): Promise<void>
}

/** The most that is read of one file unless a caller says otherwise: 10 MiB. */
export const maxReadBytes = 10_485_760
/** The most entries that `list` gives: 200,000. */
export const maxEntries = 200_000

/**
 * The one form of a path: `a/./b//c` is `a/b/c`, the root is `.`.
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

/** Refuses to list, or to continue listing, once the signal has fired. */
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
}

/**
 * The options of `run`, checked.
 *
 * @param isDirectory whether a path in its one form is a directory of the workspace
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

/** A workspace with nothing in it, where no command can be started. */
export function emptyWorkspace(): Workspace {
  return nothing
}

async function missing(path: string): Promise<never> {
  normalizePath(path, 'file')
  throw new JuristError('not-found', `${path} does not exist: the workspace is empty.`, { path })
}

/** What comes of a command that is not started at all. */
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
