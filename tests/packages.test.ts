import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Problem } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundledIn, bytesBelow, doorsOf, manifestOf } from './packages/contents.js'
import { documentedPrograms } from './packages/documented-programs.js'
import { type Isolated, installIsolated } from './packages/isolated.js'
import { allPrograms } from './packages/programs.js'
import { packedTemplates, templateProjects } from './packages/templates.js'
import { root } from './structure/source.js'

const run = promisify(execFile)
/** The packages that are published. What is private is bundled into them. */
const directories = readdirSync(join(root, 'packages')).filter((directory) => {
  return manifestOf(directory).private !== true
})
const maxInstallBytes = 20 * 1024 * 1024
const maxPackages = 30
const maxCoreBytes = 62 * 1024
const maxVetBytes = 15 * 1024

describe('what is published', () => {
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
test.each(['calibrate', 'compare', 'report', 'result', 'scan'])(
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

describe('manifests', () => {
  test('a package that is not built is not packed', async () => {
    const check = join(root, 'build/built.mjs')
    for (const directory of directories) {
      expect([directory, manifestOf(directory).scripts]).toEqual([directory, { prepack: 'node ../../build/built.mjs' }])
      await run(process.execPath, [check], { cwd: join(root, 'packages', directory) })
    }
    const refused = run(process.execPath, [check], { cwd: join(root, 'docs') })
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm run build') })
  })

  const { homepage, bugs, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const address = homepage.replace('#readme', '')

  test.each(directories)('that of %s says where the source is, as the root does', (directory) => {
    const manifest = manifestOf(directory)
    expect(manifest).toMatchObject({
      homepage: `${address}/tree/main/packages/${directory}#readme`,
      bugs,
      repository: { ...repository, directory: `packages/${directory}` },
      license: 'MIT',
    })
    expect(manifest.keywords.length).toBeGreaterThan(4)
  })

  test.each(directories)('the README of %s says how to install it and leads to guides that exist', (directory) => {
    const readme = readFileSync(join(root, 'packages', directory, 'README.md'), 'utf8')
    expect(readme).toMatch(new RegExp(`npm install .*${manifestOf(directory).name}\\b`))
    const links = [...readme.matchAll(/\]\((https:[^)]*)\)/g)].map(([, link = '']) => link)
    expect(links.some((link) => link.includes('/docs/guide'))).toBe(true)
    for (const link of links) {
      const [, path = ''] = new RegExp(`^${address}(?:/(?:blob|tree)/main/([^#]*)(?:#.*)?)?$`).exec(link) ?? [
        link,
        link,
      ]
      expect(existsSync(join(root, path)), link).toBe(true)
    }
  })
})

describe('the packed tarballs, installed without hoisting', () => {
  const { programs, projects } = allPrograms()
  let installed: Isolated
  let alone = ''
  let temporary = ''
  const inAlone = (file: string, ...argv: readonly string[]) => run(file, [...argv], { cwd: alone })
  /** The paths in the tarball of a package. */
  const contents = async (directory: string) => {
    const { stdout } = await run('tar', ['tzf', tarballOf(directory)])
    return stdout.split('\n').map((path) => path.replace('package/', ''))
  }
  const tarballOf = (directory: string) => installed.tarballs.get(manifestOf(directory).name) ?? ''

  beforeAll(async () => {
    temporary = mkdtempSync(join(tmpdir(), 'jurist-packed-'))
    const all = [...projects, ...(await templateProjects()), ['alone', ['jurist']] as const]
    installed = await installIsolated(temporary, new Map(all))
    alone = join(temporary, 'alone')
  })
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))

  test.each(directories)('%s is as publint wants it', async (directory) => {
    const tarball = new Uint8Array(readFileSync(tarballOf(directory))).buffer
    const { messages } = await publint({ strict: true, pack: { tarball } })
    expect(messages).toEqual([])
  })

  test('the README says how to install them in a project', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(scripts.pack).toBe('npm run build && node build/pack.mjs')
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('\nnpm run pack -- ../my-project\n')
    expect(
      Object.keys(JSON.parse(readFileSync(join(installed.linked, 'package.json'), 'utf8')).devDependencies),
    ).toEqual(['jurist'])
  })

  test('what is no package is refused before anything is written', async () => {
    const project = join(temporary, 'refused')
    const refused = run(process.execPath, [join(root, 'build/pack.mjs'), project, 'jurst'])
    await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('no package jurst') })
    expect(existsSync(project)).toBe(false)
  })

  test('jurist installs within the budget of size and number', () => {
    const modules = join(installed.linked, 'node_modules')
    const packages = readdirSync(join(modules, '.store'), { withFileTypes: true }).flatMap(({ name }) =>
      name.startsWith('@') ? readdirSync(join(modules, '.store', name)) : [name],
    )
    const bytes = bytesBelow(modules)
    console.log(`jurist installs as ${packages.length} packages, ${(bytes / 1024 ** 2).toFixed(1)} MB`)
    expect(packages.length).toBeGreaterThan(10)
    expect(packages.length).toBeLessThanOrEqual(maxPackages)
    expect(bytes).toBeLessThanOrEqual(maxInstallBytes)
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['jurist'])
    expect(readdirSync(join(alone, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['jurist'])
  })

  test.each(directories)('%s has a README, a changelog and the text of the licence', async (directory) => {
    expect(await contents(directory)).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE']))
    const text = (path: string) => readFileSync(join(root, path), 'utf8')
    expect(text(`packages/${directory}/LICENSE`)).toBe(text('LICENSE'))
  })

  test('parts of other packages are found in those that have them', () => {
    const found = new Set(directories.flatMap(bundledIn))
    for (const name of ['@babel/parser', 'diff', 'ignore', 'marked', 'preact', 'valibot', 'web-tree-sitter', 'yaml'])
      expect(found).toContain(name)
  })

  test.each(directories)('%s has the licence of every package that is part of it', async (directory) => {
    const bundled = bundledIn(directory)
    if (bundled.length === 0) return
    expect(await contents(directory)).toContain('THIRD-PARTY-LICENSES.txt')
    const text = readFileSync(join(root, 'packages', directory, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    const named = [...text.matchAll(/^-{4}\n\n(\S+) \d\S+\n\n\S/gm)].map(([, name]) => name)
    expect(named).toEqual(expect.arrayContaining([...bundled]))
  })

  // Are the types wrong? For programs that are CommonJS, and for Node 10, they are: there are none.
  test.each(directories)('%s is as attw wants it', async (directory) => {
    const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
    const tarball = new Uint8Array(readFileSync(tarballOf(directory)))
    const result = await checkPackage(createPackageFromTarballData(tarball))
    const problems = result.types === false ? ['no types'] : result.problems
    expect(problems.filter(concernsModules)).toEqual([])
  })

  test('every door of jurist opens, installed by pnpm and by npm', async () => {
    const doors = doorsOf('jurist')
    const program = `const doors = await Promise.all(${JSON.stringify(doors)}.map((door) => import(door)))
      console.log(doors.every((door) => Object.keys(door).length > 0))`
    for (const cwd of [alone, installed.linked]) {
      const opened = await run(process.execPath, ['--input-type=module', '-e', program], { cwd })
      expect(opened.stdout).toBe('true\n')
    }
  })

  test('every door of jurist has types that compile, those of others included', async () => {
    const imports = doorsOf('jurist').map((door, index) => `import type * as door${index} from '${door}'`)
    writeFileSync(
      join(alone, 'typed.ts'),
      `${imports.join('\n')}
       import { type Judge, jury, runExperiment } from 'jurist'
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
    await inAlone(compiler, ...options, '--skipLibCheck', 'false', '--types', '', '--noEmit', 'typed.ts')
  })

  test('the command says what a database needs', async () => {
    const command = join(alone, 'node_modules/.bin/jurist')
    const list = inAlone(command, 'list', '--results', 'postgres://ana:secret@127.0.0.1:1/results')
    const failure = await list.catch((thrown: unknown) => thrown)
    const remedy = expect.stringContaining('npm install --save-dev pg')
    expect(failure).toMatchObject({ code: 2, stderr: remedy })
    expect(failure).toMatchObject({ stderr: expect.not.stringContaining('secret') })
  })

  test('the command runs', async () => {
    for (const home of [alone, installed.linked]) {
      const { stdout } = await run(join(home, 'node_modules/.bin/jurist'), ['--version'], { cwd: home })
      expect(stdout.trim()).toBe(manifestOf('jurist').version)
    }
  })

  packedTemplates(() => installed)
  documentedPrograms(programs, () => installed)
})

/** Whether a problem that attw found concerns programs that are ES modules. */
function concernsModules(problem: string | Problem): boolean {
  const resolution = typeof problem === 'object' && 'resolutionKind' in problem ? problem.resolutionKind : ''
  return resolution !== 'node10' && resolution !== 'node16-cjs'
}
