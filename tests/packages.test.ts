import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Problem } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './structure/source.js'

const run = promisify(execFile)
/** The packages that are published. What is private is bundled into them. */
const directories = readdirSync(join(root, 'packages')).filter((directory) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', directory, 'package.json'), 'utf8'))
  return manifest.private !== true
})
/** What `jurist` does not bring: the matchers come with a Vitest, the store in PostgreSQL with its driver. */
const apart = ['postgres', 'vitest']
const maxInstallBytes = 20 * 1024 * 1024
const maxPackages = 30
const maxCoreBytes = 58 * 1024
const maxVetBytes = 15 * 1024

describe('what is published', () => {
  test.each(directories)('%s is as publint wants it', async (directory) => {
    const { messages } = await publint({ pkgDir: join(root, 'packages', directory), strict: true })
    expect(messages).toEqual([])
  })

  test('the root door of core, bundled and minified, is small and stands alone', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'packages/core/dist/index.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
    })
    const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(maxCoreBytes)
  })

  test('the door of vet, without what a run loads, is small when it is minified and compressed', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'packages/vet/dist/index.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'node',
      write: false,
      plugins: [
        {
          name: 'only the door',
          setup: ({ onResolve }) =>
            onResolve({ filter: /./ }, ({ kind, path }) =>
              kind === 'dynamic-import' || path.startsWith('@jurist/') ? { path, external: true } : undefined,
            ),
        },
      ],
    })
    const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0)
    expect(bytes).toBeGreaterThan(5_000)
    expect(bytes).toBeLessThanOrEqual(maxVetBytes)
  })
})

// Shared files are made by the build: one that needs Node must not get in.
test.each(['calibrate', 'compare', 'report', 'result'])(
  'the door %s of experiment opens without Node',
  async (door) => {
    const { errors } = await build({
      entryPoints: [join(root, `packages/experiment/dist/${door}/index.js`)],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
      write: false,
    })
    expect(errors).toEqual([])
  },
)

