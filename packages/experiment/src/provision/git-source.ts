import type { JsonObject } from '@jurist/core'
import type { ProvisionedWorkspace, ProvisionOptions } from '@jurist/workspace'
import { checkoutOf } from '@jurist/workspace'
import { withoutUserInfo } from '@jurist/workspace/internal'
import type { ItemSource } from '../dataset/item.js'
import type { Mirrors } from './mirrors.js'

/** A source in git. */
export type GitItemSource = Extract<ItemSource, { readonly type: 'git' }>

/** A workspace with the files of exactly one commit, by way of the mirror of its repository, without its history. */
export async function checkOut(
  source: GitItemSource,
  mirrors: Mirrors,
  options: ProvisionOptions & { readonly signal: AbortSignal },
): Promise<{ readonly workspace: ProvisionedWorkspace; readonly origin: JsonObject }> {
  const { directory, commit } = await mirrors.use(source, options.signal, async (mirror) => mirror)
  const { subDirectory } = source
  const narrowed = subDirectory === null ? {} : { path: subDirectory }
  const workspace = await checkoutOf({ repository: directory, ref: commit, ...narrowed }, options)
  return { workspace, origin: gitOrigin(source, commit) }
}

/** Where a checkout came from; it names the repository of the item, not the mirror. */
export function gitOrigin({ repoPath, commitHash, subDirectory }: GitItemSource, commit: string): JsonObject {
  const path = subDirectory === null ? {} : { path: subDirectory }
  return Object.freeze({ kind: 'git', repository: withoutUserInfo(repoPath), ref: commitHash, commit, ...path })
}
