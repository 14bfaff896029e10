import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { isInside } from '../../containment.js'
import { directoryOf } from '../../workspace-directory.js'
import { below, type Site } from '../command-target.js'
import { type Imports, noImports, type OutsideImport, projectDirectories } from './outside-import.js'
import { type PythonRun, pythonImports } from './python-imports.js'

/**
 * Finds packages of the workspace that a run would import from outside, where no judge looks, and redirects those that
 * it can. Call `tidy` after the run.
 */
export async function importsOf(run: PythonRun & { readonly copiedFrom: string | undefined }): Promise<Imports> {
  const all = [nodeImports(run.site, run.copiedFrom), goImports(run.site), await pythonImports(run)]
  return {
    env: Object.assign({}, ...all.map(({ env }) => env)),
    outside: all.flatMap(({ outside }) => outside),
    redirected: Object.assign({}, ...all.map(({ redirected }) => redirected)),
    tidy: () => {
      for (const { tidy } of all) tidy()
    },
  }
}

const mostBytes = 1_048_576
const goRemedy = 'name a directory of the workspace, with a relative path'

/** Finds directives of `go.mod` and `go.work` that take a module from a directory outside the workspace. */
function goImports({ workspace, originals, cwd }: Site): Imports {
  const { root } = workspace
  if (root === undefined) return noImports
  const files = [...new Set(['go.mod', 'go.work', below(cwd, 'go.mod'), below(cwd, 'go.work')])]
  if (!files.some((file) => existsSync(join(root, file)))) return noImports
  const own = modulesOf(root)
  const outside = files.flatMap((file) => {
    const text = textOf(root, file)
    return targetsIn(text).flatMap(({ name, target }): readonly OutsideImport[] => {
      const place = resolve(root, file, '..', target)
      if (isInside(root, place)) return []
      const isGiven = originals.some((original) => {
        const directory = directoryOf(original)
        return directory !== undefined && targetsIn(textOf(directory, file)).some((one) => one.target === target)
      })
      const isAgents = originals.length > 0 && !isGiven
      // A library outside the workspace that the agent was given is not part of the judged work.
      return isAgents || own.has(name) || name.startsWith('use ')
        ? [{ name, from: place, remedy: goRemedy, isAgents }]
        : []
    })
  })
  return { ...noImports, outside }
}

function modulesOf(root: string): ReadonlySet<string> {
  const files = projectDirectories(root).map((directory) => below(directory, 'go.mod'))
  return new Set(files.flatMap((file) => /^module\s+(\S+)/m.exec(textOf(root, file))?.[1] ?? []))
}

function textOf(root: string, file: string): string {
  const place = join(root, file)
  if (!existsSync(place)) return ''
  const stats = lstatSync(place)
  return stats.isFile() && stats.size <= mostBytes ? readFileSync(place, 'utf8') : ''
}

interface Target {
  readonly name: string
  readonly target: string
}

/**
 * Reads the directories that `replace` and `use` name. A path is absolute or begins with a dot; anything else is a
 * module.
 */
function targetsIn(text: string): readonly Target[] {
  const found: Target[] = []
  let block = ''
  for (const line of text.split('\n')) {
    const words = line
      .replace(/\/\/.*/, '')
      .trim()
      .split(/\s+/)
    if (words[1] === '(') block = words[0] ?? ''
    else if (words[0] === ')') block = ''
    const [directive = '', ...rest] = block === '' ? words : [block, ...words]
    const arrow = rest.indexOf('=>')
    const target = directive === 'use' ? rest[0] : directive === 'replace' && arrow >= 0 ? rest[arrow + 1] : undefined
    const name = directive === 'use' ? `use ${target}` : rest[0]
    const path = target?.replace(/^["`](.*)["`]$/, '$1')
    if (path !== undefined && name !== undefined && (path.startsWith('.') || isAbsolute(path)))
      found.push({ name, target: path })
  }
  return found
}

const nodeRemedy = 'remove the link, or install the packages in the workspace itself'

/**
 * Redirects links of `node_modules` to the workspace: links to its own packages, which `npm link` and workspaces
 * create, may lead to another checkout. In a copy, they are created again; in the workspace itself, they are only
 * reported.
 *
 * @param copiedFrom the directory that the site is a copy of; a copy has no links that lead out
 */
function nodeImports({ workspace, originals, cwd }: Site, copiedFrom: string | undefined): Imports {
  const { root } = workspace
  if (root === undefined) return noImports
  const places = [...new Set(['node_modules', below(cwd, 'node_modules')])].filter((one) => existsSync(join(root, one)))
  if (places.length === 0) return noImports
  const outside: OutsideImport[] = []
  const redirected: Record<string, string> = {}
  for (const [name, directory] of packagesOf(root))
    for (const place of places) {
      const path = `${place}/${name}`
      const from = leadsOut(copiedFrom ?? root, path)
      if (from === undefined) continue
      if (copiedFrom !== undefined) {
        rmSync(join(root, path), { recursive: true, force: true })
        mkdirSync(dirname(join(root, path)), { recursive: true })
        symlinkSync(relative(dirname(join(root, path)), join(root, directory)) || '.', join(root, path))
        redirected[name] = from
      } else
        outside.push({
          name,
          from,
          remedy: nodeRemedy,
          isAgents: originals.length > 0 && !hasLink(originals, path, root),
        })
    }
  return { ...noImports, outside, redirected }
}

/** Returns the target of a link if it is outside the workspace; otherwise `undefined`. */
function leadsOut(root: string, path: string): string | undefined {
  const place = join(root, path)
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined
  try {
    const target = realpathSync(place)
    return isInside(root, target) ? undefined : target
  } catch {
    return undefined
  }
}

function hasLink(originals: Site['originals'], path: string, root: string): boolean {
  return originals.some((original) => {
    const directory = directoryOf(original)
    if (directory === undefined) return false
    const place = join(directory, path)
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
    return readlinkSync(place) === readlinkSync(join(root, path))
  })
}

/** Returns the directories of the packages of the workspace by name, the root first. */
function packagesOf(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const directory of projectDirectories(root)) {
    const name = nameIn(join(root, directory, 'package.json'))
    if (name !== undefined && !found.has(name)) found.set(name, directory)
  }
  return found
}

function nameIn(file: string): string | undefined {
  try {
    if (!lstatSync(file).isFile()) return undefined
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const name = isPlainObject(manifest) ? manifest['name'] : undefined
    return typeof name === 'string' && /^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name) ? name : undefined
  } catch {
    // The agent may have left anything here.
    return undefined
  }
}
