import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres, password } from '../../../../../tests/postgres/server.js'
import { type Project, project } from '../../project.js'

/** Each call of the agent leaves a line. With a file `slow` the last item waits for a file `go`. */
const config = `import { cascade, completed, defineConfig, fileContent, fileExists, jury } from 'jurist'
import { appendFileSync, existsSync } from 'node:fs'
const agent = async ({ workspace, metadata, record }) => {
  appendFileSync('calls', metadata.itemId + '\\n')
  record({ type: 'custom', name: 'wrote', data: { path: 'note.txt' } })
  await workspace.write('note.txt', 'note of ' + metadata.itemId + '\\n')
  while (metadata.itemId === 'f' && existsSync('slow') && !existsSync('go')) await new Promise((done) => setTimeout(done, 20))
  return completed({ output: metadata.itemId, costUsd: 0.01 })
}
const note = jury({ judges: { there: fileExists('note.txt'), early: fileContent('note.txt', { matches: 'note of [a-d]' }) } })
export default defineConfig({
  experiments: {
    demo: { dataset: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, task: 'Do ' + id })), agent, jury: note, concurrency: 2 },
    both: { dataset: [{ id: 'a', task: 'Do a' }], agent, jury: note, variants: { one: {}, two: {} } },
  },
  juries: { other: fileContent('note.txt', { matches: 'note of [a-e]' }) },
})
`

/** What a command printed, without what differs between any two runs, and between any two stores. */
function alike(text: string): string {
  return (
    text
      .replaceAll(/\d{8}T\d{9}Z-\w{6}/g, 'RUN')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d+Z)?/g, 'WHEN')
      .replaceAll(/Labels: \S+/g, 'Labels: PLACE')
      .replaceAll(/\d{8}-\d{6}/g, 'SESSION')
      .replaceAll(/\d+\.\d{3,}|"(\w*Ms|total|mean|median|p95)": [\d.]+/g, 'FIGURE')
      .replaceAll(/postgres:\/\/\S+\/test_\w+/g, 'results')
      .replaceAll(/results\/\w+\/RUN|RUN in results/g, 'RUN')
      .replaceAll(/[ ─+-]*\b((\d+m )?\d+(\.\d)? ?m?s\b|TIME\b)/g, ' TIME')
      // Whether the time differs is decided by the time itself, on any machine.
      .replaceAll(/([\d.]+ × the time, )?no difference in cost( and time)?/g, 'no difference in cost')
      // The columns of a table are as wide as the times in it.
      .replaceAll(/ {2,}/g, '  ')
  )
}

const commandLines: readonly (readonly string[])[] = [
  ['list'],
  ['run', 'demo'],
  ['list', '--json'],
  ['show', 'latest'],
  ['show', 'latest', 'b'],
  ['show', 'latest', 'e', '--diff'],
  ['show', 'latest', 'e', '--journal'],
  ['show', 'latest', '--failures'],
  ['run', 'both', '--variant', 'one', '--variant', 'two'],
  ['list', 'demo'],
  ['rejudge', 'demo', '--jury', 'other'],
  ['compare', 'both@one', 'both@two'],
  ['run', 'demo', '--baseline', 'latest'],
  ['export', 'demo'],
  ['label', 'demo', '--by', 'ana'],
  ['calibrate', '--run', 'demo'],
  ['calibrate', '--run', 'demo', '--judge', 'other'],
  ['export', 'demo', '--table', 'labels'],
  ['show', 'no-such-run'],
]

/** The output of every command line, in order. */
async function outputs(made: Project, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const all: string[] = []
  for (const words of commandLines) {
    const { code, stdout, stderr } = await made.juristReading('ppppff', env, ...words)
    all.push([words.join(' '), code, stdout, code === 0 ? '' : stderr].join('\n'))
  }
  return all
}

async function dump(address: string): Promise<string> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    const tables = ['runs', 'trials', 'documents', 'files']
    const found = await Promise.all(tables.map((table) => client.query(`select * from jurist.${table}`)))
    return JSON.stringify(found.map(({ rows }) => rows))
  } finally {
    await client.end()
  }
}

