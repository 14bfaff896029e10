import type { Workspace } from '@jurist/core'
import type { BuildOptions } from './build-options.js'
import { type PackageManager, packageScript, plainTool, wrappedTool } from './build-tools.js'
import { packageScripts } from './package-scripts.js'
import type { Prepared, Site } from './site.js'
import { below, isFile } from './wrapper.js'

/**
 * The build that the files of a site ask for, the first of a fixed order; `undefined` when there is none. The reference
 * decides, then what the agent was given; files of the agent do only where neither has a build.
 */
export async function detectBuild(site: Site, options: BuildOptions): Promise<Prepared | undefined> {
  for (const source of [...site.originals.toReversed(), site.workspace]) {
    const prepared = await buildAskedBy(source, site, options)
    if (prepared !== undefined) return prepared
  }
  return undefined
}

async function buildAskedBy(
  source: Workspace,
  site: Site,
  { trustWrapper }: BuildOptions,
): Promise<Prepared | undefined> {
  const has = (file: string) => isFile(source, below(site.cwd, file))
  const found = async (detected: string, prepared: Promise<Prepared>): Promise<Prepared> => {
    const { metadata, ...rest } = await prepared
    return { ...rest, metadata: { ...metadata, detected } }
  }
  if (await has('pom.xml')) return found('pom.xml', wrappedTool('maven', ['test-compile'], trustWrapper)(site))
  for (const file of ['build.gradle', 'build.gradle.kts'])
    if (await has(file)) return found(file, wrappedTool('gradle', ['assemble'], trustWrapper)(site))
  if ((await packageScripts({ workspace: source, cwd: site.cwd })).has('build'))
    return found('package.json', packageScript(await managerOf(has), ['build'])(site))
  if (await has('Cargo.toml')) return found('Cargo.toml', plainTool('cargo', ['build'])(site))
  if (await has('go.mod')) return found('go.mod', plainTool('go', ['build', './...'])(site))
  return (await has('Makefile')) ? found('Makefile', plainTool('make', [])(site)) : undefined
}

async function managerOf(has: (file: string) => Promise<boolean>): Promise<PackageManager> {
  if (await has('pnpm-lock.yaml')) return 'pnpm'
  return (await has('yarn.lock')) ? 'yarn' : 'npm'
}
