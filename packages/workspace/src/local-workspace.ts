import { realpathSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type JudgeView,
  JuristError,
  type ListOptions,
  type SharedWorkspace,
  type WorkspaceEntry,
  type WritableWorkspace,
} from '@jurist/core'
import { checkOptions, maxEntries, maxReadBytes, openPathsWith, option } from '@jurist/core/internal'
import { type Semaphore, semaphore } from '@jurist/kit/semaphore'
import { checkedPath, locate } from './containment.js'
import { readFileBytes, removeEntry, strictText, writeWholeFile } from './file-content.js'
import { judgeView } from './judge-view.js'
import { listTree } from './list-tree.js'
import { type CommandContext, runCommand } from './run-command.js'
import { bubblewrapSandbox } from './sandbox/bubblewrap.js'
import { localSandbox } from './sandbox/local.js'
import type { Sandbox } from './sandbox/sandbox.js'
import { parentOfCopies } from './temporary-directory.js'
import { keepSettings, type LocalWorkspaceOptions, type WorkspaceLimits, workspaceRules } from './workspace-settings.js'

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
  { sandbox = 'none', environment }: LocalWorkspaceOptions,
  limits: WorkspaceLimits,
  places: Semaphore,
  closed: AbortSignal,
): CommandContext {
  const policy = checkOptions('localWorkspace: environment', environment, { allow: option.strings, set: option.record })
  const chosen = sandbox === 'none' ? localSandbox() : sandbox === 'bubblewrap' ? bubblewrapSandbox() : sandbox
  return { root, sandbox: chosen, environment: policy, limits, places, closed }
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
