import { readdirSync } from 'node:fs'
import type { Judgment, Workspace, WritableWorkspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OwnView } from '@jurist/core/internal'
import { ownView } from '@jurist/core/internal'
import { copyTree } from './copy-tree.js'
import { deleteOrWarn } from './delete-tree.js'
import { addProducts, explained, type Products } from './products.js'
import { temporaryDirectory } from './temporary-directory.js'

/** A workspace with a directory that commands can run in. */
export interface RunningWorkspace extends WritableWorkspace, AsyncDisposable {
  readonly root: string
}

/** What a view shows, and how its copy is made. */
export interface ViewSource {
  /** What is looked at as long as there is no copy. */
  readonly original: () => Workspace
  /** The directory to copy; `undefined` when there is none, as nothing was ever written. */
  readonly rootToCopy: () => string | undefined
  /** Where copies are made. */
  readonly parentDirectory: string
  /** Opens a directory as a workspace that runs its commands as the original does. */
  readonly open: (directory: string) => RunningWorkspace
  /** What commands of judges have left in copies. */
  readonly products: Products
}

/** A view as it changes. */
interface View {
  copy: Promise<RunningWorkspace> | undefined
  made: RunningWorkspace | undefined
  over: boolean
  /** Made for the copy: most views have none. */
  ending: AbortController | undefined
}

/**
 * A workspace for one judge: it shows the original until a command is run or something is written. Then it is a copy, which
 * is deleted when the view ends.
 */
export function judgeView(source: ViewSource): OwnView {
  const view: View = { copy: undefined, made: undefined, over: false, ending: undefined }
  const now = (): Workspace => view.made ?? source.original()
  const changed = async (): Promise<RunningWorkspace> => {
    if (view.over)
      throw new JuristError('aborted', 'The judge has ended: its copy of the workspace is gone.', { reason: 'ended' })
    view.copy ??= makeCopy(source, view)
    return view.copy
  }
  const workspace: Omit<WritableWorkspace, 'root'> & { readonly [ownView]: () => OwnView } = {
    exists: (path) => now().exists(path),
    isFile: (path) => now().isFile(path),
    read: (path, options) => now().read(path, options),
    readBytes: (path, options) => now().readBytes(path, options),
    list: (options) => now().list(options),
    run: async (command, options) => (await changed()).run(command, options),
    write: async (path, content) => (await changed()).write(path, content),
    remove: async (path) => (await changed()).remove(path),
    [ownView]: () => judgeView({ ...source, original: now, rootToCopy: () => view.made?.root ?? source.rootToCopy() }),
  }
  const place = {
    root: { enumerable: true, get: () => now().root },
    sandbox: { enumerable: true, get: () => (now() as { readonly sandbox?: unknown }).sandbox },
  }
  return {
    workspace: Object.freeze(Object.defineProperties(workspace, place)) as WritableWorkspace,
    end(judgment) {
      view.over = true
      return view.copy === undefined ? explained(judgment, source.products, []) : end(view, source, judgment)
    },
  }
}

async function makeCopy(source: ViewSource, view: View): Promise<RunningWorkspace> {
  const directory = temporaryDirectory(source.parentDirectory)
  view.ending = new AbortController()
  try {
    const root = source.rootToCopy()
    const { signal } = view.ending
    const how = { ignore: [], clone: 'auto', misfits: 'leave-out', links: 'all', signal } as const
    if (root !== undefined) await copyTree(root, directory, how)
    view.made = source.open(directory)
    return view.made
  } catch (thrown) {
    await deleteOrWarn(directory)
    throw thrown
  }
}

/** Waits until nothing of the copy is left: judges must not meet the commands of others. */
async function end(view: View, source: ViewSource, judgment: Judgment): Promise<Judgment> {
  view.ending?.abort(new Error('the judge has ended'))
  const made = await view.copy?.catch(() => undefined)
  if (made === undefined) return judgment
  await made[Symbol.asyncDispose]()
  const present = readdirSync(made.root)
  const told = explained(judgment, source.products, present)
  addProducts(source.products, namesIn(source.rootToCopy()), present)
  await deleteOrWarn(made.root)
  return told
}

function namesIn(root: string | undefined): readonly string[] {
  return root === undefined ? [] : readdirSync(root)
}
