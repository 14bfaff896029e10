import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parse } from '@babel/parser'
import type { Comment, Statement } from '@babel/types'
import { root } from './source.js'

/** One declaration of a built `.d.ts` file. */
interface Declaration {
  readonly kind: 'value' | 'type'
  /** Without comments. */
  readonly code: string
  /** As it is in the built file, with the comments of its members. */
  readonly text: string
  /** The text of the doc comment, without its stars; empty without one. */
  readonly doc: string
}

/** A name that a door exports. Overloads, and a type beside a value, are several declarations. */
export interface PublicName {
  readonly name: string
  /** The package that declares it. */
  readonly package: string
  /** The built file that declares it, from the root of the repository. */
  readonly file: string
  readonly declarations: readonly Declaration[]
}

/** A public door of a published package, such as `@jurist/core/llm`, and what it exports, by name. */
export interface Door {
  readonly package: string
  readonly door: string
  /** The text of the comment that the file of the door begins with. */
  readonly doc: string
  readonly names: ReadonlyMap<string, PublicName>
}

/** Every public door of every published package, read from the built declarations. */
export function publicDoors(): readonly Door[] {
  return manifests.flatMap(({ directory, manifest }) =>
    Object.entries(manifest.exports).flatMap(([door, { types }]) => {
      if (manifest.private === true || types === undefined || door.startsWith('./internal')) return []
      const path = join(root, 'packages', directory, types)
      const { opening: doc } = moduleAt(path)
      return [{ package: manifest.name, door: `${manifest.name}${door.slice(1)}`, doc, names: namesOf(path) }]
    }),
  )
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: { readonly [door: string]: { readonly types?: string } }
}

const manifests = readdirSync(join(root, 'packages')).map((directory) => ({
  directory,
  manifest: JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8')) as Manifest,
}))

interface Binding {
  readonly from?: string
  readonly name: string
}

/** A parsed file: what it declares, and what it exports from where. */
interface Module {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>
  /** By exported name: the file (absent: this one) and the name there. */
  readonly exports: ReadonlyMap<string, Binding>
  /** The same for imports, by local name. */
  readonly imports: ReadonlyMap<string, Binding>
  /** Files of `export *`. */
  readonly stars: readonly string[]
  /** The text of the comment that it begins with. */
  readonly opening: string
}

const modules = new Map<string, Module>()

function moduleAt(path: string): Module {
  const known = modules.get(path)
  if (known !== undefined) return known
  const read = readModule(path)
  modules.set(path, read)
  return read
}

const exported = new Map<string, ReadonlyMap<string, PublicName>>()

/** What a file exports, followed to the files that declare it. */
function namesOf(path: string): ReadonlyMap<string, PublicName> {
  const known = exported.get(path)
  if (known !== undefined) return known
  const { exports, stars } = moduleAt(path)
  const found = new Map<string, PublicName>()
  exported.set(path, found)
  for (const star of stars) for (const [name, one] of namesOf(star)) found.set(name, one)
  for (const [name, { from, name: inner }] of exports) {
    const one = from === undefined ? declaredAt(path, inner) : namesOf(from).get(inner)
    if (one !== undefined) found.set(name, { ...one, name })
  }
  return found
}

/** What a name means in a built file: its own declaration, or the one it imports from a file of ours. */
export function declaredAt(path: string, name: string): PublicName | undefined {
  const { declarations, imports } = moduleAt(path)
  const own = declarations.get(name)
  if (own === undefined) {
    const imported = imports.get(name)
    return imported?.from === undefined ? undefined : namesOf(imported.from).get(imported.name)
  }
  const file = relative(root, path)
  const [, directory = ''] = file.split('/')
  const { manifest } = manifests.find((one) => one.directory === directory) ?? {}
  return { name, package: manifest?.name ?? '', file, declarations: own }
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8')
  const { program } = parse(text, { sourceType: 'module', plugins: [['typescript', { dts: true }]] })
  const declarations = new Map<string, readonly Declaration[]>()
  const exports = new Map<string, Binding>()
  const imports = new Map<string, Binding>()
  const stars: string[] = []
  for (const statement of program.body) {
    if (statement.type === 'ExportAllDeclaration') stars.push(...fileOf(path, statement.source.value))
    const bindings = statement.type === 'ImportDeclaration' ? imports : exports
    for (const [local, from, name] of bindingsOf(statement)) {
      const [file] = from === undefined ? [undefined] : fileOf(path, from)
      if (from === undefined || file !== undefined) bindings.set(local, { ...(file && { from: file }), name })
    }
    const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    for (const name of declaredNames(inner)) {
      const kind = /Interface|TypeAlias/.test(inner?.type ?? '') ? 'type' : 'value'
      const own = text.slice(statement.start ?? 0, statement.end ?? 0)
      const one: Declaration = { kind, code: codeOf(own), text: own, doc: docOf(statement.leadingComments) }
      declarations.set(name, [...(declarations.get(name) ?? []), one])
      if (inner !== statement) exports.set(name, { name })
    }
  }
  const opening = docOf(program.body[0]?.leadingComments?.slice(0, 1))
  return { declarations, exports, imports, stars, opening }
}

/** What an import or an export binds: the name here, the module, the name there. */
function bindingsOf(statement: Statement): readonly (readonly [string, string | undefined, string])[] {
  const nameOf = (node: { readonly type: string }) => ('name' in node ? String(node.name) : '')
  if (statement.type === 'ImportDeclaration')
    return statement.specifiers.flatMap((one) =>
      one.type === 'ImportSpecifier' ? [[one.local.name, statement.source.value, nameOf(one.imported)] as const] : [],
    )
  if (statement.type !== 'ExportNamedDeclaration') return []
  return statement.specifiers.flatMap((one) =>
    one.type === 'ExportSpecifier' ? [[nameOf(one.exported), statement.source?.value, one.local.name] as const] : [],
  )
}

function declaredNames(node: Statement | null | undefined): readonly string[] {
  if (node === null || node === undefined) return []
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  const { id } = node as { readonly id?: { readonly name?: string } | null }
  return typeof id?.name === 'string' ? [id.name] : []
}

/** The built file that an import of our packages leads to; none for packages from elsewhere. */
function fileOf(from: string, specifier: string): readonly string[] {
  if (specifier.startsWith('.')) return [join(dirname(from), specifier.replace(/\.js$/, '.d.ts'))]
  for (const { directory, manifest } of manifests) {
    if (specifier !== manifest.name && !specifier.startsWith(`${manifest.name}/`)) continue
    const { types } = manifest.exports[`.${specifier.slice(manifest.name.length)}`] ?? {}
    const path = types === undefined ? '' : join(root, 'packages', directory, types)
    if (existsSync(path)) return [path]
  }
  return []
}

/** A declaration without comments, with single spaces. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .replace(/\{\n\s*\n/g, '{\n')
}

function docOf(comments: readonly Comment[] | null | undefined): string {
  const last = comments?.at(-1)
  if (last === undefined || last.type !== 'CommentBlock' || !last.value.startsWith('*')) return ''
  return last.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()
}

/** The programs of the `@example` tags of a doc comment. */
export function examplesOf(doc: string): readonly string[] {
  return doc
    .split(/^@/m)
    .filter((part) => part.startsWith('example'))
    .map((part) =>
      part
        .slice('example'.length)
        .replace(/^```\w*\n?/gm, '')
        .trim(),
    )
}
