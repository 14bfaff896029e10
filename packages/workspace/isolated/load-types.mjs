// Loads TypeScript, and files that bundlers and runners find by a shorter name, as the test runner of the project
// would: with the project's own compiler.
import { existsSync, readFileSync, statSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx', '.json']
const typed = /\.([cm]?ts|tsx|jsx)$/

const isFile = (path) => existsSync(path) && statSync(path).isFile()

function fileOf(path) {
  const source = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  const names = [
    path,
    source,
    ...endings.map((ending) => path + ending),
    ...endings.map((ending) => join(path, `index${ending}`)),
  ]
  return names.find(isFile)
}

export async function resolve(specifier, context, next) {
  if (!specifier.startsWith('.') || context.parentURL?.startsWith('file:') !== true) return next(specifier, context)
  const file = fileOf(fileURLToPath(new URL(specifier, context.parentURL)))
  return file === undefined ? next(specifier, context) : next(pathToFileURL(file).href, context)
}

export async function load(url, context, next) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : ''
  if (!typed.test(path)) return next(url, context)
  return { format: 'module', source: await compiled(path), shortCircuit: true }
}

async function compiled(path) {
  const text = readFileSync(path, 'utf8')
  const project = createRequire(join(process.cwd(), 'package.json'))
  for (const compiler of compilers) {
    const compile = await compiler(project)
    if (compile) return await compile(text, path)
  }
  throw new Error(`${path} cannot be loaded: the project has no compiler (${names}), and this Node strips no types`)
}

const names = 'esbuild, vite or typescript'

const compilers = [
  (project) => {
    const esbuild = packageOf(project, 'esbuild')
    const loader = (path) => (path.endsWith('x') ? path.slice(-3) : 'ts')
    return (
      esbuild &&
      ((text, path) => esbuild.transformSync(text, { loader: loader(path), format: 'esm', sourcefile: path }).code)
    )
  },
  async (project) => {
    const { transformWithOxc } = (await packageOfModules(project, 'vite')) ?? {}
    return transformWithOxc && (async (text, path) => (await transformWithOxc(text, path)).code)
  },
  (project) => {
    const typescript = packageOf(project, 'typescript')
    const options = { module: 99, target: 99, jsx: 2, isolatedModules: true }
    return (
      typescript?.transpileModule &&
      ((text, path) => typescript.transpileModule(text, { fileName: path, compilerOptions: options }).outputText)
    )
  },
  // From Node 22.13 on.
  () => module.stripTypeScriptTypes && ((text) => module.stripTypeScriptTypes(text, { mode: 'transform' })),
]

function packageOf(project, name) {
  try {
    return project(name)
  } catch {
    return undefined
  }
}

async function packageOfModules(project, name) {
  try {
    return await import(pathToFileURL(project.resolve(name)).href)
  } catch {
    return undefined
  }
}
