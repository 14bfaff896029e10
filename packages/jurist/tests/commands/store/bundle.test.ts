import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packTar, type TarEntry, unpackTar } from 'modern-tar'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres, testOnce } from '../../project-results.js'

const runId = '20261121T091500123Z-4kq7rm'
const home = `greet/${runId}`

/** A project with one run whose agent leaked a key into a file and a journal. */
async function withRun(): Promise<{ readonly made: Project; readonly id: string }> {
  const made = project({
    'dataset.jsonl': '{"id":"one","task":"say hello"}\n{"id":"two","task":"say hello"}\n',
    'jurist.config.mjs': `export default { experiments: { greet: {
      dataset: 'dataset.jsonl',
      agent: async ({ workspace, record }) => {
        record({ type: 'text', at: new Date().toISOString(), text: 'my key is sk-12345678' })
        await workspace.write('answer.txt', 'hello sk-12345678')
        return { status: 'completed', output: { type: 'text', text: 'hello "sk-12345678"' } }
      },
      jury: ({ agentOutput }) => agentOutput.type === 'text',
    } } }`,
  })
  const { code, stderr } = await made.jurist('run')
  expect([code, stderr]).toEqual([0, stderr])
  const [id = ''] = await made.results.runs('greet')
  return { made, id }
}

describe('jurist store bundle', () => {
  test('makes equal bytes of equal runs, which verify, extract and can be shown', async () => {
    const { made, id } = await withRun()
    using _ = made
    await made.jurist('store', 'bundle', 'latest', '-o', 'a.jurist.tgz', '--journals', '--workspaces')
    await made.jurist('store', 'bundle', id, '-o', 'b.jurist.tgz', '--journals', '--workspaces')
    const bytes = readFileSync(join(made.directory, 'a.jurist.tgz'))
    expect(bytes.equals(readFileSync(join(made.directory, 'b.jurist.tgz')))).toBe(true)
    const entries = await unpackTar(gunzipSync(bytes))
    const names = entries.map(({ header }) => header.name)
    expect(names[0]).toBe('manifest.json')
    expect(names.slice(1)).toEqual([...names.slice(1)].sort())
    expect(names).toContain(`greet/${id}/workspaces/one--1/answer.txt`)

    expect((await made.jurist('store', 'bundle', '--verify', 'a.jurist.tgz')).stdout).toMatch(
      /is whole: 6 files of 1 run/,
    )
    const extracted = await made.jurist('store', 'bundle', '--extract', 'a.jurist.tgz', '--to', 'elsewhere')
    expect(extracted.code).toBe(0)
    const listed = await made.jurist('list', '--results', 'elsewhere')
    expect(listed.stdout).toContain(id)
    expect((await made.jurist('show', 'a.jurist.tgz', 'one', '--output')).stdout).toContain('hello "sk-12345678"')

    const again = await made.jurist('store', 'bundle', '--extract', 'a.jurist.tgz', '--to', 'elsewhere')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already')])
  })

  test('redacts texts, counts them, and refuses a pattern that breaks the record', async () => {
    const { made, id } = await withRun()
    using _ = made
    const { stdout } = await made.jurist(
      'store',
      'bundle',
      'latest',
      '--journals',
      '--workspaces',
      '--redact',
      'sk-\\d+',
      '--json',
    )
    expect(JSON.parse(stdout)).toMatchObject({ runs: [id], redacted: 6 })
    const bytes = gunzipSync(readFileSync(join(made.directory, `${id}.jurist.tgz`)))
    expect(bytes.includes('sk-12345678')).toBe(false)
    await made.jurist('store', 'bundle', '--extract', `${id}.jurist.tgz`, '--to', 'elsewhere')
    const there = await made.jurist('show', id, '--results', 'elsewhere')
    expect([there.code, there.stderr]).toEqual([0, ''])
    expect(there.stdout).toContain('2 of 2 decided')
    const wide = await made.jurist('store', 'bundle', 'latest', '--redact', '[a-z]', '-o', 'wide.tgz')
    expect([wide.code, wide.stderr]).toEqual([2, expect.stringContaining('narrower')])
    expect(readdirSync(made.directory)).not.toContain('wide.tgz')
  })

  test.skipIf(onPostgres)('does not hide by redacting that trials were changed after the run', async () => {
    const { made, id } = await withRun()
    using _ = made
    const items = join(made.directory, 'results/greet', id, 'items.jsonl')
    writeFileSync(items, readFileSync(items, 'utf8').replace('say hello', 'say HELLO'))
    await made.jurist('store', 'bundle', id, '--redact', 'sk-\\d+', '-o', 'changed.tgz')
    await made.jurist('store', 'bundle', '--extract', 'changed.tgz', '--to', 'elsewhere')
    const { stderr } = await made.jurist('show', id, '--results', 'elsewhere')
    expect(stderr).toContain('checksum differs')
  })

  test('a place that cannot be written is refused with code 2', async () => {
    const { made } = await withRun()
    using _ = made
    const { code, stderr } = await made.jurist('store', 'bundle', 'latest', '-o', 'dataset.jsonl/x.tgz')
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a file. Name another place.')])
  })

  test.skipIf(onPostgres)('leaves links out and says so', async () => {
    const { made, id } = await withRun()
    using _ = made
    symlinkSync('/etc/passwd', join(made.directory, 'results/greet', id, 'workspaces/one--1/passwd'))
    const { stderr } = await made.jurist('store', 'bundle', 'latest', '--workspaces', '-o', 'x.tgz')
    expect(stderr).toContain('1 link or special files were left out')
    expect(gunzipSync(readFileSync(join(made.directory, 'x.tgz'))).includes('passwd')).toBe(false)
  })
})

