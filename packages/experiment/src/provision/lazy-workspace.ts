import type { WritableWorkspace } from '@jurist/core'
import type { OwnView } from '@jurist/core/internal'
import { emptyWorkspace, ownView } from '@jurist/core/internal'
import type { LocalWorkspace, LocalWorkspaceOptions } from '@jurist/workspace'
import { localWorkspace } from '@jurist/workspace'
import type { ViewSource } from '@jurist/workspace/internal'
import { deleteTree, judgeView, temporaryDirectory } from '@jurist/workspace/internal'

/** An empty workspace whose directory is made when it is needed. */
export interface LazyWorkspace extends WritableWorkspace, AsyncDisposable {
  /** Opens a view for one of several judges. */
  readonly [ownView]?: () => OwnView
  /** The directory, made by reading this. */
  readonly root: string
  /** Where its commands run; reading this makes the directory too. */
  readonly sandbox: LocalWorkspace['sandbox']
  /** Whether the directory was made. */
  isMade(): boolean
}

const nothing = emptyWorkspace()

/**
 * An empty workspace. Nothing touches the disk before something is written or run, or `root` is read: thousands of items have
 * no files. Until then it behaves as an empty directory. Disposal deletes the directory, if there is one.
 */
export function lazyWorkspace(options: LocalWorkspaceOptions, parentDirectory?: string): LazyWorkspace {
  let made: LocalWorkspace | undefined
  const local = (): LocalWorkspace => {
    made ??= localWorkspace(temporaryDirectory(parentDirectory), options)
    return made
  }
  const source: ViewSource = {
    original: () => made ?? nothing,
    rootToCopy: () => made?.root,
    parentDirectory,
    open: (directory) => localWorkspace(directory, options),
    products: new Set(),
  }
  const view = () => judgeView(source)
  return Object.freeze<LazyWorkspace>({
    get root() {
      return local().root
    },
    get sandbox() {
      return local().sandbox
    },
    isMade: () => made !== undefined,
    exists: (path) => (made ?? nothing).exists(path),
    isFile: (path) => (made ?? nothing).isFile(path),
    read: (path, options) => (made ?? nothing).read(path, options),
    readBytes: (path, options) => (made ?? nothing).readBytes(path, options),
    list: (options) => (made ?? nothing).list(options),
    run: async (command, options) => local().run(command, options),
    write: async (path, content) => local().write(path, content),
    // Removing a missing file is not an error, and here every file is missing; a bad path is refused.
    remove: async (path) => (made === undefined ? void (await nothing.exists(path)) : made.remove(path)),
    ...(options.judges === 'in-place' ? {} : { [ownView]: view }),
    async [Symbol.asyncDispose]() {
      if (made === undefined) return
      const { root } = made
      await made[Symbol.asyncDispose]()
      await deleteTree(root)
    },
  })
}
