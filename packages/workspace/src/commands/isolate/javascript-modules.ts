import { join, posix } from 'node:path'
import type { Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { connectingDirectory } from './code-process.js'

const endings = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx']
const literal = /(['"`])([^'"`\s]{1,400})\1/g

/**
 * The sources that texts of tests may import, by what is in quotes in them: names of files, and names by which
 * runners find them (`@/sum`). Rather too many than too few: each is only loaded once to see what it exports.
 */
export function importedSources(texts: ReadonlyMap<string, string>, sources: readonly string[]): readonly string[] {
  const known = new Set(sources)
  const found = new Set<string>()
  for (const [path, text] of texts)
    for (const [, , name = ''] of text.matchAll(literal))
      for (const source of candidates(path, name, known)) found.add(source)
  return [...found].sort()
}

function candidates(importer: string, name: string, known: ReadonlySet<string>): readonly string[] {
  if (name.startsWith('.')) {
    const target = posix.join(posix.dirname(importer), name)
    return namesOf(target).filter((one) => known.has(one))
  }
  const [, tail] = /^(?:@|~|#|[\w.-]+)\/(.+)$/.exec(name) ?? /^[#~@](.+)$/.exec(name) ?? []
  if (tail === undefined) return []
  const tails = namesOf(tail)
  return [...known].filter((source) => tails.some((one) => source === one || source.endsWith(`/${one}`)))
}

/** The files that a name without, or with another, ending may mean. */
function namesOf(path: string): readonly string[] {
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return [source, ...endings.flatMap((ending) => [path + ending, `${path}/index${ending}`])]
}

/** The sources that a manifest names as what its package exports. */
export async function exportedSources(workspace: Workspace, sources: readonly string[]): Promise<readonly string[]> {
  const known = new Set(sources)
  const found: string[] = []
  try {
    const manifest: unknown = JSON.parse(await workspace.read('package.json'))
    if (!isPlainObject(manifest)) return []
    const { main, module, exports, imports } = manifest
    for (const name of stringsIn([main ?? 'index', module, exports, imports]))
      found.push(...namesOf(posix.normalize(name)).filter((one) => known.has(one)))
  } catch {
    return []
  }
  return found
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/**
 * A proxy of a module of JavaScript: exports of the names that the code under test has, which ask its process. The
 * code decides which names these are, so nothing but names of JavaScript gets into the text.
 *
 * @param description what a process that loaded the module said; `undefined` when no test seemed to import it
 */
export function javascriptProxy(home: string, path: string, description: unknown): string {
  // The name of a file, and no directory: the `createRequire` of Jest knows only these.
  const place = JSON.stringify(join(home, connectingDirectory, 'client.cjs'))
  const client = `process.getBuiltinModule('node:module').createRequire(${place})('./client.cjs')`
  const code = `${client}.module(${JSON.stringify(path)}, globalThis)`
  if (description === undefined) return `${client}.unknown(${JSON.stringify(path)})\n`
  const { format, exports: exported } = isPlainObject(description) ? description : {}
  const members = isPlainObject(exported) && isPlainObject(exported['members']) ? exported['members'] : {}
  // A module that exports `then` would be awaited.
  const names = Object.keys(members).filter((name) => identifier.test(name) && name !== 'then')
  const isCommon = path.endsWith('.cjs') || (format === 'commonjs' && /\.jsx?$/.test(path))
  if (isCommon) return `module.exports = ${code}\n0 && (module.exports = { ${names.filter(isShorthand).join(', ')} })\n`
  const exports = names.map((name, index) => `v${index} as ${name}`).join(', ')
  const lines = names.map((name, index) => `const v${index} = code[${JSON.stringify(name)}]`)
  return ['// @ts-nocheck', `const code = ${code}`, ...lines, `export { ${exports} }`, ''].join('\n')
}

/** Names that a list of exports may have without their values, which is only read and never run. */
const isShorthand = (name: string): boolean =>
  !/^(?:default|class|function|import|export|new|delete|in|if|for|do)$/.test(name)
