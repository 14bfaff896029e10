import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { temporaryDirectory } from '@jurist/workspace/internal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

/** At how many points of its work the command is killed. */
const kills = Number(process.env['JURIST_KILLS'] ?? 5)

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

/** A shop of some 60 files, of which a judge needs four; agents that read one file and repair it wrongly. */
const config = `
import { fail, jury, outputText, pass } from 'jurist'
const read = async (workspace, path) => (await workspace.exists(path)) ? workspace.read(path) : ''
/** Follows imports from the entry, and fails for what it finds at the end. */
const totals = async ({ workspace }) => {
  const entry = await read(workspace, 'src/entry.js')
  if (!entry.includes('./cart.js')) return fail('the entry imports no cart')
  const cart = await read(workspace, 'src/cart.js')
  if (!cart.includes('function total')) return fail('there is no total')
  return cart.includes('Math.round') ? pass('rounds') : fail('expected 3, got 2 after ' + Math.round(performance.now()) + ' ms')
}
const notes = async ({ workspace }) => (await workspace.exists('NOTES.md')) ? fail('NOTES.md must not be there') : pass('tidy')
const untouched = async ({ workspace }) => (await workspace.exists('tests/hidden.test.js')) ? fail('tests are not yours') : pass('no test')
const repair = (text, more = {}) => async ({ workspace, record }) => {
  record?.({ type: 'tool-call', id: '1', name: 'read', input: { path: 'src/cart.js' } })
  await workspace.write('src/cart.js', text)
  for (const [path, content] of Object.entries(more)) await workspace.write(path, content)
  return { status: 'completed', output: 'Repaired. The token is ${token}.' }
}
const wrong = 'export function total(value) {\\n  return Math.trunc(value)\\n}\\n'
export default {
  experiments: {
    shop: { dataset: 'dataset', agent: repair(wrong, { 'docs/new.md': 'new' }), jury: jury({ judges: { totals } }) },
    tidy: { dataset: 'dataset', filter: { id: 'cart' }, agent: repair(wrong.replace('trunc', 'round'), { 'NOTES.md': 'x' }), jury: jury({ judges: { totals, notes } }) },
    strict: { dataset: 'dataset', filter: { id: 'cart' }, agent: repair(wrong), jury: jury({ judges: { untouched, totals } }) },
    right: { dataset: 'dataset', filter: { id: 'cart' }, agent: repair(wrong.replace('trunc', 'round')), jury: jury({ judges: { totals } }) },
    answers: { dataset: 'dataset', filter: { id: ['says', 'says-five'] }, agent: async () => ({ status: 'completed', output: 'five' }), jury: outputText({ equals: 'four' }) },
    throws: { dataset: 'dataset', filter: { id: 'bag' }, agent: async () => { throw new Error('tool "search" not found after 31 ms') }, jury: outputText({ equals: 'four' }) },
    flaky: { dataset: 'dataset', filter: { id: 'cart' }, agent: repair(wrong), jury: () => (globalThis.turn = (globalThis.turn ?? 0) + 1) % 2 === 0 ? pass('now') : fail('not now') },
  },
}
`
const many = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [
    `dataset/items/cart/before/src/part-${index % 5}/file-${index}.js`,
    Array.from({ length: 20 }, (_, line) => `export const value${line} = ${line}\n`).join(''),
  ]),
)
const cart = `/** Sums. */
export function other() {
  return 1
}
export function total(value) {
  return Math.floor(value)
}
`
const files = {
  ...many,
  'jurist.config.mjs': config,
  'dataset/dataset.json': JSON.stringify({
    ...{ schemaVersion: 1, name: 'shop', version: '1' },
    items: ['cart', 'bag', 'says'].map((id) => ({ id, path: `items/${id}` })),
  }),
  'dataset/items/cart/item.json': '{ "tags": ["money"] }',
  'dataset/items/cart/task.md': 'Make the total round half up.\n',
  'dataset/items/cart/before/package.json': '{ "name": "shop" }\n',
  'dataset/items/cart/before/src/entry.js': "// The shop.\nimport { total } from './cart.js'\n",
  'dataset/items/cart/before/src/cart.js': cart,
  'dataset/items/cart/before/docs/keys.md': `Use ${token} to log in.\n`,
  'dataset/items/cart/before/.env': 'API_TOKEN=abcd1234efgh5678\n',
  'dataset/items/bag/item.json': '{}',
  'dataset/items/bag/task.md': 'Make the sum of the bag round half up.\n',
  'dataset/items/bag/before/src/entry.js': "import { total } from './cart.js'\n",
  'dataset/items/bag/before/src/cart.js': cart,
  'dataset/items/bag/before/README.md': '# Bag\n',
  'dataset/items/says/item.json': '{ "metadata": { "workspace": "none" }, "expectedOutput": "four" }',
  'dataset/items/says/task.md': 'How much is two and two?\n',
}