describe('the packed tarballs, in an empty project', () => {
  let project = ''
  /** The paths in each tarball. */
  const contents = new Map<string, ReadonlySet<string>>()
  const inProject = (file: string, ...argv: readonly string[]) => run(file, [...argv], { cwd: project })

  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'jurist-packed-'))
    const tarballs: Record<string, string> = {}
    const chosen = directories.flatMap((directory) => ['--workspace', `packages/${directory}`])
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project, ...chosen], { cwd: root })
    for (const { name, filename, files } of JSON.parse(stdout) as readonly Packed[]) {
      contents.set(name.replace('@jurist/', ''), new Set(files.map(({ path }) => path)))
      if (!apart.includes(name.replace('@jurist/', ''))) tarballs[name] = `file:./${filename}`
    }
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ name: 'empty', private: true, type: 'module', dependencies: tarballs, overrides: {} }),
    )
    await inProject('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error')
  })
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  test('install within the budget of size and number', () => {
    const installed = join(project, 'node_modules')
    const names = readdirSync(installed).flatMap((name) => {
      if (name.startsWith('.')) return []
      return name.startsWith('@') ? readdirSync(join(installed, name)) : [name]
    })
    expect(names.length).toBeLessThanOrEqual(maxPackages)
    expect(bytesBelow(installed)).toBeLessThanOrEqual(maxInstallBytes)
  })

  test.each(directories)('%s has a README and the text of the licence', (directory) => {
    expect(contents.get(directory)).toContain('README.md')
    expect(contents.get(directory)).toContain('LICENSE')
    const text = (path: string) => readFileSync(join(root, path), 'utf8')
    expect(text(`packages/${directory}/LICENSE`)).toBe(text('LICENSE'))
  })

  test.each(directories.filter((directory) => !apart.includes(directory)))(
    'the program in the README of %s runs',
    async (directory) => {
      const readme = readFileSync(join(root, 'packages', directory, 'README.md'), 'utf8')
      const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
      const expected = [...program.matchAll(/console\.log\(.*\) \/\/ (.*)/g)].map(([, text]) => `${text}\n`).join('')
      writeFileSync(join(project, `${directory}.readme.mjs`), program)
      expect((await inProject(process.execPath, `${directory}.readme.mjs`)).stdout).toBe(expected)
    },
  )

  // Are the types wrong? For programs that are CommonJS, and for Node 10, they are: there are none.
  test('are as attw wants them', async () => {
    const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
    for (const file of readdirSync(project).filter((name) => name.endsWith('.tgz'))) {
      const tarball = new Uint8Array(readFileSync(join(project, file)))
      const result = await checkPackage(createPackageFromTarballData(tarball))
      const problems = result.types === false ? ['no types'] : result.problems
      expect(problems.filter(concernsModules), file).toEqual([])
    }
  })

  test('work from plain JavaScript', async () => {
    writeFileSync(
      join(project, 'plain.mjs'),
      `import { consensus, fileExists, jury } from 'jurist'
       import { memoryWorkspace } from '@jurist/core/testing'
       import { localWorkspace } from '@jurist/workspace'
       import { memoryStore } from '@jurist/experiment/store'
       import { correctness } from 'jurist/llm'
       import { faithfulness } from 'jurist/rag'
       import { openAiCompatibleModel } from 'jurist/openai-compatible'
       import { viewer } from '@jurist/viewer'
       const rules = jury({ judges: { readme: fileExists('README.md') }, vote: consensus() })
       const { aggregated } = await rules.vote({ workspace: memoryWorkspace({ 'README.md': '' }) })
       const rest = [localWorkspace, memoryStore, correctness, faithfulness, openAiCompatibleModel, viewer]
       console.log(aggregated.status, rest.every((one) => typeof one === 'function'))`,
    )
    expect((await inProject(process.execPath, 'plain.mjs')).stdout).toBe('pass true\n')
  })

  test('work from TypeScript', async () => {
    writeFileSync(
      join(project, 'typed.ts'),
      `import { type Judge, jury, runExperiment } from 'jurist'
       const readme: Judge = ({ workspace }) => workspace.exists('README.md')
       const rules = jury({ judges: { readme } })
       const run = runExperiment({ name: 'x', dataset: [{ task: 'x' }], agent: () => ({ status: 'completed' }), jury: rules })
       const rate: number | null = (await run.result).passRate
       // @ts-expect-error: there is no such seat
       ;(await rules.vote({})).individual.build
       export { rate }`,
    )
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,esnext.disposable,dom']
    const compiler = join(root, 'node_modules/.bin/tsc')
    await inProject(compiler, ...options, '--skipLibCheck', 'false', '--types', '', '--noEmit', 'typed.ts')
  })

  test('the command says what a database needs', async () => {
    const list = inProject(
      'npx',
      '--no-install',
      'jurist',
      'list',
      '--results',
      'postgres://ana:secret@127.0.0.1:1/results',
    )
    const failure = await list.catch((thrown: unknown) => thrown)
    const remedy = expect.stringContaining('npm install --save-dev @jurist/postgres pg')
    expect(failure).toMatchObject({ code: 2, stderr: remedy })
    expect(failure).toMatchObject({ stderr: expect.not.stringContaining('secret') })
  })

  test('the command runs', async () => {
    const { stdout } = await inProject('npx', '--no-install', 'jurist', '--version')
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(root, 'packages/jurist/package.json'), 'utf8')).version)
  })
})

/** Whether a problem that attw found concerns programs that are ES modules. */
function concernsModules(problem: string | Problem): boolean {
  const resolution = typeof problem === 'object' && 'resolutionKind' in problem ? problem.resolutionKind : ''
  return resolution !== 'node10' && resolution !== 'node16-cjs'
}

/** What npm says of a tarball. */
interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

function bytesBelow(directory: string): number {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
