import { JuristError, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { below } from './command-target.js'

/** Whether a project of the originals needs packages; also where nothing is known of it. */
export async function mayHavePackages(
  originals: readonly Workspace[],
  directories: readonly string[],
): Promise<boolean> {
  let isKnown = false
  for (const original of originals)
    for (const directory of directories) {
      if (await original.exists(below(directory, 'node_modules'))) return true
      const manifest = await manifestOf(original, below(directory, 'package.json'))
      isKnown ||= manifest !== undefined
      if (manifest !== undefined && needsPackages(manifest)) return true
    }
  return !isKnown
}

function needsPackages(manifest: { readonly [key: string]: unknown }): boolean {
  if (manifest['workspaces'] !== undefined) return true
  return ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].some((name) => {
    const wanted = manifest[name]
    return isPlainObject(wanted) && Object.keys(wanted).length > 0
  })
}

async function manifestOf(
  workspace: Workspace,
  path: string,
): Promise<{ readonly [key: string]: unknown } | undefined> {
  try {
    const manifest: unknown = JSON.parse(await workspace.read(path))
    return isPlainObject(manifest) ? manifest : undefined
  } catch (thrown) {
    if (thrown instanceof JuristError || thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