const filesBelow = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((path) => statSync(join(directory, path)).isFile())
        .sort()
    : []

let made: Project
beforeAll(async () => {
  made = project(files)
  for (const name of ['shop', 'tidy', 'strict', 'right', 'answers', 'throws', 'flaky']) await made.jurist('run', name)
})
afterAll(() => made[Symbol.dispose]())

const promote = async (...argv: readonly string[]) => {
  const { code, stdout, stderr } = await made.jurist('promote', ...argv, '--json')
  return { code, stderr, promoted: stdout === '' ? null : JSON.parse(stdout) }
}
const regressions = () => filesBelow(join(made.directory, 'dataset/regressions'))
const contentOf = (path: string) => readFileSync(join(made.directory, 'dataset/regressions', path), 'utf8')

describe('jurist promote', () => {
  test('a dry run writes nothing and says what it would write', async () => {
    const { stdout, code } = await made.jurist('promote', 'shop', 'cart', '--dry-run')
    expect([code, stdout]).toEqual([0, expect.stringContaining('would write dataset/regressions/')])
    expect(regressions()).toEqual([])
  })

  test('a failed trial becomes the smallest item that fails alike, without secrets, with the wrong solution', async () => {
    const { code, promoted } = await promote('shop', 'cart#1', '--minimise', '--name', 'totals')
    expect(code).toBe(0)
    expect(promoted).toMatchObject({ status: 'written', item: 'totals', path: 'regressions/totals' })
    expect(promoted.signature).toMatchObject({
      judge: 'totals',
      reason: 'expected 0, got 0 after 0 ms | expected 3 | got 2',
    })
    expect(regressions()).toEqual([
      'totals/before/package.json',
      'totals/before/src/cart.js',
      'totals/before/src/entry.js',
      'totals/item.json',
      'totals/task.md',
      'totals/wrong/cart-1.txt',
      'totals/wrong/cart-1/src/cart.js',
    ])
    // Of the entry only the line is left that the failure needs.
    expect(contentOf('totals/before/src/entry.js')).toBe("import { total } from './cart.js'\n")
    expect(contentOf('totals/before/src/cart.js')).toBe(cart)
    const { metadata, tags } = JSON.parse(contentOf('totals/item.json'))
    expect(tags).toEqual(['money', 'regression'])
    expect(metadata.source).toMatchObject({ kind: 'trial', item: 'cart', repetition: 1, judgment: 'totals' })
    expect(metadata.source.minimised.from.files).toBeGreaterThan(50)
    const everything = regressions().map(contentOf).join('\n')
    expect(everything).not.toContain(token)
    expect(everything).not.toContain('abcd1234efgh5678')
    expect(promoted.removed.secrets).toEqual(expect.arrayContaining(['.env', 'docs/keys.md', 'answer']))
    expect(promoted.established).toEqual({
      status: 'active',
      why: 'fails with nothing done, as it should; no reference',
    })
    expect((await made.jurist('validate', 'shop', '--strict')).code).toBe(0)
  })

  test('promoting it again changes nothing, and a near copy is refused', async () => {
    const before = [regressions(), readFileSync(join(made.directory, 'dataset/dataset.json'), 'utf8')]
    const again = await promote('shop', 'cart#1', '--minimise')
    expect([again.code, again.promoted.status, again.promoted.item]).toEqual([0, 'known', 'totals'])
    expect([regressions(), readFileSync(join(made.directory, 'dataset/dataset.json'), 'utf8')]).toEqual(before)
    await made.jurist('run', 'shop', '--item', 'cart')
    const near = await promote('shop', 'cart#1', '--minimise')
    expect([near.code, near.promoted.status, near.promoted.item]).toEqual([1, 'near-copy', 'totals'])
    expect(regressions()).toEqual([...before[0]!, 'totals/seen.jsonl'].sort())
  })

  test('the wrong solution is tried by vet, and the jury goes on failing it', async () => {
    const { stdout } = await made.jurist('vet', 'mutate', 'shop', '--item', 'totals')
    expect(stdout).toContain('Wrong solutions of people that pass: 0 of 1')
  })

  test('with a reference, an item that cannot be solved is disabled', async () => {
    made.write({ 'fixed/src/cart.js': cart.replace('floor', 'round'), 'fixed/src/entry.js': "import './cart.js'\n" })
    const { promoted } = await promote('tidy', 'cart', '--reference', 'fixed', '--name', 'tidy-notes')
    expect(promoted.established).toEqual({
      status: 'active',
      why: 'fails with nothing done, and passes with the reference',
    })
    made.write({ 'broken/src/entry.js': 'nothing\n' })
    const bad = await promote('tidy', 'cart', '--reference', 'broken', '--name', 'tidy-broken', '--into', 'others')
    expect(bad.promoted.established).toEqual({ status: 'disabled', why: 'the reference does not pass' })
    const { items } = JSON.parse(readFileSync(join(made.directory, 'others/dataset.json'), 'utf8'))
    expect(items).toEqual([{ id: 'tidy-broken', path: 'regressions/tidy-broken', status: 'disabled' }])
  })

  test('the tests of a reference are not part of the solution, and the files are minimised with it', async () => {
    const reference = {
      'solved/src/cart.js': cart.replace('floor', 'round'),
      'solved/tests/hidden.test.js': 'test()\n',
    }
    made.write(reference)
    const given = ['--reference', 'solved', '--minimise', '--name', 'strict', '--into', 'strictly']
    const { promoted } = await promote('strict', 'cart', ...given)
    expect(promoted.established.status).toBe('active')
    expect(promoted.notes).toEqual([])
    expect([promoted.minimised.from.files > 50, promoted.minimised.to.files]).toEqual([true, 3])
  })

  test('an answer is kept as a wrong answer', async () => {
    const { promoted } = await promote('answers', 'says', '--name', 'says-five')
    expect(promoted).toMatchObject({ status: 'written', files: null })
    expect(contentOf('says-five/wrong/says-1.txt')).toBe('five')
    expect(JSON.parse(contentOf('says-five/item.json'))).toMatchObject({ metadata: { workspace: 'none' } })
    const { stdout } = await made.jurist('vet', 'mutate', 'answers', '--item', 'says-five')
    expect(stdout).toContain('Wrong solutions of people that pass: 0 of 1')
  })

  test('an agent that broke becomes an item as it is', async () => {
    const { promoted, code } = await promote(
      'throws',
      'bag',
      '--minimise',
      '--into',
      'broken-agents',
      '--name',
      'search',
    )
    expect([code, promoted.status, promoted.minimised]).toEqual([0, 'written', null])
    expect(promoted.signature).toMatchObject({ judge: 'agent', reason: 'tool "…" not found after 0 ms' })
    expect(promoted.notes).toEqual(['not minimised: no judge failed it'])
    expect(promoted.files.before).toBe(3)
  })

  test('passes, flaky failures and unknown judges are refused with what to do', async () => {
    expect(await promote('right', 'cart')).toMatchObject({ code: 2, stderr: expect.stringContaining('cart#1 passed') })
    const flaky = await promote('flaky', 'cart')
    expect(flaky.code).toBe(2)
    expect(flaky.stderr).toMatch(/failed alike in [12] of 3 judgments: it is flaky.*- \{ item: "cart"/s)
    expect(await promote('shop', 'cart', '--judge', 'other')).toMatchObject({ code: 2 })
    expect((await promote('shop', 'nothing')).stderr).toContain('Failed: cart#1')
  })

  test('all failures of a run are grouped, and known ones are named', async () => {
    await made.jurist('run', 'shop', '--item', 'cart', '--item', 'bag', '--repeat', '2')
    const { promoted, code } = await promote('shop', '--all-failures')
    expect(code).toBe(0)
    expect(promoted.trials).toBe(4)
    expect(promoted.clusters).toHaveLength(1)
    expect(promoted.clusters[0]).toMatchObject({
      status: 'fails-again',
      item: 'totals',
      trials: expect.arrayContaining(['bag#2', 'cart#1']),
    })
    const { stdout } = await made.jurist('promote', 'shop', '--all-failures')
    expect(stdout).toContain('4 failed trials: 1 group (0 new, 1 known item failed again)')
  })
})

test('a session of a coding agent elsewhere becomes an item, with the files that are named', async () => {
  const at = '2026-11-20T10:00:00Z'
  const common = { sessionId: 's-1', version: '2.1.197', isSidechain: false, timestamp: at }
  const said = (id: string, block: object) => ({
    ...{ ...common, type: 'assistant' },
    message: {
      id,
      model: 'claude-x',
      role: 'assistant',
      content: [block],
      usage: { input_tokens: 5, output_tokens: 2 },
    },
  })
  const session = [
    { ...common, type: 'user', message: { role: 'user', content: 'Repair the sum.' } },
    said('m1', { type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: 'sum.js' } }),
    said('m2', { type: 'text', text: 'It is repaired.' }),
  ]
  using own = project({
    'jurist.config.yaml':
      'juries:\n  tools: { type: tool-calls, expected: [{ name: Bash }] }\nexperiments:\n  sums: { dataset: set, agent: { command: ["true"] }, jury: { type: tool-calls, expected: [{ name: Bash }] } }\n',
    'set/dataset.json': '{ "schemaVersion": 1, "name": "sums", "version": "1", "items": [] }',
    'session.jsonl': session.map((line) => JSON.stringify(line)).join('\n'),
    'start/sum.js': 'export const sum = (a, b) => a - b\n',
  })
  expect((await own.jurist('import', 'session', 'session.jsonl')).code).toBe(0)
  const item = JSON.parse((await own.jurist('show', 'session', '--json')).stdout).items[0].itemId
  expect((await own.jurist('promote', 'session', item, '--into', 'set', '--jury', 'tools')).stderr).toContain(
    'Judge it first',
  )
  await own.jurist('rejudge', 'session', '--jury', 'tools')
  const { stdout: listed } = await own.jurist('list', '--kind', 'rejudge', '--json')
  const run = JSON.parse(listed)[0].id
  const { stdout, stderr, code } = await own.jurist(
    'promote',
    run,
    item,
    '--into',
    'set',
    '--jury',
    'tools',
    '--before',
    'start',
    '--name',
    'sum',
  )
  expect([code, stderr, stdout]).toEqual([0, expect.any(String), expect.stringContaining('wrote set/regressions/sum/')])
  expect(filesBelow(join(own.directory, 'set/regressions/sum'))).toEqual([
    'before/sum.js',
    'item.json',
    'task.md',
    expect.stringMatching(/^wrong\/.*-1\.txt$/),
  ])
  expect(JSON.parse(readFileSync(join(own.directory, 'set/regressions/sum/item.json'), 'utf8'))).toMatchObject({
    judges: 'tools',
  })
  expect((await own.jurist('validate')).code).toBe(0)
})