const sum = (text: string) => createHash('sha256').update(text).digest('hex')
const listed = (path: string, text: string) => ({ path, size: Buffer.byteLength(text), sha256: sum(text) })
const file = (name: string, body: string): TarEntry => ({
  header: { name, size: Buffer.byteLength(body), type: 'file' },
  body,
})
const manifest = (files: readonly object[], more: object = {}): TarEntry =>
  file(
    'manifest.json',
    JSON.stringify({
      schemaVersion: 1,
      runs: [{ id: runId, experimentName: 'greet', variant: null }],
      files,
      redacted: 0,
      ...more,
    }),
  )
const good = [listed(`${home}/run.json`, '{}')]

/** Archives that must not be trusted, and the message about each. */
const hostile: Readonly<Record<string, { readonly entries: readonly TarEntry[]; readonly says: RegExp }>> = {
  'a path with ..': { entries: [manifest([listed(`${home}/../../../x`, '')])], says: /contains "\.\."/ },
  'an absolute path': { entries: [manifest([listed('/etc/cron.d/x', '')])], says: /is absolute/ },
  'a drive': { entries: [manifest([listed('C:/x', '')])], says: /is absolute/ },
  'a backslash': { entries: [manifest([listed(`${home}\\..\\x`, '')])], says: /backslash/ },
  'a path beside its runs': { entries: [manifest([listed('other/x', '')])], says: /belongs to none of its runs/ },
  'a path twice': { entries: [manifest([...good, ...good])], says: /listed twice/ },
  'paths that differ in case': {
    entries: [manifest([...good, listed(`${home}/RUN.json`, '{}')])],
    says: /listed twice/,
  },
  'an experiment that is a path': {
    entries: [manifest([], { runs: [{ id: runId, experimentName: '..', variant: null }] })],
    says: /runs\[0\]\.experimentName must be the name of an experiment/,
  },
  'a newer version': { entries: [manifest(good, { schemaVersion: 2 })], says: /schema version 2; this jurist reads 1/ },
  'a wrong sum': { entries: [manifest(good), file(`${home}/run.json`, '[]')], says: /different SHA-256/ },
  'another size': { entries: [manifest(good), file(`${home}/run.json`, '{"a":1}')], says: /has 7 bytes, not 2/ },
  'a file too many': {
    entries: [manifest(good), file(`${home}/run.json`, '{}'), file(`${home}/extra`, 'x')],
    says: /not in its manifest/,
  },
  'a file too few': { entries: [manifest(good)], says: /1 of its files are missing/ },
  'a file twice': {
    entries: [manifest(good), file(`${home}/run.json`, '{}'), file(`${home}/run.json`, '{}')],
    says: /in the archive twice/,
  },
  'a link instead of a file': {
    entries: [
      manifest(good),
      { header: { name: `${home}/run.json`, size: 0, type: 'symlink', linkname: '/etc/passwd' } },
    ],
    says: /is a symlink, not a file/,
  },
  'no manifest first': { entries: [file(`${home}/run.json`, '{}'), manifest(good)], says: /does not begin with/ },
  nothing: { entries: [], says: /it is empty/ },
}

describe('a bundle that may come from anywhere', () => {
  testOnce.each(Object.entries(hostile))(
    '%s is refused before anything is written',
    async (_name, { entries, says }) => {
      using made = project()
      writeFileSync(join(made.directory, 'x.tgz'), gzipSync(await packTar(entries)))
      const { code, stderr } = await made.jurist('store', 'bundle', '--extract', 'x.tgz', '--to', 'out')
      expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
      expect(readdirSync(made.directory)).toEqual(['x.tgz'])
    },
  )

  testOnce('bytes that are no archive, or half of one, are refused', async () => {
    using made = project()
    writeFileSync(join(made.directory, 'text.tgz'), 'hello')
    const whole = gzipSync(await packTar([manifest(good), file(`${home}/run.json`, '{}')]))
    writeFileSync(join(made.directory, 'half.tgz'), whole.subarray(0, whole.length / 2))
    for (const name of ['text.tgz', 'half.tgz']) {
      const { code, stderr } = await made.jurist('store', 'bundle', '--verify', name)
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be read')])
    }
  })

  testOnce('what unpacks to far more than its manifest says is cut off', async () => {
    using made = project()
    const entries = [manifest(good), file(`${home}/run.json`, '{}')]
    const zeros = Buffer.alloc(300 * 1024 * 1024)
    const tar = Buffer.concat([await packTar(entries), zeros])
    writeFileSync(join(made.directory, 'x.tgz'), gzipSync(tar, { level: 1 }))
    const { code } = await made.jurist('store', 'bundle', '--verify', 'x.tgz')
    expect(code).toBe(2)
  })

  testOnce.each([
    [['store', 'bundle'], 'Name runs to bundle, or use --verify'],
    [['store', 'bundle', 'latest', '--verify', 'x.tgz'], 'Name runs to bundle, or use --verify'],
    [['store', 'bundle', 'latest', '-o', 'r.zip'], '--output r.zip must end in .tgz'],
    [['store', 'bundle', '--verify', 'missing.tgz'], 'missing.tgz does not exist'],
    [['store', 'bundle', 'latest', '--redact', '('], 'must be a regular expression'],
    [['store', 'bundle', '--verify', 'x', '--to', 'y'], '--to needs --extract'],
  ])('%j is refused with what to do', async (argv, says) => {
    using made = project()
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})
