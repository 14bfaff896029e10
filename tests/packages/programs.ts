import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { root } from '../structure/source.js'
import { type Fence, fencesOf, pages } from './fences.js'
import { placeOf } from './isolated.js'

const run = promisify(execFile)
const compiler = join(root, 'node_modules/.bin/tsc')
const runner = fileURLToPath(new URL('run-programs.mjs', import.meta.url))

/** A block of a document as a program in a project that has what the document says to install. */
export interface Program {
  readonly fence: Fence
  /** The directory of the project. */
  readonly project: string
  /** The directory of the program, from that of all projects. */
  readonly directory: string
  readonly file: string
  /** Packages that it needs and that are not installed on this machine. */
  readonly missing: readonly string[]
}

/** The packages that a document says to install. Guides suppose `jurist`. */
function packagesOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const named = [...text.matchAll(/npm install((?: [@\w./-]+)+)/g)].flatMap(([, words = '']) => words.trim().split(' '))
  const names = named.filter((word) => !word.startsWith('-')).map((word) => word.replace(/(?<=.)@[\w.]+$/, ''))
  return [...new Set([...(/^packages\/\w+\/README/.test(page) ? [] : ['jurist']), ...names])].sort()
}

const languages = ['ts', 'js', 'tsx', 'jsx', 'mts', 'mjs', 'typescript', 'javascript']

/** Every block of TypeScript and JavaScript, and the packages of each project. */
export function allPrograms(): { programs: readonly Program[]; projects: ReadonlyMap<string, readonly string[]> } {
  const projects = new Map<string, readonly string[]>()
  const programs = pages.flatMap((page) => {
    const fences = fencesOf(page).filter(({ language }) => languages.includes(language))
    if (fences.length === 0) return []
    const wanted = packagesOf(page)
    const missing = wanted.filter((name) => !isOurs(name) && placeOf(name) === undefined)
    const names = wanted.filter((name) => !missing.includes(name))
    const project = names.map((name) => name.replace(/^@/, '').replaceAll('/', '-')).join('+')
    projects.set(project, names)
    return fences.map((fence) => programOf(fence, project, missing))
  })
  return { programs, projects }
}

/** Whether a package is one of this repository. */
export const isOurs = (name: string) => name === 'jurist' || name.startsWith('@jurist/')

/** JavaScript is checked as strictly as TypeScript, except that parameters may be without a type. */
function programOf(fence: Fence, project: string, absent: readonly string[]): Program {
  const { page, line, language, code, before } = fence
  const test = /from 'vitest'/.test(before + code) ? 'program.test' : 'program'
  const named = fence.name?.replace(/\.[jt]s$/, '')
  const directory = join(project, language, `${page.replaceAll('/', '-').replace(/\.md$/, '')}-${line}`)
  const missing = absent.filter((name) => (before + code).includes(`'${name}`))
  return { fence, project, directory, file: `${named ?? test}.ts`, missing }
}

/** Writes the programs, with the files that are beside them. */
export function writePrograms(into: string, programs: readonly Program[]): void {
  for (const { fence, directory, file } of programs) {
    const home = join(into, directory)
    mkdirSync(home, { recursive: true })
    for (const given of fence.directories) cpSync(join(root, given), home, { recursive: true })
    for (const { path, text } of fence.files) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    for (const other of programs)
      if (needs({ fence, file }, other)) writeFileSync(join(home, other.file), source(other))
    writeFileSync(join(home, file), source({ fence }))
  }
}

function source({ fence }: Pick<Program, 'fence'>): string {
  return `${fence.before}${fence.code}\nexport {}\n`
}

/** A block whose first line is a file name is a file for the others of its document. */
function needs({ fence, file }: Pick<Program, 'fence' | 'file'>, other: Program): boolean {
  if (other.fence === fence || other.fence.page !== fence.page) return false
  if (other.file === 'vitest.config.ts') return file.endsWith('.test.ts')
  return fence.code.includes(`'./${other.file.replace(/ts$/, 'js')}'`)
}

/** Compiles all programs; returns what the compiler says, with the lines of the documents. */
export async function compilerProblems(into: string, programs: readonly Program[]): Promise<readonly string[]> {
  const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, skipLibCheck: true }
  const lib = ['es2023', 'esnext.disposable', 'dom', 'dom.iterable']
  const types = { lib, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] }
  const output: string[] = []
  for (const [language, noImplicitAny] of [
    ['ts', true],
    ['js', false],
  ] as const) {
    const files = programs
      .filter(({ fence }) => fence.language === language)
      .map(({ directory, file }) => join(directory, file))
    const config = { compilerOptions: { ...options, ...types, noImplicitAny }, files }
    writeFileSync(join(into, `tsconfig.${language}.json`), JSON.stringify(config))
    output.push(await compilerOutput(into, `tsconfig.${language}.json`))
  }
  return output
    .flatMap((text) => text.split('\n'))
    .filter((line) => line !== '')
    .map((line) => inDocument(line, programs))
}

async function compilerOutput(cwd: string, config: string): Promise<string> {
  try {
    return (await run(compiler, ['-p', config, '--pretty', 'false'], { cwd })).stdout
  } catch (thrown) {
    return (thrown as { readonly stdout: string }).stdout
  }
}

function inDocument(line: string, programs: readonly Program[]): string {
  const [, path = '', at = '0', message = ''] = /^(.*)\((\d+),\d+\): (.*)$/.exec(line) ?? []
  const found = programs.find(({ directory, file }) => join(directory, file) === path)
  if (found === undefined) return line
  const { page, line: first, before } = found.fence
  const within = Number(at) - (before.split('\n').length - 1)
  return within > 0 ? `${page}:${first + within}: ${message}` : `${page}:${first}, in what goes before: ${message}`
}

/** How a program ended. */
export interface Ended {
  readonly directory: string
  /** What it printed. */
  readonly output: string
  readonly error: string | null
}

/** Runs programs one after another in one process, each in its directory; returns how each of them ended. */
export async function runPrograms(into: string, programs: readonly Program[]): Promise<readonly Ended[]> {
  for (const { directory } of programs) await toJavaScript(join(into, directory))
  const list = join(into, 'programs.json')
  const report = join(into, 'ended.json')
  writeFileSync(list, JSON.stringify(programs.map(({ directory, file }) => ({ directory, file }))))
  const env = { PATH: process.env.PATH, HOME: into, LANG: 'C.UTF-8' }
  await run(process.execPath, [runner, list, report], { cwd: into, env })
  return JSON.parse(readFileSync(report, 'utf8'))
}

async function toJavaScript(directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  for (const name of files.filter((file) => file.endsWith('.ts'))) {
    const source = readFileSync(join(directory, name), 'utf8')
    const { code } = await transform(source, { loader: 'ts', target: 'node20' })
    writeFileSync(join(directory, name.replace(/\.ts$/, '.js')), code)
  }
}