// A project of its own, since each process that is killed leaves something.
test.skipIf(onPostgres)(
  'a process that is killed leaves a whole item, or none',
  async () => {
    using own = project(files)
    await own.jurist('run', 'shop', '--item', 'bag')
    const beganAt = performance.now()
    const abandoned = () => readdirSync(join(own.directory, 'third')).filter((name) => name.startsWith('jurist-'))
    const { ended: whole } = own.start('promote', 'shop', 'bag', '--into', 'other')
    expect((await whole).code).toBe(0)
    const tookMs = performance.now() - beganAt
    for (let turn = 0; turn < kills; turn += 1) {
      const { child, ended } = own.start('promote', 'shop', 'bag', '--name', `bag-${turn}`)
      await setTimeout(tookMs * (0.5 + (0.6 * turn) / kills))
      child.kill('SIGKILL')
      await ended
      const { items } = JSON.parse(readFileSync(join(own.directory, 'dataset/dataset.json'), 'utf8'))
      for (const { id, path } of items.slice(3)) {
        expect(filesBelow(join(own.directory, 'dataset', path)), id).toEqual(
          expect.arrayContaining(['before/src/cart.js', 'item.json', 'task.md', 'wrong/bag-1/src/cart.js']),
        )
      }
      expect((await own.jurist('validate', 'shop')).code).toBe(0)
    }
    // What killed processes leave is removed by the next one; what a running one works in stays.
    mkdirSync(join(own.directory, 'third'))
    const running = basename(temporaryDirectory(join(own.directory, 'third')))
    const dead = running.replace(/-\w+-\w+-(.{6})$/, `-${(4_194_999).toString(36)}-0-$1`)
    own.write({ [`third/${dead}/item.json`]: '' })
    expect((await own.jurist('promote', 'shop', 'bag', '--into', 'third')).code).toBe(0)
    expect(abandoned()).toEqual([running])
    if (process.env['JURIST_KILLS'] !== undefined)
      console.log({ kills, tookMs, regressions: filesBelow(join(own.directory, 'dataset/regressions')).length })
  },
  15_000 + kills * 10_000,
)
