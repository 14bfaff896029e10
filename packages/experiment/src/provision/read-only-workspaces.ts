import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { copyOf, type LocalWorkspaceOptions, localWorkspace, type ProvisionedWorkspace } from '@jurist/workspace'
import { deleteTree, readOnly, temporaryDirectory } from '@jurist/workspace/internal'
import type { DatasetItem, ItemFiles, ItemSource } from '../dataset/item.js'
import type { Mirrors } from './git-mirrors.js'
import type { WorkspaceSettings } from './workspace-options.js'

/** Workspaces that a trial may read and not change. */
export interface Views extends AsyncDisposable {
  readonly before: Workspace | null
  readonly reference: Workspace | null
}

export const disposed: Promise<void> = Promise.resolve()

export const noViews: Views = { before: null, reference: null, [Symbol.asyncDispose]: () => disposed }

/** Read-only workspaces on the directories of a dataset item, which are not copied, or on checkouts of its git refs. */
export async function openViews(
  item: Pick<DatasetItem, 'before' | 'reference'>,
  mirrors: Mirrors,
  { options }: WorkspaceSettings,
  signal: AbortSignal,
): Promise<Views> {
  if (item.before === null && item.reference === null) return noViews
  const open = async (source: ItemSource | null): Promise<View | null> => {
    if (source === null) return null
    if (source.type === 'directory') return directoryView(source.path, options)
    if (source.type === 'files') return filesView(source, options)
    const tree = await mirrors.tree(source, signal)
    const view = directoryView(tree.directory, options)
    return {
      workspace: view.workspace,
      async [Symbol.asyncDispose]() {
        await view[Symbol.asyncDispose]()
        await tree[Symbol.asyncDispose]()
      },
    }
  }
  const before = await open(item.before)
  try {
    const reference = item.reference === item.before ? before : await open(item.reference)
    return {
      before: before?.workspace ?? null,
      reference: reference?.workspace ?? null,
      async [Symbol.asyncDispose]() {
        await before?.[Symbol.asyncDispose]()
        if (reference !== before) await reference?.[Symbol.asyncDispose]()
      },
    }
  } catch (thrown) {
    await before?.[Symbol.asyncDispose]()
    throw thrown
  }
}

interface View extends AsyncDisposable {
  readonly workspace: Workspace
}

/** The files in a separate directory, which is deleted with the view. */
function filesView(files: ItemFiles, options: LocalWorkspaceOptions): View {
  const written = writtenFiles(files)
  const view = directoryView(written, options)
  return {
    workspace: view.workspace,
    async [Symbol.asyncDispose]() {
      await view[Symbol.asyncDispose]()
      await deleteTree(written)
    },
  }
}

/** A command may write anything, so the first one makes a private copy, in which all commands run. */
function directoryView(path: string, options: LocalWorkspaceOptions): View {
  const local = readOnly(localWorkspace(path, options))
  let copy: Promise<ProvisionedWorkspace> | undefined
  return {
    workspace: Object.freeze<Workspace>({
      ...local,
      async run(command, how) {
        copy ??= copyOf(path, options)
        return (await copy).run(command, how)
      },
    }),
    async [Symbol.asyncDispose]() {
      const made = await copy?.catch(() => undefined)
      await made?.[Symbol.asyncDispose]()
    },
  }
}

/** A new temporary directory with the files of an item. The caller deletes it. */
export function writtenFiles({ files }: ItemFiles): string {
  const directory = temporaryDirectory()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}
