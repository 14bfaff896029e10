import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres, password } from '../../../../../tests/postgres/server.js'
import { type Project, project } from '../../project.js'

const config = `import { completed, defineConfig, fileExists, jury } from 'jurist'
const agent = async ({ workspace, metadata, record }) => {
  record({ type: 'text', text: 'writing' })
  await workspace.write('note.txt', metadata.itemId)
  return completed({ output: metadata.itemId, costUsd: 0.01 })
}
export default defineConfig({
  experiments: {
    demo: { dataset: [{ id: 'a', task: 'Do a' }, { id: 'b', task: 'Do b' }], agent, jury: fileExists('note.txt'), variants: { one: {}, two: {} } },
  },
})
`

/** Everything that is known of the runs of a store, without what a store adds. */
async function everything(made: Project, results: string): Promise<string> {
  const list = await made.jurist('list', '--all', '--json', '--results', results)
  const sessions = await made.jurist('list', 'demo', '--sessions', '--json', '--results', results)
  const ids = JSON.parse(list.stdout).map(({ id }: { readonly id: string }) => id)
  const shown: string[] = [list.stdout, sessions.stdout]
  for (const id of ids) shown.push((await made.jurist('show', id, '--json', '--results', results)).stdout)
  for (const id of ids)
    shown.push((await made.jurist('show', id, 'a', '--diff', '--journal', '--results', results)).stdout)
  return shown.join('\n')
}

async function statement(address: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

describe.skipIf(noPostgres !== undefined)('jurist store (needs PostgreSQL)', () => {
  test('copy brings everything to a database and back, and continues where it was', async () => {
    using made = project({ 'jurist.config.ts': config })
    await made.jurist('run')
    const [first = ''] = readdirSync(join(made.directory, 'results/demo')).filter((name) => /^\d{8}T/.test(name))
    await made.jurist('list', '--exclude', first, '--reason', 'a wrong model')
    writeFileSync(join(made.directory, 'results/demo', first, 'labels.jsonl'), '{}\n')
    await made.jurist('scan', first)
    const settling = ['--settle', 'a', '--rule', 'git-future', '--as', 'fine', '--reason', 'read']
    await made.jurist('scan', first, ...settling)
    const address = await newDatabase()
    const copied = await made.jurist('store', 'copy', 'results', address)
    expect([copied.code, copied.stdout.replace(/test_\w+/, 'NAME')]).toEqual([
      0,
      expect.stringMatching(/^2 runs copied to postgres:\/\/jurist@\S+\/NAME, 0 there already, 0 still running\n$/),
    ])
    const expected = await everything(made, 'results')
    for (const text of ['+a', 'writing', 'a wrong model', '"variants"']) expect(expected).toContain(text)
    expect(await everything(made, address)).toBe(expected)
    expect((await made.jurist('store', 'copy', 'results', address)).stdout).toContain('0 runs copied')
    await statement(address, `delete from jurist.runs where id = '${first}'`)
    expect((await made.jurist('store', 'copy', 'results', address)).stdout).toContain('1 run copied')

    const back = await made.jurist('store', 'copy', address, 'back')
    expect(back.stdout).toContain('2 runs copied to back')
    expect(await everything(made, 'back')).toBe(expected)
    const kept = (results: string, name: string) =>
      readFileSync(join(made.directory, results, 'demo', first, name), 'utf8')
    expect(kept('back', 'labels.jsonl')).toBe('{}\n')
    for (const name of ['findings.jsonl', 'settlements.jsonl']) expect(kept('back', name)).toBe(kept('results', name))
    expect([copied, back].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(password)
    expect((await made.jurist('store', 'check', 'back')).code).toBe(0)
  })

  test('check names what cannot be read', async () => {
    using made = project({ 'jurist.config.ts': config })
    const address = await newDatabase()
    const env = { JURIST_RESULTS: address }
    await made.juristWith(env, 'run', '--variant', 'one')
    expect(await made.juristWith(env, 'store', 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 run, 0 problems'),
    })
    await statement(address, "update jurist.file_parts set content = 'other'")
    const { code, stdout } = await made.juristWith(env, 'store', 'check')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/of run .* cannot be unpacked[\s\S]*1 run, 1 problem/)])
    await statement(address, "update jurist.trials set record = '{}'")
    expect((await made.juristWith(env, 'store', 'check', '--json')).stdout).toContain('has no valid')
  })

  test('migrate makes the tables, and says when there is nothing to do', async () => {
    using made = project({ 'jurist.config.ts': config })
    const env = { JURIST_RESULTS: await newDatabase() }
    expect((await made.juristWith(env, 'store', 'migrate')).stdout).toMatch(/^Migrated from version 0 to \d+\n$/)
    const { from, to } = JSON.parse((await made.juristWith(env, 'store', 'migrate', '--json')).stdout)
    expect(from).toBe(to)
  })

  test.each([
    [['store', 'mend'], '"mend" is unknown'],
    [['store', 'copy', 'results'], "Missing required argument 'to'. All flags: jurist store copy --help"],
    [
      ['store', 'check', 'a', 'b'],
      "Too many arguments for 'check'. Expected 1 argument but got 2. All flags: jurist store check --help",
    ],
    [['store', 'migrate'], 'Only a database has tables'],
    [['store', 'copy', 'results', 'others'], 'One of the two must be a database'],
  ])('%j is refused', async (words, message) => {
    using made = project({ 'jurist.config.ts': config })
    const { code, stderr } = await made.jurist(...words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(join(made.directory, 'others'))).toBe(false)
  })
})
