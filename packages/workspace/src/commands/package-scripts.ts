import { JuristError, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { Site } from './site.js'
import { below } from './wrapper.js'

/** The scripts of the `package.json` of a site; none when there is no such file, or none that can be read. */
export async function packageScripts({
  workspace,
  cwd,
}: Pick<Site, 'workspace' | 'cwd'>): Promise<ReadonlyMap<string, string>> {
  const scripts = scriptsIn(await textOf(workspace, below(cwd, 'package.json')))
  return new Map(Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

async function textOf(workspace: Workspace, path: string): Promise<string> {
  try {
    return await workspace.read(path)
  } catch (thrown) {
    // The agent may have left anything here; what is no file to read has no scripts.
    if (thrown instanceof JuristError) return ''
    throw thrown
  }
}

function scriptsIn(text: string): { readonly [name: string]: unknown } {
  try {
    const { scripts } = JSON.parse(text) ?? {}
    return isPlainObject(scripts) ? scripts : {}
  } catch {
    return {}
  }
}
