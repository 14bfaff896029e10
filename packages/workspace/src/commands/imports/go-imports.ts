import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { directoryOf, isInside } from '../../containment.js'
import type { Site } from '../site.js'
import { below } from '../wrapper.js'
import { type Imports, noImports, type OutsideImport } from './outside-import.js'
import { projectDirectories } from './project-directories.js'

const mostBytes = 1_048_576
const remedy = 'name a directory of the workspace, with a relative path'

/**
 * Finds directives of `go.mod` and `go.work` that take a module from a directory outside the workspace.
 */
export function goImports({ workspace, originals, cwd }: Site): Imports {
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
      // A library that the agent was given outside is not what is judged.
      return isAgents || own.has(name) || name.startsWith('use ') ? [{ name, from: place, remedy, isAgents }] : []
    })
  })
  return { ...noImports, outside }
}

/** The names of the modules of a workspace. */
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

/** The directories that `replace` and `use` name; a path is absolute or begins with a dot, anything else is a module. */
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
