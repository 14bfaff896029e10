import { isPlainObject, JuristError, type Workspace } from '@jurist/core'
import type { BuildOptions } from './build-options.js'
import { type PackageManager, packageScript, plainTool, wrappedTool } from './build-tools.js'
import type { Prepared, Site } from './site.js'
import { below, isFile } from './wrapper.js'

/** The build that the files of a site ask for, the first of a fixed order; `undefined` when there is none. */
export async function detectBuild(site: Site, { trustWrapper }: BuildOptions): Promise<Prepared | undefined> {
  const has = (file: string) => isFile(site.workspace, below(site.cwd, file))
  const found = async (detected: string, prepared: Promise<Prepared>): Promise<Prepared> => {
    const { metadata, ...rest } = await prepared
    return { ...rest, metadata: { ...metadata, detected } }
  }
  if (await has('pom.xml')) return found('pom.xml', wrappedTool('maven', ['test-compile'], trustWrapper)(site))
  for (const file of ['build.gradle', 'build.gradle.kts'])
    if (await has(file)) return found(file, wrappedTool('gradle', ['assemble'], trustWrapper)(site))
  if ((await packageScripts(site)).has('build'))
    return found('package.json', packageScript(await managerOf(has), ['build'])(site))
  if (await has('Cargo.toml')) return found('Cargo.toml', plainTool('cargo', ['build'])(site))
  if (await has('go.mod')) return found('go.mod', plainTool('go', ['build', './...'])(site))
  return (await has('Makefile')) ? found('Makefile', plainTool('make', [])(site)) : undefined
}

async function managerOf(has: (file: string) => Promise<boolean>): Promise<PackageManager> {
  if (await has('pnpm-lock.yaml')) return 'pnpm'
  return (await has('yarn.lock')) ? 'yarn' : 'npm'
}

/** The scripts of the `package.json` of a site; none when there is no such file, or none that can be read. */
export async function packageScripts({ workspace, cwd }: Site): Promise<ReadonlyMap<string, string>> {
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
