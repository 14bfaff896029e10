import { join, posix } from 'node:path'
import type { JsonObject, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { type CodeProcess, connectingDirectory, type ServedCode } from './code-process.js'
import { codeSession } from './code-session.js'

const endings = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx']
const literal = /(['"`])([^'"`\s]{1,400})\1/g

/**
 * Finds the sources that tests may import, by the strings in them: file names, and names by which runners find files
 * (`@/sum`). Extra sources do little harm: each is only loaded once to see its exports.
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

/** Returns the files that a name may mean, without an extension or with another one. */
function namesOf(path: string): readonly string[] {
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return [source, ...endings.flatMap((ending) => [path + ending, `${path}/index${ending}`])]
}

/** Finds the sources that the manifest of a package exports. */
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

/** How long one module may take to load, in milliseconds; once one has taken longer; and how long its process may end. */
const [moduleMs, shorterMs, endMs] = [20_000, 2_000, 5_000]

/** The code of JavaScript as it is served now, and the descriptions of the exports of its modules, by path. */
export interface DescribedCode {
  readonly served: ServedCode
  readonly exports: { readonly [path: string]: JsonObject }
}

/**
 * Serves the code, and asks it for the exports of modules, each of which is loaded by a separate process. If that takes
 * all the time, descriptions are missing, and the tests show the problem.
 */
export async function describedCode(
  code: CodeProcess,
  paths: readonly string[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<DescribedCode> {
  const end = performance.now() + timeoutMs
  const exports: { [path: string]: JsonObject } = {}
  let served = await code.serve('javascript')
  let limitMs = moduleMs
  for (const path of paths) {
    const leftMs = end - performance.now()
    if (leftMs <= 0) break
    using session = codeSession(code.root, 'javascript')
    const reply = await session.ask({ load: path }, Math.min(limitMs, leftMs))
    exports[path] = reply
    if (reply['late'] === undefined && (await session.end(endMs))) continue
    // Tests wait for all modules: when one of them hangs, the others get less time.
    limitMs = shorterMs
    await served[Symbol.asyncDispose]()
    served = await code.serve('javascript')
  }
  signal.throwIfAborted()
  return { served, exports }
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

/**
 * Creates a proxy of a JavaScript module, with the same exported names as the code under test, that calls its process.
 * The code chooses these names, so only identifiers are allowed in the source.
 *
 * @param description the exports as a process reported them; `undefined` if no test seemed to import the module
 */
export function javascriptProxy(home: string, path: string, description: unknown): string {
  // A file, not a directory, since that is all that Jest's `createRequire` accepts.
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

/** Whether an export list may contain a name without its value. Such a list is only read and never run. */
const isShorthand = (name: string): boolean =>
  !/^(?:default|class|function|import|export|new|delete|in|if|for|do)$/.test(name)
