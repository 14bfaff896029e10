import type { Workspace } from '@jurist/core'
import type { LocalWorkspace } from '@jurist/workspace'
import { localWorkspace, readOnly } from '@jurist/workspace'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { checkOut } from './git-source.js'
import type { Mirrors } from './mirrors.js'
import type { WorkspaceSettings } from './workspace-options.js'

/** What a trial may look at but not touch. */
export interface Views extends AsyncDisposable {
  readonly before: Workspace | null
  readonly reference: Workspace | null
}

const nothing: Views = { before: null, reference: null, [Symbol.asyncDispose]: async () => {} }

/** Read-only workspaces on the directories of a dataset item, which are not copied, or on checkouts of its git refs. */
export async function openViews(
  item: Pick<DatasetItem, 'before' | 'reference'>,
  mirrors: Mirrors,
  { options }: WorkspaceSettings,
  signal: AbortSignal,
): Promise<Views> {
  if (item.before === null && item.reference === null) return nothing
  const open = async (source: ItemSource | null): Promise<LocalWorkspace | null> => {
    if (source === null) return null
    if (source.type === 'directory') return localWorkspace(source.path, options)
    return (await checkOut(source, mirrors, { ...options, signal })).workspace
  }
  const before = await open(item.before)
  try {
    const reference = item.reference === item.before ? before : await open(item.reference)
    return {
      before: before && readOnly(before),
      reference: reference && readOnly(reference),
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
