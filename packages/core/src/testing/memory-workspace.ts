import { type ContextInput, type JudgmentContext, judgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { checkOptions, option } from '../options.js'
import {
  type CommandResult,
  checkListing,
  checkRun,
  type ListOptions,
  maxEntries,
  maxReadBytes,
  normalizePath,
  type ReadOptions,
  type RunOptions,
  type WorkspaceEntry,
  type WritableWorkspace,
} from '../workspace.js'
import { childPaths, locate, plant, type Tree, treeOf, uproot } from './memory-tree.js'

/** Options of `memoryWorkspace`. */
export interface MemoryWorkspaceOptions {
  /** Symbolic links: the path of each, and its target. */
  readonly links?: { readonly [path: string]: string }
  /** Runs a command; missing fields of the result have defaults. Absent: no command can be started. */
  readonly run?: (
    command: string | readonly string[],
    options: RunOptions,
  ) => Partial<CommandResult> | Promise<Partial<CommandResult>>
  /** The value of `root`. Default: absent. */
  readonly root?: string
}

/**
 * Creates a workspace in memory from a copy of a record of files. A name such as `name/` with an empty string makes an
 * empty directory.
 *
 * @throws `path-invalid` or `path-escape` for a bad name in the record
 *
 * @example
 * import { memoryWorkspace } from '@jurist/core/testing'
 *
 * memoryWorkspace({ 'src/a.txt': 'hello', 'empty/': '' })
 */
export function memoryWorkspace(
  files: { readonly [path: string]: string | Uint8Array } = {},
  options?: MemoryWorkspaceOptions,
): WritableWorkspace {
  const {
    links = {},
    run,
    root,
  } = checkOptions('memoryWorkspace', options, {
    links: option.record,
    run: option.function,
    root: option.string,
  })
  const tree = treeOf(files, links)
  return Object.freeze<WritableWorkspace>({
    root,
    exists: async (path) => locate(tree, normalizePath(path)) !== undefined,
    isFile: async (path) => locate(tree, normalizePath(path, 'file'))?.type === 'file',
    read: async (path, reading) => decode(bytesOf(tree, path, reading), path),
    readBytes: async (path, reading) => bytesOf(tree, path, reading).slice(),
    list: (listing) => entriesOf(tree, listing),
    run: async (command, running) => {
      const isDirectory = (path: string) => locate(tree, path)?.type === 'directory'
      return resultOf(command, checkRun(command, running, isDirectory), run)
    },
    write: async (path, content) => plant(tree, normalizePath(path, 'file'), content),
    remove: async (path) => {
      const target = normalizePath(path)
      if (target === '.') throw new JuristError('path-invalid', 'The root cannot be removed.', { path })
      uproot(tree, target)
    },
  })
}

function bytesOf(tree: Tree, path: string, options?: ReadOptions): Uint8Array {
  const { maxBytes = maxReadBytes } = checkOptions('read', options, { maxBytes: option.integer(0) })
  const node = locate(tree, normalizePath(path, 'file'))
  if (node === undefined) throw new JuristError('not-found', `${path} does not exist in the workspace.`, { path })
  if (node.type !== 'file') throw new JuristError('not-a-file', `${path} is a directory, not a file.`, { path })
  if (node.bytes.length > maxBytes)
    throw new JuristError('too-large', `${path} has ${node.bytes.length} bytes; at most ${maxBytes} are read.`, {
      path,
      maxBytes,
    })
  return node.bytes
}

function decode(bytes: Uint8Array, path: string): string {
  const problem = new JuristError('not-text', `${path} is not UTF-8 text.`, { path })
  if (bytes.includes(0)) throw problem
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw problem
  }
}

async function* entriesOf(tree: Tree, options?: ListOptions): AsyncIterable<WorkspaceEntry> {
  const { under = '.', signal } = checkOptions('list', options, { under: option.string, signal: option.anything })
  const directory = normalizePath(under)
  checkListing(signal)
  const paths = childPaths(tree, directory)
  if (paths.length > maxEntries)
    throw new JuristError('limit-exceeded', `${under} has more than ${maxEntries} entries.`, {
      what: 'entries',
      limit: maxEntries,
    })
  for (const path of paths) {
    checkListing(signal)
    const node = tree.get(path)
    if (node === undefined) continue
    const type = node.type === 'link' ? 'symlink' : node.type
    yield Object.freeze({ path, type, sizeBytes: node.type === 'file' ? node.bytes.length : 0 })
  }
}

async function resultOf(
  command: string | readonly string[],
  options: RunOptions,
  run: MemoryWorkspaceOptions['run'],
): Promise<CommandResult> {
  if (options.signal?.aborted) return Object.freeze({ ...quiet, status: 'aborted' })
  if (run === undefined) return Object.freeze({ ...quiet, status: 'not-started', failure: cannotRun })
  const result = await run(command, options)
  const exited = (result.status ?? 'exited') === 'exited'
  return Object.freeze({ ...quiet, status: 'exited', exitCode: exited ? 0 : null, ...result })
}

const quiet = { exitCode: null, signal: null, stdout: '', stderr: '', truncated: false, elapsedMs: 0 } as const
const cannotRun = Object.freeze({
  name: 'Error',
  message: 'this workspace in memory was given no "run"',
  code: 'not-started',
})

/**
 * Creates a context for tests. Defaults: goal `'do the task'`, an empty workspace in memory, status `'success'`.
 *
 * @example
 * import { outputText, runJudge } from '@jurist/core'
 * import { aContext } from '@jurist/core/testing'
 *
 * await runJudge(outputText({ contains: 'done' }), aContext({ agentOutput: 'done' }))
 */
export function aContext(input?: ContextInput): JudgmentContext {
  return judgmentContext({ goal: 'do the task', workspace: memoryWorkspace(), status: 'success', ...input })
}
