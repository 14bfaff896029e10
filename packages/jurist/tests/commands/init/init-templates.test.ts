import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packed } from '../../../../../tests/packages/templates.js'
import { templates } from '../../../src/commands/init/templates.js'
import { type Project, project } from '../../project.js'

const modules = fileURLToPath(new URL('../../../../../node_modules', import.meta.url))
const program = (name: string) => join(modules, '.bin', name)

async function made(template: string): Promise<Project> {
  const one = project()
  expect((await one.jurist('init', '--template', template)).code).toBe(0)
  symlinkSync(modules, join(one.directory, 'node_modules'))
  return one
}

const textOf = ({ directory }: Project, path: string) => readFileSync(join(directory, path), 'utf8')

describe('jurist init --template', () => {
  test.each(templates)('%s: runs, offline and without a key, and type-checks', async (template) => {
    using one = await made(template)
    const manifest = JSON.parse(textOf(one, 'package.json'))
    expect(manifest.devDependencies.jurist).toMatch(/^\^\d/)
    // The other templates are type-checked, and that of Vitest is run, with the packed packages: `npm run test:long`.
    if (!packed.includes(template) && existsSync(join(one.directory, 'tsconfig.json')))
      execFileSync(program('tsc'), ['-p', '.'], { cwd: one.directory })
    if (template !== 'vitest') expect((await one.jurist('run')).code).toBe(0)
    expect(textOf(one, 'README.md')).toContain(template === 'vitest' ? 'npx vitest run' : 'npx jurist run')
    // The command is there already: only Vitest has to be installed.
    expect(/^npm install/m.test(textOf(one, 'README.md'))).toBe(template === 'vitest')
  })

  test('coding: its hidden tests refuse an agent that does nothing', async () => {
    using one = await made('coding')
    writeFileSync(join(one.directory, 'agent.mjs'), '')
    const { code, stdout } = await one.jurist('run')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/of 2 decided +0\.0 %/)])
  })

  test('coding: where an allow-list works, its agent reaches no host, and doctor tries it', async () => {
    using one = project()
    const { stderr } = await one.jurist('init', '--template', 'coding')
    symlinkSync(modules, join(one.directory, 'node_modules'))
    const { sandbox } = parse(textOf(one, 'jurist.config.yaml')).experiments.fixes
    const works = await bubblewrapSandbox({ network: { allow: [] } })
      .probe()
      .then(() => true)
      .catch(() => false)
    if (!works) return expect([sandbox, stderr]).toEqual([undefined, ''])
    expect(sandbox.bubblewrap.network).toEqual({ allow: [] })
    expect(sandbox.bubblewrap.readable).toContain('agent.mjs')
    expect(stderr).toContain('reaches no host. Add that of its model to network.allow')
    expect((await one.jurist('doctor')).stdout).toMatch(/egress of fixes +allow-lists work/)
    const looking = `import { execFileSync } from 'node:child_process'
      execFileSync('curl', ['-sS', '-m', '5', 'https://evil.test/answer'])`
    writeFileSync(join(one.directory, 'agent.mjs'), looking)
    expect((await one.jurist('run')).stdout).toMatch(/Network +refused evil\.test 2/)
  })

  test('rag: its model judges are one switch away', async () => {
    using one = await made('rag')
    const config = textOf(one, 'jurist.config.yaml').replace(/^#: /gm, '')
    writeFileSync(join(one.directory, 'jurist.config.yaml'), config)
    expect(Object.keys(parse(config).experiments.answers.jury.judges)).toEqual([
      'expected',
      'short',
      'faithful',
      'retrieval',
    ])
    expect(await one.jurist('validate', '--strict')).toMatchObject({ code: 0 })
    const doctor = await one.jurist('doctor')
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining('key OPENAI_API_KEY')])
  })

  test('ci: the workflow runs the experiment beside a baseline', async () => {
    using one = await made('ci')
    const { jobs } = parse(textOf(one, '.github/workflows/jurist.yml'))
    const lines = jobs.experiment.steps.flatMap(
      ({ run = '' }: { readonly run?: string }) => run.match(/npx jurist (store )?\w+/g) ?? [],
    )
    expect(lines).toEqual(['doctor', 'store bundle', 'run', 'store bundle'].map((name) => `npx jurist ${name}`))
  })

  test('package.json and what else a project has stay as they are', async () => {
    using one = project({ 'package.json': '{"name":"mine"}', 'README.md': 'Mine.' })
    const { code, stderr } = await one.jurist('init', '--template', 'coding')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Left as they are: package.json, README.md.')])
    expect(stderr).toContain('npm install --save-dev jurist')
    expect([textOf(one, 'package.json'), textOf(one, 'README.md')]).toEqual(['{"name":"mine"}', 'Mine.'])
    using other = project({ 'package.json': '{"devDependencies":{"jurist":"0.1.0"}}' })
    const known = await other.jurist('init')
    expect([known.code, known.stderr]).toEqual([0, 'Left as they are: package.json.\n'])
  })
})
