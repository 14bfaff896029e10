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

type TreeNode =
  | { readonly type: 'file'; readonly bytes: Uint8Array }
  | { readonly type: 'directory' }
  | { readonly type: 'link'; readonly target: string }

/** Every entry by its path, except the root. */
type Tree = Map<string, TreeNode>

const maxLinks = 40

const directory: TreeNode = { type: 'directory' }

function treeOf(
  files: { readonly [path: string]: string | Uint8Array },
  links: { readonly [path: string]: string },
): Tree {
  const tree: Tree = new Map()
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/') && content.length === 0) makeDirectories(tree, normalizePath(path))
    else put(tree, normalizePath(path, 'file'), { type: 'file', bytes: bytesOf(content) })
  }
  for (const [path, target] of Object.entries(links)) put(tree, normalizePath(path, 'file'), { type: 'link', target })
  return tree
}

/** Follows links. `undefined` where nothing exists; throws `path-escape` when a link leaves the root. */
function locate(tree: Tree, path: string): TreeNode | undefined {
  const resolved = resolve(tree, path)
  return resolved === '.' ? directory : tree.get(resolved)
}

/** Ordered by code units; links are not followed. */
function childPaths(tree: Tree, under: string): readonly string[] {
  const resolved = resolve(tree, under)
  if (resolved !== '.' && tree.get(resolved)?.type !== 'directory') return []
  const prefix = resolved === '.' ? '' : `${resolved}/`
  return [...tree.keys()].filter((path) => path.startsWith(prefix)).sort(byCodeUnits)
}

/** Never writes through a link at the end of the path. */
function plant(tree: Tree, path: string, content: string | Uint8Array): void {
  const { parent, name } = split(path)
  const place = parent === '.' ? name : `${resolve(tree, parent)}/${name}`
  if (tree.get(place)?.type === 'directory')
    throw new JuristError('not-a-file', `${path} is a directory; remove it first.`, { path })
  put(tree, place, { type: 'file', bytes: bytesOf(content) })
}

/** Removes a link itself, not its target. */
function uproot(tree: Tree, path: string): void {
  const { parent, name } = split(path)
  const place = parent === '.' ? name : `${resolve(tree, parent)}/${name}`
  for (const key of [...tree.keys()]) if (key === place || key.startsWith(`${place}/`)) tree.delete(key)
}

function resolve(tree: Tree, path: string, links = 0): string {
  if (path === '.') return path
  let at = ''
  const segments = path.split('/')
  for (const [index, segment] of segments.entries()) {
    const here = at === '' ? segment : `${at}/${segment}`
    const node = tree.get(here)
    if (node?.type === 'link') {
      if (links >= maxLinks) return here
      const target = follow(at, node.target, path)
      return resolve(tree, [target, ...segments.slice(index + 1)].join('/').replace(/^\.\//, ''), links + 1)
    }
    at = here
  }
  return at
}

/** Returns a path from the root. */
function follow(from: string, target: string, path: string): string {
  const leaves = () => new JuristError('path-escape', `${path} is a link that leaves the workspace.`, { path })
  if (target.startsWith('/')) throw leaves()
  const steps = from === '' ? [] : from.split('/')
  for (const step of target.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) throw leaves()
  }
  return steps.length === 0 ? '.' : steps.join('/')
}

function put(tree: Tree, path: string, node: TreeNode): void {
  makeDirectories(tree, split(path).parent)
  tree.set(path, node)
}

function makeDirectories(tree: Tree, path: string): void {
  if (path === '.') return
  const node = tree.get(path)
  if (node?.type === 'file') throw new JuristError('not-a-file', `${path} is a file, not a directory.`, { path })
  makeDirectories(tree, split(path).parent)
  if (node === undefined) tree.set(path, directory)
}

function split(path: string): { readonly parent: string; readonly name: string } {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? { parent: '.', name: path } : { parent: path.slice(0, slash), name: path.slice(slash + 1) }
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content.slice()
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

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
    read: async (path, reading) => decode(bytesAt(tree, path, reading), path),
    readBytes: async (path, reading) => bytesAt(tree, path, reading).slice(),
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

function bytesAt(tree: Tree, path: string, options?: ReadOptions): Uint8Array {
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
