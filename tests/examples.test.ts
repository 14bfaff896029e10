import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { root } from './structure/source.js'

const run = promisify(execFile)
const typescript = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
const command = join(root, 'packages/jurist/dist/command/main.js')

describe('examples/first', () => {
  const directory = join(root, 'examples/first')
  test('runs as it is, and judges one item right and one wrong', async () => {
    rmSync(join(directory, 'results'), { recursive: true, force: true })
    const { stdout } = await run(process.execPath, [typescript, 'main.ts'], { cwd: directory })
    expect(stdout).toBe('1 of 2 decided items passed\n')
  })
  test('is the same experiment for the command, by its config', async () => {
    await run(process.execPath, [typescript, 'main.ts'], { cwd: directory })
    const jurist = async (...words: readonly string[]) =>
      JSON.parse((await run(process.execPath, [command, '--json', '--quiet', ...words], { cwd: directory })).stdout)
    const { jury, dataset, configuration } = await jurist('show', 'latest')
    expect(await jurist('run')).toMatchObject({ results: [{ jury, dataset, configuration }] })
  })
})

describe('examples/judges', () => {
  const directory = join(root, 'examples/judges')
  const program = readFileSync(join(directory, 'main.ts'), 'utf8').trim()
  const config = readFileSync(join(directory, 'jurist.config.yaml'), 'utf8').split('\n').slice(1).join('\n').trim()
  test('prints what the guide and its README say', async () => {
    const { stdout } = await run(process.execPath, [typescript, 'main.ts'], { cwd: directory })
    const guide = readFileSync(join(root, 'docs/guide/calibrating.md'), 'utf8')
    for (const text of [program, config, stdout.trim()]) expect(guide).toContain(`\n${text}\n`)
    expect(readFileSync(join(directory, 'README.md'), 'utf8')).toContain(stdout)
  })
})

describe('examples/asserts', () => {
  const directory = join(root, 'examples/asserts')
  test('every row is judged by the jury and by its own judges', async () => {
    const results = mkdtempSync(join(tmpdir(), 'jurist-asserts-'))
    const jurist = async (...words: readonly string[]) =>
      JSON.parse(
        (await run(process.execPath, [command, '--json', '--results', results, ...words], { cwd: directory })).stdout,
      )
    try {
      expect(await jurist('validate')).toMatchObject({ problems: [] })
      await jurist('run')
      const { items } = await jurist('show', 'latest')
      const outcomes = items.map((item: { readonly [key: string]: unknown }) => [
        `${item['itemId']} ${item['repetition']}`,
        item['passed'],
        Object.keys(item['scores'] as object).filter((key) => key.startsWith('item/')),
      ])
      expect(outcomes).toEqual([
        ['hours 1', true, ['item/outputText', 'item/outputText-2']],
        ['refund 1', false, ['item/days', 'item/no-promise']],
        ['insult 1', true, ['item/polite']],
        ['insult 2', true, ['item/polite']],
        ['order 1', true, ['item/jury', 'item/jury/number', 'item/jury/carrier', 'item/jury/link']],
        ['thanks 1', true, []],
      ])
    } finally {
      rmSync(results, { recursive: true, force: true })
    }
  })
})

describe('examples/conversation', () => {
  const directory = join(root, 'examples/conversation')
  const program = readFileSync(join(directory, 'main.ts'), 'utf8').trim()
  test('prints what the guide and its README say', async () => {
    const { stdout } = await run(process.execPath, [typescript, 'main.ts'], { cwd: directory })
    const guide = readFileSync(join(root, 'docs/guide/conversations.md'), 'utf8')
    for (const text of [program, stdout.trim().replaceAll(/ +$/gm, '')]) expect(guide).toContain(`\n${text}\n`)
    expect(readFileSync(join(directory, 'README.md'), 'utf8')).toContain(stdout.trim().replaceAll(/ +$/gm, ''))
  })
})

describe('the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '')
  test('shows programs of the examples, word for word', () => {
    const programs = ['examples/first/main.ts', 'examples/first/my-agent.ts'].map((path) =>
      readFileSync(join(root, path), 'utf8'),
    )
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) expect(programs.some((program) => program.includes(block.trim()))).toBe(true)
  })
  test('keeps its two commands on one line each, and they are scripts of the repository', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    expect(readme).toContain('npm ci && npm run repair')
    expect(readme).toContain('npm ci && npm test')
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['repair', 'test']))
  })
})

describe('examples/skills', () => {
  test('the skill helps the scripted agent, as the guide shows', async () => {
    const results = mkdtempSync(join(tmpdir(), 'jurist-skills-'))
    try {
      const words = ['--results', results, 'lift', 'commit-message', '--agent', 'scripted']
      const { stdout, stderr } = await run(process.execPath, [command, ...words], {
        cwd: join(root, 'examples/skills'),
      })
      // The guide leaves out the runs and their trials as they end.
      const said = stderr.replaceAll(/^(?:\[\d+\/\d+\]|lift-\S+ \S+ run) .*\n/gm, '')
      const report = `${said}${stdout.slice(0, stdout.lastIndexOf('\n\n'))}`
      expect(readFileSync(join(root, 'docs/guide/skills.md'), 'utf8')).toContain(`\n${report}\n`)
    } finally {
      rmSync(results, { recursive: true, force: true })
    }
  })
})
