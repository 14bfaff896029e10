import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { JuristError, type Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { isInside } from '../containment.js'
import { below, sameFile } from './wrapper.js'

/** Programs of the machine. Package managers put `node_modules/.bin` before them. */
const ofTheMachine = new Set(
  (
    'node nodejs npm npx pnpm pnpx yarn yarnpkg corepack bun bunx deno sh bash dash ash zsh ksh env git python python3 pip ' +
    'pip3 pytest ruby perl php java javac mvn gradle go cargo rustc gcc cc make cmake cat cp mv rm ls ln mkdir rmdir chmod ' +
    'touch echo printf test [ true false sleep timeout grep sed awk find xargs tee head tail tr cut sort uniq wc uname which ' +
    'dirname basename readlink realpath pwd id date kill ps tar gzip unzip curl wget docker'
  ).split(' '),
)

/** Where programs of packages are looked for. */
export interface ProgramSearch {
  readonly workspace: Workspace & { readonly root: string }
  /** Normalised; its packages count, and those of every directory above it. */
  readonly cwd: string
  readonly originals: readonly Workspace[]
  /** Whether the package manager makes a link of every program of a package, as npm and Yarn do. */
  readonly linksPrograms: boolean
  readonly isLaid: (path: string) => boolean
}

/**
 * The programs in `node_modules/.bin` that no package manager put there: those that are no links into the packages, all of
 * them where the project has no packages, and those that hide programs of the machine. What an original has may stay.
 */
export async function strayPrograms(search: ProgramSearch): Promise<readonly string[]> {
  const { workspace, cwd, originals, linksPrograms, isLaid } = search
  const directories = [cwd, ...above(cwd)]
  const hasPackages = await mayHavePackages(originals, directories)
  const strays: string[] = []
  for (const bin of directories
    .map((directory) => below(directory, 'node_modules/.bin'))
    .filter((one) => !isLaid(one))) {
    const directory = join(workspace.root, bin)
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) continue
    const packages = realpathSync(join(directory, '..'))
    for (const name of readdirSync(directory)) {
      const isStray = linksPrograms && !isLinkInto(packages, join(directory, name))
      if (!isStray && hasPackages && !ofTheMachine.has(name)) continue
      if (isStray || !(await isGiven(workspace, originals, `${bin}/${name}`))) strays.push(`${bin}/${name}`)
    }
  }
  return strays
}

function above(directory: string): readonly string[] {
  if (directory === '.') return []
  const parts = directory.split('/')
  return parts.map((_, index) => parts.slice(0, index).join('/') || '.')
}

function isLinkInto(packages: string, place: string): boolean {
  if (!lstatSync(place).isSymbolicLink()) return false
  return statSync(place, { throwIfNoEntry: false }) === undefined || isInside(packages, realpathSync(place))
}

async function isGiven(workspace: Workspace, originals: readonly Workspace[], path: string): Promise<boolean> {
  for (const original of originals) if (await sameFile(workspace, original, path)) return true
  return false
}

/** Whether a project of the originals needs packages; also where nothing is known of it. */
async function mayHavePackages(originals: readonly Workspace[], directories: readonly string[]): Promise<boolean> {
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
