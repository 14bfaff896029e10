import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { containedPath } from '@jurist/kit/regular-file'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Viewer, viewer } from '../../src/viewer.js'

const directory = mkdtempSync(join(tmpdir(), 'jurist-files-'))
const results = join(directory, 'results')
const secret = 'the secret of the disk'
const put = (path: string, text: string | Uint8Array) => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

beforeAll(() => {
  put('outside/secret.txt', secret)
  put('results/a/b.txt', 'inside')
  symlinkSync(join(directory, 'outside'), join(results, 'link'))
  symlinkSync(join(directory, 'outside/secret.txt'), join(results, 'a/link.txt'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('a path leads nowhere', () => {
  test.each([
    '../outside/secret.txt',
    'a/../../outside/secret.txt',
    'a/./../../outside/secret.txt',
    './../outside',
    '..',
    '../',
    '/etc/passwd',
    '//etc/passwd',
    'link',
    'link/secret.txt',
    'a/link.txt',
    'a/b.txt/../../../outside/secret.txt',
    'a\0/b.txt',
    'a/b.txt\0.png',
    'absent',
    'a/b.txt/more',
    '../results-beside/secret.txt',
  ])('%j', async (path) => {
    expect(await containedPath([results], results, path)).toBeUndefined()
  })

  test.each(['a/b.txt', './a/b.txt', 'a//b.txt', 'a/../a/b.txt'])('but %j is inside', async (path) => {
    expect(await containedPath([results], results, path)).toBe(join(results, 'a/b.txt'))
  })
})

/** A store with one trial, whose record says these paths. */
async function pageOf(paths: Parameters<typeof anItem>[0], sources: readonly string[] = []) {
  const run = aResult({ experimentName: 'files', items: [anItem({ itemId: 'one', ...paths })] })
  await fileStore(results, { sync: false }).save(run)
  const page = viewer(fileStore(results), { directory: results, sources })
  const at = `/api/runs/${run.id}/items/one/1`
  const put = (path: string, text: string | Uint8Array) => {
    const file = join(results, 'files', run.id, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  return { ask: (path: string) => asked(page, `${at}${path}`), put }
}

async function asked(page: Viewer, path: string) {
  const response = await page(new Request(`http://localhost${path}`))
  const text = await response.text()
  expect(text).not.toContain(secret)
  return { status: response.status, body: JSON.parse(text) }
}

describe('the files of a trial', () => {
  test.each([
    { workspacePath: '../../../outside', beforePath: null },
    { workspacePath: '/', beforePath: null },
    { workspacePath: '../../link', beforePath: null },
    { workspacePath: 'workspaces/one--1', beforePath: '../outside' },
    { workspacePath: 'workspaces/one--1', beforePath: '/' },
    { workspacePath: 'workspaces/one--1', beforePath: 'link' },
  ])('are never outside of the store: %j', async (paths) => {
    const { ask, put } = await pageOf({ ...paths, journalPath: '../../../outside/secret.txt' })
    put('workspaces/one--1/a.txt', 'a')
    expect((await ask('/changes')).body.state).toBe('unknown')
    expect((await ask('/file?path=secret.txt')).status).toBe(404)
    expect((await ask('/journal')).body.state).toBe('unknown')
  })

  test.each(['../secret.txt', '../../../../../outside/secret.txt', '/etc/passwd', 'link.txt', 'sub/secret.txt', ''])(
    'are asked for by name, and never %j',
    async (path) => {
      const { ask, put } = await pageOf({ workspacePath: 'workspaces/one--1' })
      const file = put('workspaces/one--1/a.txt', 'a')
      symlinkSync(join(directory, 'outside/secret.txt'), join(dirname(file), 'link.txt'))
      symlinkSync(join(directory, 'outside'), join(dirname(file), 'sub'))
      expect((await ask(`/file?path=${encodeURIComponent(path)}`)).status).toBe(404)
      expect((await ask('/changes')).body.files.map((one: { path: string }) => one.path)).toEqual(['a.txt'])
    },
  )

  test('before and reference come from the named directories only', async () => {
    put('dataset/one/before/a.txt', 'old\n')
    const paths = { workspacePath: 'workspaces/one--1', beforePath: '../dataset/one/before' }
    const closed = await pageOf(paths)
    closed.put('workspaces/one--1/a.txt', 'new\n')
    expect((await closed.ask('/changes')).body).toMatchObject({ state: 'unknown' })
    const open = await pageOf(paths, [join(directory, 'dataset')])
    open.put('workspaces/one--1/a.txt', 'new\n')
    expect((await open.ask('/changes')).body.files).toMatchObject([
      { path: 'a.txt', change: 'modified', sides: { before: { kind: 'text', text: 'old\n' } } },
    ])
  })

  test('of the final workspace can be read where there is nothing to compare it with', async () => {
    const { ask, put } = await pageOf({ workspacePath: 'workspaces/one--1', beforePath: '../elsewhere/before' })
    const file = put('workspaces/one--1/src/a.txt', 'new\n')
    symlinkSync(join(directory, 'outside/secret.txt'), join(dirname(file), 'link.txt'))
    expect((await ask('/changes')).body).toMatchObject({ state: 'unknown', hasWorkspace: true })
    expect((await ask('/changes?against=reference')).body).toMatchObject({ state: 'unknown', hasWorkspace: true })
    expect((await ask('/changes?against=nothing')).body.files).toMatchObject([{ path: 'src/a.txt', afterBytes: 4 }])
    expect((await ask('/file?against=nothing&path=src/a.txt')).body.after).toEqual({ kind: 'text', text: 'new\n' })
    expect((await ask('/file?against=nothing&path=src/link.txt')).status).toBe(404)
    const gone = await pageOf({ workspacePath: 'workspaces/two--1' })
    expect((await gone.ask('/changes?against=nothing')).body).toMatchObject({ state: 'unknown', hasWorkspace: false })
  })

  test('are described by kind and size where they are not a short text', async () => {
    const { ask, put } = await pageOf({ workspacePath: 'workspaces/one--1' })
    put('workspaces/one--1/bytes', new Uint8Array([1, 0, 2]))
    put('workspaces/one--1/latin', new Uint8Array([0xe9, 0x21]))
    put('workspaces/one--1/large', 'x'.repeat(600_000))
    put('workspaces/one--1/node_modules/x.js', 'x')
    put('workspaces/one--1/.git/config', 'x')
    const { body } = await ask('/changes')
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(['bytes', 'large', 'latin'])
    expect((await ask('/file?path=bytes')).body.after).toEqual({ kind: 'binary', bytes: 3 })
    expect((await ask('/file?path=latin')).body.after).toEqual({ kind: 'binary', bytes: 2 })
    expect((await ask('/file?path=large')).body.after).toEqual({ kind: 'too-large', bytes: 600_000 })
  })

  test('a journal is read in parts, with its damaged lines', async () => {
    const { ask, put } = await pageOf({ journalPath: 'journal/one--1.jsonl' })
    const text = { type: 'text', text: 'hello' }
    put('journal/one--1.jsonl', `{"type":"header"}\n${JSON.stringify(text)}\n{damaged\n{"type":"later"}\n`)
    const { body } = await ask('/journal')
    expect(body).toMatchObject({ state: 'read', from: 0, total: 3, isRunning: false })
    expect(body.records).toEqual([text, null, { type: 'later' }])
    expect((await ask('/journal?from=1')).body).toMatchObject({
      from: 1,
      total: 3,
      records: [null, { type: 'later' }],
      start: body.start,
    })
    expect((await ask('/journal?from=-1')).body.records).toHaveLength(3)
    expect((await ask('/journal?from=9')).body.records).toEqual([])
    put('journal/one--1.jsonl', '{"type":"header"}\n')
    expect((await ask('/journal')).body).toMatchObject({ state: 'read', total: 0, records: [], start: '' })
  })

  test('a journal of any size is read in parts of a few megabytes', async () => {
    const { ask, put } = await pageOf({ journalPath: 'journal/one--1.jsonl' })
    const textOf = (index: number) => `${index} ${'é'.repeat(index % 5_000 === 0 ? 3_000_000 : 1_000)}`
    const lines = Array.from({ length: 18_000 }, (_, index) => JSON.stringify({ type: 'text', text: textOf(index) }))
    lines.splice(700, 0, '', ' \t\r')
    put('journal/one--1.jsonl', `{"type":"header"}\n${lines.join('\n')}`)
    const texts: string[] = []
    for (;;) {
      const { body } = await ask(`/journal?from=${texts.length}`)
      expect(body).toMatchObject({ state: 'read', from: texts.length, total: 18_000 })
      if (texts.length === 18_000) break
      expect(body.records.length).toBeGreaterThan(0)
      expect(JSON.stringify(body.records).length).toBeLessThan(9_000_000)
      for (const { text } of body.records) texts.push(text)
    }
    for (const [index, text] of texts.entries()) if (text !== textOf(index)) expect(text).toBe(textOf(index))
    put('journal/one--1.jsonl', `{"type":"text","text":"${'x'.repeat(17_000_000)}"}\n{"type":"text","text":"next"}\n`)
    expect((await ask('/journal')).body).toMatchObject({ total: 2, records: [null] })
    expect((await ask('/journal?from=1')).body).toMatchObject({ records: [{ text: 'next' }] })
  })
})