describe.skipIf(noPostgres !== undefined)('results in PostgreSQL (needs PostgreSQL)', () => {
  test('every command says what it says on files, and never the password', async () => {
    using onFiles = project({ 'jurist.config.ts': config })
    using onDatabase = project({ 'jurist.config.ts': config })
    const address = await newDatabase()
    const expected = await outputs(onFiles, {})
    const found = await outputs(onDatabase, { JURIST_RESULTS: address })
    expect(found.map(alike)).toEqual(expected.map(alike))
    expect(found.join()).toContain(new URL(address).pathname)
    expect(found.join() + (await dump(address))).not.toContain(password)
    const calls = (made: Project) => readFileSync(join(made.directory, 'calls'), 'utf8').split('\n').sort()
    expect(calls(onDatabase)).toEqual(calls(onFiles))
  })

  test('a run that is killed is completed by --resume, each trial once', async () => {
    const address = await newDatabase()
    using made = project({
      'jurist.config.ts': config.replace('concurrency: 2', 'concurrency: 2, repetitions: 3'),
      slow: '',
    })
    const env = { JURIST_RESULTS: address }
    const { child, ended, said } = made.startWith(env, 'run', 'demo')
    await said('[15/18]')
    child.kill('SIGKILL')
    await ended
    expect((await made.juristWith(env, 'list')).stdout).toContain('interrupted')
    made.write({ go: '' })
    const { code, stdout } = await made.juristWith(env, 'run', 'demo', '--resume')
    expect([code, stdout]).toEqual([0, expect.stringContaining('12 of 18')])
    const { items } = JSON.parse((await made.juristWith(env, 'show', 'latest', '--json')).stdout)
    const names = items.map(({ itemId, repetition }: Readonly<Record<string, unknown>>) => `${itemId} ${repetition}`)
    expect(new Set(names).size).toBe(18)
    expect(names).toHaveLength(18)
  })

  test('the page shows changes and journals', async () => {
    const address = await newDatabase()
    using made = project({ 'jurist.config.ts': config })
    await made.juristWith({ JURIST_RESULTS: address }, 'run', 'demo')
    const { child, ended } = made.startWith({ JURIST_RESULTS: address }, 'view')
    const url = await new Promise<URL>((resolve) => {
      child.stdout?.once('data', (text) => resolve(new URL(String(text).trim())))
    })
    const get = async (path: string) => {
      const answer = await fetch(new URL(path, url), {
        headers: { 'x-jurist-token': url.searchParams.get('token') ?? '' },
      })
      const text = await answer.text()
      expect(text).not.toContain(password)
      return text
    }
    const { runs } = JSON.parse(await get('/api/runs'))
    const trial = `/api/runs/${runs[0].id}/items/e/1`
    expect(JSON.parse(await get(`${trial}/changes`))).toMatchObject({
      state: 'compared',
      files: [{ path: 'note.txt' }],
    })
    expect(await get(`${trial}/journal`)).toContain('note.txt')
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })

  test('a command line that is suggested or installed has no password', async () => {
    using made = project({ 'jurist.config.ts': config })
    const flags = ['--results', await newDatabase()]
    const ran = await made.jurist('run', 'demo', ...flags)
    expect(ran.stdout).toContain('--results postgres://jurist@127.0.0.1')
    const shown = await made.jurist('show', 'latest', 'no-such-item', ...flags)
    const installed = await made.jurist('hook', 'install', 'claude', '--jury', 'other', ...flags)
    expect(installed.stderr).toContain('JURIST_RESULTS')
    for (const { stdout, stderr } of [ran, shown, installed]) expect(stdout + stderr).not.toContain(password)
  })

  test('a config names the database; without a server the message says what to do', async () => {
    const named = (address: string) => config.replace('defineConfig({', `defineConfig({ store: '${address}',`)
    using made = project({ 'jurist.config.ts': named(await newDatabase()) })
    expect((await made.jurist('run', 'both')).stdout).toContain('in postgres://jurist@127.0.0.1')
    made.write({ 'jurist.config.ts': named(`postgres://jurist:${password}@127.0.0.1:1/results`) })
    const { code, stdout, stderr } = await made.jurist('list')
    expect(code).toBe(3)
    expect(stderr).toContain('The database cannot be reached')
    expect(stdout + stderr).not.toContain(password)
  })
})
