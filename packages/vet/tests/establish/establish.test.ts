import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { outputText } from '@jurist/core'
import { type ExperimentOptions, runExperiment } from '@jurist/experiment'
import { memoryStore } from '@jurist/experiment/store'
import { testsPass } from '@jurist/workspace/commands'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { establish, vetReportText } from '../../src/index.js'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-establish-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const manifest = '{"type": "module", "scripts": {"test": "node --test"}}'
const testOf = (title: string, body: string) => `test('${title}', () => { ${body} })\n`
const heading =
  "import test from 'node:test'\nimport assert from 'node:assert'\nimport { sum, half } from '../src/sum.js'\n"
const wrong = 'export const sum = (a, b) => a - b\nexport const half = (a) => a / 2\n'
const right = wrong.replace('a - b', 'a + b')
const hidden = [
  heading,
  testOf('adds', 'assert.equal(sum(1, 2), 3)'),
  testOf('halves', 'assert.equal(half(4), 2)'),
  testOf('never did', 'assert.equal(half(4), 1)'),
].join('')

/** A dataset of one item a source, each with its own reference and hidden tests. */
function datasetOf(name: string, items: Readonly<Record<string, { reference: string; tests: string }>>): string {
  const root = join(directory, name)
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const entries = Object.keys(items).map((id) => ({
    id,
    slug: id,
    path: `items/${id}`,
    bucket: 'a',
    taskType: 'fix',
    status: 'active',
  }))
  write('dataset.json', JSON.stringify({ schemaVersion: 1, name, version: '1.0.0', items: entries }))
  for (const [id, { reference, tests }] of Object.entries(items)) {
    write(`items/${id}/item.json`, JSON.stringify({ task: 'Make sum add.' }))
    write(`items/${id}/before/package.json`, manifest)
    write(`items/${id}/before/src/sum.js`, wrong)
    write(`items/${id}/reference/package.json`, manifest)
    write(`items/${id}/reference/src/sum.js`, reference)
    write(`items/${id}/reference/tests/hidden.test.js`, tests)
  }
  return root
}

const overlay = { paths: ['tests', 'package.json'] }
const experimentOf = (dataset: string, jury: ExperimentOptions['jury']): ExperimentOptions => ({
  name: 'sums',
  dataset,
  jury: jury ?? testsPass.command([process.execPath, '--test', 'tests/hidden.test.js'], { overlay }),
  store: memoryStore(),
})

describe('establish', () => {
  test('finds what cannot be solved and what doing nothing solves', async () => {
    const dataset = datasetOf('mixed', {
      sound: { reference: right, tests: heading + testOf('adds', 'assert.equal(sum(1, 2), 3)') },
      unsolvable: { reference: wrong, tests: heading + testOf('adds', 'assert.equal(sum(1, 2), 3)') },
      trivial: { reference: right, tests: heading + testOf('halves', 'assert.equal(half(4), 2)') },
    })
    const report = await establish(experimentOf(dataset, undefined), { repeat: 2 })
    expect(report.items.map(({ itemId, solvable, trivial, flaky }) => ({ itemId, solvable, trivial, flaky }))).toEqual([
      { itemId: 'sound', solvable: true, trivial: false, flaky: false },
      { itemId: 'unsolvable', solvable: false, trivial: false, flaky: false },
      { itemId: 'trivial', solvable: true, trivial: true, flaky: false },
    ])
    expect(report).toMatchObject({
      solvable: { count: 2, of: 3 },
      trivial: { count: 1, of: 3 },
      conclusion: 'problems',
    })
    const text = await vetReportText(report)
    expect(text).toContain('unsolvable: the reference does not pass')
    expect(text).toContain('trivial: doing nothing passes')
  })

  test('writes the named tests, which then decide: a test that always failed does not count, a missing one fails', async () => {
    const dataset = datasetOf('locked', { sum: { reference: right, tests: hidden } })
    const locked = experimentOf(dataset, testsPass.npm('test', { overlay, expect: 'lock' }))
    const report = await establish(locked, { repeat: 2, write: true })
    expect(report).toMatchObject({ conclusion: 'sound', written: ['items/sum/tests.lock.json'] })
    const lock = JSON.parse(readFileSync(join(dataset, 'items/sum/tests.lock.json'), 'utf8'))
    expect(lock).toMatchObject({ failToPass: ['adds'], passToPass: ['halves'], flaky: [], tool: 'npm' })
    expect(lock.itemHash).toMatch(/^[0-9a-f]{64}$/)
    const verdictOf = async (source: string) => {
      const agent: ExperimentOptions['agent'] = async ({ workspace }) => {
        await workspace.write('src/sum.js', source)
        return { status: 'completed', metadata: { testsLock: { failToPass: [], passToPass: ['halves'] } } }
      }
      const { items } = await runExperiment({ ...locked, agent }).result
      return items[0]?.judged
    }
    expect(await verdictOf(right)).toBe('pass')
    expect(await verdictOf(wrong)).toBe('fail')
    expect(await verdictOf(`process.exit(0)\n${right}`)).toBe('fail')
    expect((await establish(locked, { repeat: 1 })).items[0]?.lock).toBe('same')
  })

  test('a judge that expects a lock says how to make it', async () => {
    const dataset = datasetOf('unlocked', { sum: { reference: right, tests: hidden } })
    const judged = experimentOf(dataset, testsPass.npm('test', { overlay, expect: 'lock' }))
    const { items } = await runExperiment({ ...judged, agent: async () => ({ status: 'completed' }) }).result
    expect(items[0]?.judged).toBe('error')
    expect(items[0]?.failure?.message).toContain('jurist vet establish --write')
  })

  test('calls tests flaky that end differently in equal trials', async () => {
    const coin = join(directory, 'coin')
    const tests = `${heading}import { appendFileSync, readFileSync } from 'node:fs'\n${testOf('adds', 'assert.equal(sum(1, 2), 3)')}${testOf('tosses', `appendFileSync('${coin}', 'x'); assert.ok(readFileSync('${coin}', 'utf8').length % 2)`)}`
    const dataset = datasetOf('tossed', { coin: { reference: right, tests } })
    const report = await establish({ ...experimentOf(dataset, undefined), concurrency: 1 }, { repeat: 2 })
    expect(report.items[0]).toMatchObject({ flaky: true, tests: { flaky: ['tosses'] } })
    expect(report.conclusion).toBe('problems')
  })

  test('works for answers, too: the expected one is the reference', async () => {
    const items = [
      { id: 'capital', task: 'The capital of France?', expectedOutput: 'Paris' },
      { id: 'any', task: 'Say anything.' },
    ]
    const report = await establish({ name: 'answers', dataset: items, jury: outputText({ contains: 'Paris' }) })
    expect(report.items.map(({ solvable, trivial, tests }) => ({ solvable, trivial, tests }))).toEqual([
      { solvable: true, trivial: false, tests: null },
      { solvable: null, trivial: false, tests: null },
    ])
    expect(report.conclusion).toBe('sound')
  })

  test.each([{ repeat: 0 }, { times: 2 }])('refuses %j', async (options) => {
    await expect(establish({ name: 'x', dataset: [{ task: 'y' }] }, options as never)).rejects.toMatchObject({
      code: 'option-invalid',
    })
  })
})
