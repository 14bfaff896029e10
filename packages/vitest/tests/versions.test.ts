import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'

const own = fileURLToPath(new URL('..', import.meta.url))
const packages = dirname(own.replace(/\/$/, ''))
const require = createRequire(import.meta.url)
/** The Vitest of this repository, and the oldest that is supported. */
const versions = {
  '4': dirname(require.resolve('vitest/package.json')),
  '3.2': join(own, 'vitest-3/node_modules/vitest'),
}

const tests = `
import { fileExists, jury, fail, abstain } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const rules = jury({ judges: { readme: fileExists('README.md'), notes: fileExists('NOTES.md') } })
describe('workspaces', () => {
  test('complete', async () => {
    await expect(memoryWorkspace({ 'README.md': '', 'NOTES.md': '' })).toPass(rules)
    await expect('hello').toPass(({ agentOutput }) => agentOutput.text === 'hello')
  })
  test('without notes', async () => {
    await expect(memoryWorkspace({ 'README.md': '' })).toPass(rules)
  })
  test.concurrent('one', async () => { await expect('one').not.toPass(function isTwo() { return fail('it is one') }) })
  test.concurrent('two', async () => { await expect('two').toScore(function isTwo() { return true }, 1) })
  test('undecided', async () => { await expect('x').not.toPass(() => abstain('nothing there')) })
  test.skip('later', () => {})
})
test('plain', () => { expect(1).toBe(1) })
`

const config = `
export default { test: {
  setupFiles: ['@jurist/vitest'],
  reporters: ['default', ['@jurist/vitest/reporter', { store: 'kept', name: 'agents' }]],
} }
`

/** An empty project with one version of Vitest, where \`@jurist/vitest\` finds that one as its peer. */
function projectWith(vitest: string): string {
  // Below the package, since Vite does not serve test files from outside of where a project may be.
  const directory = mkdtempSync(join(own, 'node_modules/.project-'))
  mkdirSync(join(directory, 'node_modules/@jurist'), { recursive: true })
  symlinkSync(vitest, join(directory, 'node_modules/vitest'))
  for (const name of ['core', 'workspace', 'experiment'])
    symlinkSync(join(packages, name), join(directory, 'node_modules/@jurist', name))
  const copy = join(directory, 'node_modules/@jurist/vitest')
  cpSync(join(own, 'dist'), join(copy, 'dist'), { recursive: true })
  cpSync(join(own, 'package.json'), join(copy, 'package.json'))
  writeFileSync(join(directory, 'package.json'), '{"name":"project","private":true,"type":"module"}')
  mkdirSync(join(directory, 'tests'))
  writeFileSync(join(directory, 'tests/agent.test.mjs'), tests)
  writeFileSync(join(directory, 'broken.test.mjs'), `throw new Error('cannot be loaded')`)
  writeFileSync(join(directory, 'vitest.config.mjs'), config)
  return directory
}

function vitestRun(vitest: string, directory: string): Promise<{ readonly text: string; readonly code: unknown }> {
  return new Promise((resolve) => {
    const argv = [join(vitest, 'vitest.mjs'), 'run', '--root', directory]
    const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1', CI: '1' }
    execFile(process.execPath, argv, { env }, (error, stdout, stderr) =>
      resolve({ text: `${stdout}\n${stderr}`, code: error === null ? 0 : error.code }),
    )
  })
}

describe.each(Object.entries(versions))('with vitest %s', (_version, vitest) => {
  test('failures show the tree, and the run is kept with its verdicts', async () => {
    mkdirSync(join(own, 'node_modules'), { recursive: true })
    const directory = projectWith(vitest)
    try {
      const { text, code } = await vitestRun(vitest, directory)
      expect(code).toBe(1)
      expect(text).toContain('expected jury to pass')
      expect(text).toContain('notes fail: NOTES.md is missing')
      expect(text).toContain('nothing was decided (abstain)')

      const [id = ''] = readdirSync(join(directory, 'kept/agents'))
      expect(text).toContain(`jurist show ${id}`)
      const run = await fileStore(join(directory, 'kept')).load(id)
      const outcomes = Object.fromEntries(run?.items.map(({ task, passed }) => [task, passed]) ?? [])
      expect(outcomes).toEqual({
        'workspaces > complete': true,
        'workspaces > without notes': false,
        'workspaces > one': true,
        'workspaces > two': true,
        'workspaces > undecided': false,
        'workspaces > later': null,
        plain: true,
        'the file': false,
      })
      const complete = run?.items.find(({ task }) => task === 'workspaces > complete')
      expect(Object.keys(complete?.scores ?? {}).sort()).toEqual(['judge', 'jury', 'jury/notes', 'jury/readme', 'test'])
      expect(complete?.bucket).toBe('tests/agent.test.mjs')
      expect(complete?.itemId).toMatch(/^tests_agent\.test\.mjs > workspaces > complete-[\da-f]{8}$/)
      expect(complete?.itemSlug).toBe('tests/agent.test.mjs > workspaces > complete')
      const broken = run?.items.find(({ task }) => task === 'the file')
      expect(broken?.verdict?.aggregated.reasoning).toContain('cannot be loaded')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
