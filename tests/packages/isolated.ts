import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../structure/source.js'

const run = promisify(execFile)
const pnpm = join(root, 'node_modules/pnpm/bin/pnpm.cjs')
/** Installed by `npm run test:long`. */
const frameworks = join(root, 'packages/bridges/frameworks/node_modules')

/** The packages as a user gets them: their tarballs, and projects in which nothing is hoisted. */
export interface Isolated {
  /** The tarball of each package, by its name. */
  readonly tarballs: ReadonlyMap<string, string>
  /** A project that `npm run pack` made, installed by npm with links: each package sees what it names. */
  readonly linked: string
  /** The directory of the projects that pnpm installed. */
  readonly projects: string
}

/** Where a package is installed that is not ours. It is linked into projects, since it is not what is tested. */
export function placeOf(name: string): string | undefined {
  return [join(root, 'node_modules', name), join(frameworks, name)].find((place) => existsSync(place))
}

/**
 * Packs every package once, and installs the tarballs twice: by npm, as `npm run pack` does, and by pnpm. There a module sees
 * what its own package names, and nothing else.
 *
 * @param projects the packages of each project of pnpm, by its directory
 */
export async function installIsolated(
  directory: string,
  projects: ReadonlyMap<string, readonly string[]>,
): Promise<Isolated> {
  const linked = join(directory, 'linked')
  const env = { ...process.env, npm_config_install_strategy: 'linked', npm_config_loglevel: 'error' }
  await run(process.execPath, [join(root, 'build/pack.mjs'), linked], { cwd: root, env })
  const packed = join(linked, 'jurist-packages')
  const tarballs = new Map(readdirSync(packed).map((file) => [nameOf(file), join(packed, file)]))
  for (const [project, names] of projects) {
    const dependencies = names.map((name) => [name, specOf(name, tarballs)])
    write(join(directory, project, 'package.json'), { type: 'module', dependencies: Object.fromEntries(dependencies) })
  }
  // An override of an optional peer would make it a dependency.
  const needed = [...tarballs.keys()].filter((name) => name !== '@jurist/vitest')
  const overrides = Object.fromEntries(needed.map((name) => [name, specOf(name, tarballs)]))
  write(join(directory, 'package.json'), { private: true, pnpm: { overrides } })
  write(join(directory, 'pnpm-workspace.yaml'), { packages: [...projects.keys()] })
  // Not even below `.pnpm` a package sees what another one brings; only the projects that name an optional peer have it.
  const settings = ['hoist=false', 'auto-install-peers=false', 'dedupe-peer-dependents=false', 'loglevel=error']
  writeFileSync(join(directory, '.npmrc'), settings.join('\n'))
  await run(process.execPath, [pnpm, 'install', '--no-frozen-lockfile', '--prefer-offline'], { cwd: directory })
  return { tarballs, linked, projects: directory }
}

/** The package in a tarball that `npm run pack` made. */
function nameOf(file: string): string {
  const [, name = ''] = /^(?:jurist-)?([a-z]+)-\d/.exec(file) ?? []
  return name === 'jurist' ? name : `@jurist/${name}`
}

function specOf(name: string, tarballs: ReadonlyMap<string, string>): string {
  const tarball = tarballs.get(name)
  return tarball === undefined ? `link:${placeOf(name)}` : `file:${tarball}`
}

function write(file: string, value: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(value, null, 2))
}
