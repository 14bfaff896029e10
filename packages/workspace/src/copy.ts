import { lstatSync, realpathSync } from 'node:fs'
import { JuristError } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { isInside } from './containment.js'
import type { CloneMode } from './copy-file.js'
import { copyTree } from './copy-tree.js'
import { provisionFailed } from './errors.js'
import { type ProvisionedWorkspace, type ProvisionOptions, provisioned, provisionRules } from './provision.js'

/**
 * A new empty directory.
 *
 * @example
 * await using workspace = await emptyDirectory()
 */
export async function emptyDirectory(options?: ProvisionOptions): Promise<ProvisionedWorkspace> {
  return provisioned(checkOptions('emptyDirectory', options, provisionRules), async () => ({ kind: 'empty' }))
}

export interface CopyOptions extends ProvisionOptions {
  /** What is left out, in the syntax of a `.gitignore`. Default `['.git/']`. */
  readonly ignore?: readonly string[]
  /** Default `'auto'`. */
  readonly clone?: CloneMode
  /**
   * What becomes of links that leave the directory, and of what is neither file, directory nor link: they make the copy
   * fail (the default), or are left out with a warning of the process.
   */
  readonly misfits?: 'refuse' | 'leave-out'
}

/**
 * A copy of a directory, without `.git/` unless `ignore` says otherwise. Permissions and modification times are kept, and links
 * that stay inside; set-user-id and set-group-id bits are not, and hard links become files of their own.
 *
 * @throws `path-escape` for a link that leaves `dir`, `provision-failed` for a FIFO, socket or device, or when storage
 * cannot be shared under `clone: 'reflink'`; `limit-exceeded` above 200,000 entries or 4 GiB, `not-found` when `dir` is no directory
 *
 * @example
 * await using workspace = await copyOf('fixtures/project')
 */
export async function copyOf(dir: string, options?: CopyOptions): Promise<ProvisionedWorkspace> {
  const given = checkOptions('copyOf', options, {
    ...provisionRules,
    ignore: option.strings,
    clone: option.oneOf('auto', 'reflink', 'copy'),
    misfits: option.oneOf('refuse', 'leave-out'),
  })
  const { ignore: left = ['.git/'], clone = 'auto', misfits = 'refuse', ...rest } = given
  const from = sourceOf(dir)
  return provisioned(rest, async (to) => {
    if (isInside(from, realpathSync(to))) throw provisionFailed(to, `it would lie inside ${dir}, which is copied`)
    const { files, bytes } = await copyTree(from, to, {
      ignore: left,
      clone,
      misfits,
      links: 'inside',
      signal: rest.signal,
    })
    return { kind: 'copy', files, bytes }
  })
}

function sourceOf(dir: string): string {
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) {
    const real = realpathSync(dir)
    if (lstatSync(real).isDirectory()) return real
  }
  throw new JuristError('not-found', `${dir} is no directory that could be copied.`, { path: dir })
}
