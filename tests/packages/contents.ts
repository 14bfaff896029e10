import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { plan } from '../structure/plan.js'
import { root } from '../structure/source.js'
import { isOurs } from './programs.js'

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly keywords: readonly string[]
  readonly exports: Readonly<Record<string, object>>
}

/** The manifest of a package, by its directory. */
export function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
}

/** The public doors of a package, as a program imports them. */
export function doorsOf(directory: string): readonly string[] {
  const { name, exports } = manifestOf(directory)
  const doors = Object.keys(exports).filter((door) => !/^\.\/(internal|package\.json)/.test(door))
  return doors.map((door) => `${name}${door.slice(1)}`)
}

/**
 * The packages whose code is in what the build made. The plan lists those that the sources import; the bundler names the files
 * of most, also of what those need in turn; a page imports its own.
 */
export function bundledIn(directory: string): readonly string[] {
  const home = join(root, 'packages', directory)
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
  const text = (pattern: RegExp) =>
    files.filter((file) => pattern.test(file)).map((file) => readFileSync(join(home, file), 'utf8'))
  const named = text(/^dist\/.*\.js$/).flatMap((code) => [
    ...[...code.matchAll(/^\/\/ .*?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm)].map(([, name = '']) => name),
    ...(code.includes('// \0rolldown/') ? ['rolldown'] : []),
    ...(code.includes('// \0@oxc-project+runtime') ? ['@oxc-project/types'] : []),
  ])
  const imported = text(/^page\/.*\.tsx?$/).flatMap((code) =>
    [...code.matchAll(/^import (?!type\b).*from '((?:@[^/']+\/)?[^./'][^/']*)/gm)].map(([, name = '']) => name),
  )
  const parsers = files
    .filter((file) => /^parsers\/[^/]*\.(js|wasm)$/.test(file))
    .map((file) => basename(file, extname(file)))
  const planned = plan[manifestOf(directory).name]?.bundled ?? []
  return [
    ...new Set([...planned, ...named, ...imported.filter((name) => !isOurs(name)), ...parsers.map(packageOfParser)]),
  ].sort()
}

const packageOfParser = (parser: string) => (parser === 'babel-parser' ? '@babel/parser' : parser)

/** The size of all files of a directory. */
export function bytesBelow(directory: string): number {
  const sizes = readdirSync(directory, { withFileTypes: true }).map((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? bytesBelow(path) : entry.isFile() ? statSync(path).size : 0
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}
