import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ParserPlugin, parse } from '@babel/parser'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** One import of a source file. */
interface Import {
  readonly specifier: string
  /** `import()`, and not a statement at the top of the file. */
  readonly dynamic: boolean
  /** A type, of which nothing is left at run time. */
  readonly erased: boolean
}

/** What the architecture test needs to know about a source file. */
export interface Source {
  /** From the root, with `/`. */
  readonly path: string
  readonly imports: readonly Import[]
}

/** The files below `directory` (from the root) whose name matches, except generated and copied ones. */
export function filesBelow(directory: string, name: RegExp): readonly string[] {
  const skipped = new Set(['node_modules', 'dist', 'vectors', 'fixtures', 'results', '.git'])
  // What the tests covered is at the root; the sources have a directory of this name.
  const isSkipped = (at: string, part: string) => skipped.has(part) || (part === 'coverage' && at === root)
  const walk = (at: string): readonly string[] =>
    readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory()) return isSkipped(at, entry.name) ? [] : walk(join(at, entry.name))
      return entry.isFile() && name.test(entry.name) ? [join(at, entry.name)] : []
    })
  return walk(join(root, directory)).map((path) => relative(root, path).split(sep).join('/'))
}

const typescript: readonly ParserPlugin[] = ['typescript']
const jsx: readonly ParserPlugin[] = ['typescript', 'jsx']

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

/** Reads one source file. */
export function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const plugins: ParserPlugin[] = ['explicitResourceManagement', ...(path.endsWith('x') ? jsx : typescript)]
  const tree = parse(text, { sourceType: 'module', plugins })
  const imports: Import[] = []
  visit(tree.program as unknown as Node, (node) => {
    const found = importOf(node)
    if (found !== undefined) imports.push(found)
  })
  return { path, imports }
}

function importOf(node: Node): Import | undefined {
  const source = node.source as { readonly value?: string } | null | undefined
  const isStatement = /^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type)
  if (isStatement && source?.value !== undefined) {
    const kind = node.importKind ?? node.exportKind
    return { specifier: source.value, dynamic: false, erased: kind === 'type' }
  }
  if (node.type === 'TSImportType') {
    const { value } = node.argument as { readonly value?: string }
    return value === undefined ? undefined : { specifier: value, dynamic: false, erased: true }
  }
  if (node.type !== 'CallExpression' || (node.callee as Node).type !== 'Import') return undefined
  const [argument] = node.arguments as readonly { readonly value?: unknown }[]
  return typeof argument?.value === 'string' ? { specifier: argument.value, dynamic: true, erased: false } : undefined
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node)
  for (const child of Object.values(node))
    for (const one of Array.isArray(child) ? child : [child])
      if (typeof one === 'object' && one !== null && typeof one.type === 'string') visit(one, look)
}

function nameOf(node: Node): string | undefined {
  const named = (node.id ?? node.key) as { readonly name?: string } | null | undefined
  return named?.name
}

/** Every name that a file exports, types included, through the files it exports from. */
export function exportsOf(path: string): ReadonlySet<string> {
  const text = readFileSync(join(root, path), 'utf8')
  const { program } = parse(text, { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] })
  const names = new Set<string>()
  for (const statement of program.body) {
    if (statement.type === 'ExportAllDeclaration' && statement.source.value.startsWith('.')) {
      const inner = join(path, '..', statement.source.value.replace(/\.js$/, '.ts'))
      for (const name of exportsOf(inner)) names.add(name)
    }
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const { exported } of statement.specifiers) if (exported.type === 'Identifier') names.add(exported.name)
    for (const name of declaredNames(statement.declaration as unknown as Node | null)) names.add(name)
  }
  return names
}

function declaredNames(declaration: Node | null): readonly string[] {
  if (declaration === null) return []
  const own = nameOf(declaration)
  const variables = (declaration.declarations ?? []) as readonly { readonly id: { readonly name?: string } }[]
  return [...(own === undefined ? [] : [own]), ...variables.flatMap(({ id }) => id.name ?? [])]
}
