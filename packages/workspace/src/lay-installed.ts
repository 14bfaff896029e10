import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree } from './copy-tree.js'
import type { Installed } from './workspace-settings.js'

/**
 * Copies what was installed into a directory, where each path replaces what is there.
 *
 * @throws as `copyOf`
 *
 * @example
 * await layInstalled('/tmp/work', { from: '/cache/4f2a', paths: ['node_modules'] })
 */
export async function layInstalled(
  root: string,
  { from, paths }: Installed,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const path of paths) {
    const [source, target] = [join(from, path), join(root, path)]
    rmSync(target, { recursive: true, force: true })
    if (!existsSync(source)) continue
    mkdirSync(target, { recursive: true })
    await copyTree(source, target, { ignore: [], clone: 'auto', misfits: 'refuse', links: 'verbatim', signal })
  }
}
