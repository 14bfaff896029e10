import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { resultWithItems } from '@jurist/experiment/internal/results'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskFailure } from '../../src/store/disk.js'
import { appendLog } from '../../src/store/file-writer.js'
import { runPaths } from '../../src/store/run-directory.js'
import { collected } from '../collected.js'

let results = ''
let warnings: string[] = []
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), 'jurist-files-'))
  warnings = []
})
afterEach(async () => {
  await rm(results, { recursive: true, force: true })
})

const end = { status: 'completed', stopReason: null, durationMs: 1 } as const
const openStore = (options = {}) => fileStore(results, { onWarning: (message) => warnings.push(message), ...options })
const pathsOf = (id: string) => runPaths(join(results, 'experiment', id))

async function aRunWith(...ids: readonly string[]) {
  const run = aResult({ items: ids.map((itemId) => anItem({ itemId })) })
  await openStore().save(run)
  return run
}

describe('the files', () => {
  test('run.json holds the record without items and summary; items.jsonl one trial a line', async () => {
    const run = await aRunWith('a', 'b')
    const head = JSON.parse(await readFile(pathsOf(run.id).head, 'utf8'))
    expect(head).toMatchObject({ schemaVersion: 1, id: run.id, planned: 2 })
    for (const key of ['items', 'passRate', 'counts', 'byBucket']) expect(head).not.toHaveProperty(key)
    const text = await readFile(pathsOf(run.id).items, 'utf8')
    expect(text.split('\n').map((line) => line && JSON.parse(line).itemId)).toEqual(['a', 'b', ''])
  })

  test('a writer leaves no lock and no temporary file', async () => {
    const writer = await openStore().open(aResult())
    expect(await readdir(pathsOf(writer.runId).directory)).toEqual(['items.jsonl', 'lock', 'run.json'])
    expect(writer.directory).toBe(pathsOf(writer.runId).directory)
    await writer.append(anItem())
    await writer.finish(end)
    expect(await readdir(pathsOf(writer.runId).directory)).toEqual(['items.jsonl', 'run.json', 'trials.jsonl'])
    expect((await readdir(join(results, 'experiment'))).sort()).toEqual([writer.runId, 'index.jsonl'])
  })

  describe('the items of an ended run', () => {
    const written = async (...tasks: readonly string[]) => {
      const writer = await openStore({ sync: false }).open({ ...aResult(), itemOrder: ['b', 'a', 'c'] })
      for (const [index, task] of tasks.entries())
        await writer.append(anItem({ itemId: 'abc'[index % 3] ?? '', repetition: 1 + Math.floor(index / 3), task }))
      return writer.finish(end)
    }
    const long = 'long '.repeat(1e4)

    test('are in memory after `load`, their figures after `finish`', async () => {
      const result = await written('x', 'y', 'é')
      const loaded = await openStore().load(result.id)
      await rm(results, { recursive: true })
      expect(result.counts.run).toBe(3)
      expect(loaded?.items.map(({ itemId, task }) => `${itemId} ${task}`)).toEqual(['b y', 'a x', 'c é'])
      expect(result.trials.map(({ itemId }) => itemId)).toEqual(['b', 'a', 'c'])
    })

    test('are on the disk when it was long, and no more than its own', async () => {
      const result = await written(...Array.from({ length: 34 }, (_, index) => `${index} ${long}`))
      const loaded = await openStore().load(result.id)
      const { writer } = await openStore().resume(result.id)
      await writer.append(anItem({ itemId: 'later' }))
      await writer.release()
      expect((await result.readItems()).length).toBe(35)
      expect((await result.readItems(result.trials)).length).toBe(34)
      expect(await result.readItems(result.trials)).toEqual(loaded?.items)
    })

    test('are refused by name when they are gone', async () => {
      const result = await written(...Array.from({ length: 34 }, () => long))
      await rm(pathsOf(result.id).items)
      expect(result.passRate).toBe(1)
      await expect(result.readItems()).rejects.toThrow(`Could not read ${pathsOf(result.id).items}`)
    })

    test('go on with those of an earlier writer', async () => {
      const first = await written('x', 'y')
      const { writer } = await openStore().resume(first.id)
      await writer.append(anItem({ itemId: 'c', task: 'z', passed: false, judged: 'fail' }))
      const result = await writer.finish(end)
      expect((await result.readItems()).map(({ task }) => task)).toEqual(['y', 'x', 'z'])
      expect(result.passRate).toBeCloseTo(2 / 3)
    })
  })

  test('fields that a later version added are dropped', async () => {
    const run = await aRunWith('a')
    const { head, items } = pathsOf(run.id)
    await writeFile(head, JSON.stringify({ ...JSON.parse(await readFile(head, 'utf8')), later: 1 }))
    await writeFile(items, `${JSON.stringify({ ...anItem({ itemId: 'a' }), later: 1 })}\n`)
    expect(await openStore().load(run.id)).toEqual(run)
  })

  test('temporary files are removed when they are old', async () => {
    await aRunWith('a')
    const [old, fresh] = [join(results, 'experiment', 'x.old.tmp'), join(results, 'experiment', 'x.fresh.tmp')]
    await mkdir(old)
    await writeFile(fresh, '')
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
    await utimes(old, twoDaysAgo, twoDaysAgo)
    await (await openStore().open(aResult())).release()
    const names = await readdir(join(results, 'experiment'))
    expect(names).toContain('x.fresh.tmp')
    expect(names).not.toContain('x.old.tmp')
  })

  test('a save over a run keeps what else is in its directory', async () => {
    const run = await aRunWith('a')
    await mkdir(join(pathsOf(run.id).directory, 'workspaces'))
    await openStore().save({ ...run, items: [anItem({ itemId: 'b' })] })
    expect((await readdir(pathsOf(run.id).directory)).sort()).toEqual([
      'items.jsonl',
      'run.json',
      'trials.jsonl',
      'workspaces',
    ])
  })

  test('a save that died after its moment is whole for readers, and settled by the next writer', async () => {
    const run = await aRunWith('a')
    const { next, items, directory } = pathsOf(run.id)
    const replaced = { ...run, planned: 7 }
    await mkdir(next)
    await writeFile(join(next, 'run.json'), JSON.stringify(replaced))
    await writeFile(join(next, 'items.jsonl'), `${JSON.stringify(anItem({ itemId: 'new' }))}\n`)
    const read = await openStore().load(run.id)
    expect([read?.planned, read?.items.map(({ itemId }) => itemId)]).toEqual([7, ['new']])
    await (await openStore().resume(run.id)).writer.finish(end)
    expect((await readdir(directory)).sort()).toEqual(['items.jsonl', 'run.json', 'trials.jsonl'])
    expect(JSON.parse(await readFile(items, 'utf8')).itemId).toBe('new')
  })

  test('readers never see half of a replaced run', async () => {
    const store = openStore({ sync: false })
    const versions = [1, 2].map((size) => ({
      ...aResult({ planned: size }),
      items: Array.from({ length: size * 20 }, (_, index) => anItem({ itemId: `${size}-${index}` })),
    }))
    const id = versions[0]!.id
    await store.save({ ...versions[0]!, id })
    let saving = true
    const saves = (async () => {
      for (let round = 0; round < 12; round += 1) await store.save({ ...versions[round % 2]!, id })
      saving = false
    })()
    let reads = 0
    while (saving) {
      const run = await store.load(id)
      expect(run?.items.length).toBe(run!.planned * 20)
      expect(new Set(run?.items.map(({ itemId }) => itemId[0])).size).toBe(1)
      reads += 1
    }
    await saves
    expect(reads).toBeGreaterThan(0)
  })
})

describe('damage', () => {
  test('a torn last line is dropped with a warning, and cut off before the next append', async () => {
    const run = await aRunWith('a', 'b')
    const { items } = pathsOf(run.id)
    await appendFile(items, '{"itemId":"c","repe')
    expect((await openStore().load(run.id))?.items.map(({ itemId }) => itemId)).toEqual(['a', 'b'])
    expect(warnings.join()).toContain('torn')
    const { writer } = await openStore().resume(run.id)
    await writer.append(anItem({ itemId: 'd' }))
    await writer.finish(end)
    const lines = (await readFile(items, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).itemId)).toEqual(['a', 'b', 'd'])
  })

  test.each(['{"itemId":\n', '\u0000\u0000\u0000\n', `${JSON.stringify(anItem()).slice(0, -4)}`, 'ä'])(
    'a last line %j is torn',
    async (tail) => {
      const run = await aRunWith('ä', 'b')
      await appendFile(pathsOf(run.id).items, tail)
      const { items, writer } = await openStore().resume(run.id)
      expect(items.map(({ itemId }) => itemId)).toEqual(['ä', 'b'])
      await writer.append(anItem({ itemId: 'c' }))
      expect((await writer.finish(end)).trials.length).toBe(3)
      expect((await openStore().load(run.id))?.items.length).toBe(3)
    },
  )

  const wrong = { passed: 'yes', repetition: 0, agent: 'done', scores: { x: null }, metadata: undefined }

  test.each<readonly [string, string]>([
    ['cut', '{"itemId":'],
    ['of NULs', '\u0000\u0000\u0000'],
    ['blank', ''],
    ['null', 'null'],
    ['of another kind', '{}'],
    ...Object.entries(wrong).map(
      ([field, value]) => [`with a wrong ${field}`, JSON.stringify({ ...anItem(), [field]: value })] as const,
    ),
  ])('a line in the middle that is %s is left out with a warning, and its trial can run again', async (_, line) => {
    const ids = Array.from({ length: 5 }, (_, index) => `item-${index}`)
    const manifest = { ...aResult(), planned: 5, itemOrder: ids }
    const writer = await openStore().open({ ...manifest, dataset: { ...manifest.dataset, selectedItemCount: 5 } })
    for (const itemId of ids) await writer.append(anItem({ itemId }))
    await writer.finish(end)
    const { items: file } = pathsOf(writer.runId)
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, lines.with(2, line).join('\n'))
    const loaded = await openStore().load(writer.runId)
    expect(loaded?.items.map(({ itemId }) => itemId)).toEqual(['item-0', 'item-1', 'item-3', 'item-4'])
    expect(loaded?.counts).toMatchObject({ planned: 5, run: 4, notRun: 1 })
    expect(warnings.join()).toContain('line 3 ')
    expect(await collected(openStore().list())).toMatchObject([{ id: writer.runId, counts: { run: 4, notRun: 1 } }])
    const again = await openStore().resume(writer.runId)
    expect(again.items.length).toBe(4)
    await again.writer.append(anItem({ itemId: 'item-2', judged: 'fail', passed: false }))
    const ended = await again.writer.finish(end)
    expect(ended.trials.map(({ passed }) => passed)).toEqual([true, true, false, true, true])
    warnings.length = 0
    expect(await openStore().load(writer.runId)).toEqual(await resultWithItems(ended))
    expect(warnings.join()).not.toContain('checksum')
  })

  test('long files are read in pieces, whatever the letters', async () => {
    const long = 'ä€💥x'.repeat(300_000)
    const run = aResult({ items: ['a', 'b', 'c'].map((itemId) => anItem({ itemId, task: `${itemId}${long}` })) })
    await openStore().save(run)
    expect(await openStore().load(run.id)).toEqual(run)
  })

  test.each([
    ['null', '/schemaVersion'],
    ['[]', '/schemaVersion'],
    ['{"schemaVersion":1', ''],
    ['{}', '/schemaVersion'],
    ['{"schemaVersion":2}', '/schemaVersion'],
    ['{"schemaVersion":1,"id":3}', '/id'],
  ])('run.json %s is refused, and left out of lists with a warning', async (text, pointer) => {
    const run = await aRunWith('a')
    const other = await aRunWith('b')
    await writeFile(pathsOf(run.id).head, text)
    await expect(openStore().load(run.id)).rejects.toMatchObject({ code: 'record-invalid', details: { pointer } })
    const ids = (await collected(openStore().list())).map(({ id }) => id)
    expect([ids, warnings.join()]).toEqual([[other.id], expect.stringContaining(run.id)])
    expect((await openStore().mostRecent('experiment'))?.id).toBe(other.id)
  })

  test('a run of a newer version says which jurist reads it', async () => {
    const run = await aRunWith('a')
    await writeFile(pathsOf(run.id).head, JSON.stringify({ ...run, schemaVersion: 2 }))
    const message = 'run.json has schema version 2; this jurist reads 1. Install a newer jurist.'
    await expect(openStore().load(run.id)).rejects.toMatchObject({ code: 'record-invalid', message })
  })

  const replacements = {
    'a directory': (path: string) => mkdir(path),
    'a FIFO': async (path: string) => execFileSync('mkfifo', [path]),
    'a file of 3 GB without a line': async (path: string) => {
      await writeFile(path, '')
      await truncate(path, 3 * 1024 ** 3)
    },
  }
  const files = ['items', 'head'] as const
  test.each(files.flatMap((file) => Object.entries(replacements).map(([name, make]) => ({ file, name, make }))))(
    '$name instead of the $file is a damaged run',
    async ({ file, name, make }) => {
      const run = await aRunWith('a')
      const other = await aRunWith('b')
      await rm(pathsOf(run.id)[file])
      await make(pathsOf(run.id)[file])
      // The index of the run is a cache that would answer for its items.
      await rm(pathsOf(run.id).index, { force: true })
      // Each of them would read the longest line that there may be.
      if (!name.includes('3 GB')) {
        await expect(openStore().load(run.id)).rejects.toMatchObject({ code: 'record-invalid' })
        await expect(openStore().resume(run.id)).rejects.toMatchObject({ code: 'record-invalid' })
      }
      expect((await collected(openStore().list())).map(({ id }) => id)).toEqual([other.id])
      expect(warnings.join()).toContain(run.id)
    },
  )

  test.each(['sessions', 'sweeps'] as const)('a damaged file of %s hides no other', async (kind) => {
    const store = openStore()
    const names = { experimentName: 'experiment', expected: ['a'] as [string] }
    for (const name of ['one', 'two']) await store[kind].create({ ...names, session: name, sweep: name })
    await writeFile(join(results, 'experiment', kind, 'one.json'), 'null')
    expect(await store[kind].list('experiment')).toHaveLength(1)
    expect(warnings.join()).toContain('one.json')
  })
})

describe('the index is only a cache', () => {
  test('a FIFO in its place does not block the reader', async () => {
    const run = await aRunWith('a')
    await rm(join(results, 'experiment', 'index.jsonl'), { force: true })
    execFileSync('mkfifo', [join(results, 'experiment', 'index.jsonl')])
    expect((await collected(openStore().list())).map(({ id }) => id)).toEqual([run.id])
  })

  const ids = async () => (await collected(openStore().list())).map(({ id }) => id).sort()

  test.each([
    ['missing', async (path: string) => await rm(path)],
    ['torn', async (path: string) => await appendFile(path, '{"id":"2026')],
    ['nonsense', async (path: string) => await writeFile(path, 'what\n')],
    ['empty', async (path: string) => await writeFile(path, '')],
    ['older', async (path: string) => await utimes(path, 1, 1)],
  ])('%s: it is rebuilt', async (_, damage) => {
    const runs = [await aRunWith('a'), await aRunWith('b')]
    const path = join(results, 'experiment', 'index.jsonl')
    await damage(path)
    expect(await ids()).toEqual(runs.map(({ id }) => id).sort())
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(runs.map(({ id }) => id).sort())
  })

  test('a run is listed from it without being read', async () => {
    const run = await aRunWith('a')
    const longAgo = new Date(1_000)
    await writeFile(pathsOf(run.id).items, 'unreadable\nunreadable\n')
    await utimes(pathsOf(run.id).items, longAgo, longAgo)
    expect(await ids()).toEqual([run.id])
    expect(warnings).toEqual([])
  })

  test('a run that was copied in or removed is noticed', async () => {
    const [kept, gone] = [await aRunWith('a'), await aRunWith('b')]
    await rm(pathsOf(gone.id).directory, { recursive: true })
    expect(await ids()).toEqual([kept.id])
  })
})

describe('locks', () => {
  async function lockedBy(holder: object, ageMs: number) {
    const run = await aRunWith('a')
    const { lock } = pathsOf(run.id)
    await writeFile(lock, JSON.stringify({ startedAt: '2026-01-01T00:00:00.000Z', token: 'abc', ...holder }))
    const at = new Date(Date.now() - ageMs)
    await utimes(lock, at, at)
    return run.id
  }

  test('a living holder on another machine is named', async () => {
    const id = await lockedBy({ pid: 4711, host: 'build-2' }, 50_000)
    const message = `Run ${id} is being written by pid 4711 on build-2. Wait for it, or resume when it has ended.`
    await expect(openStore().resume(id)).rejects.toMatchObject({
      code: 'run-locked',
      message,
      details: { id, holder: { pid: 4711, host: 'build-2' } },
    })
  })

  test.each([
    ['silent for too long', { pid: 4711, host: 'build-2' }, 70_000],
    ['silent for too long here', { pid: process.pid, host: hostname() }, 70_000],
    ['gone', { pid: 2 ** 22 + 1, host: hostname() }, 0],
  ])('a holder that is %s is taken over', async (_, holder, ageMs) => {
    const id = await lockedBy(holder, ageMs)
    const { writer } = await openStore().resume(id)
    await expect(openStore().resume(id)).rejects.toMatchObject({ code: 'run-locked' })
    await writer.finish(end)
    expect((await readdir(pathsOf(id).directory)).sort()).toEqual(['items.jsonl', 'run.json', 'trials.jsonl'])
  })

  test('a holder in another container of the same host name is not taken for dead', async () => {
    const container = `${hostname()} 5d0e2f4c-boot pid:[4026532999]`
    const id = await lockedBy({ pid: 2 ** 22 + 1, host: hostname(), machine: container }, 50_000)
    await expect(openStore().resume(id)).rejects.toMatchObject({ code: 'run-locked' })
  })

  // It needs no root where the system lets users make namespaces.
  const namespace = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc']
  const canIsolate = spawnSync('unshare', [...namespace, 'true']).status === 0
  test.skipIf(!canIsolate)(
    'a process that sees other processes leaves the run alone (skipped without unshare)',
    async () => {
      const writer = await openStore().open(aResult())
      const script = `
      import { fileStore } from '@jurist/experiment/store'
      const [directory, id] = process.argv.slice(1)
      await fileStore(directory).resume(id).then(() => console.log('taken over'), ({ code }) => console.log(code))`
      const node = [process.execPath, '--input-type=module', '-e', script, results, writer.runId]
      const { stdout } = spawnSync('unshare', [...namespace, ...node], { encoding: 'utf8', cwd: import.meta.dirname })
      expect(stdout).toBe('run-locked\n')
      await writer.release()
    },
  )

  test('a lock whose maker died before it could write it is taken over when it is old', async () => {
    const id = await lockedBy({}, 0)
    const { lock } = pathsOf(id)
    await writeFile(lock, '')
    await expect(openStore().resume(id)).rejects.toMatchObject({ code: 'run-locked' })
    await utimes(lock, 1, 1)
    await (await openStore().resume(id)).writer.release()
  })

  test('the heartbeat keeps a lock fresh', async () => {
    const writer = await openStore({ lockStaleMs: 200 }).open(aResult())
    const { lock } = pathsOf(writer.runId)
    const hourAgo = new Date(Date.now() - 3_600_000)
    await utimes(lock, hourAgo, hourAgo)
    await expect.poll(async () => (await stat(lock)).mtimeMs).toBeGreaterThan(hourAgo.getTime() + 1_000)
    await expect(openStore({ lockStaleMs: 60_000 }).resume(writer.runId)).rejects.toMatchObject({ code: 'run-locked' })
    await writer.release()
  })

  test('a writer whose lock was taken over writes nothing more', async () => {
    const writer = await openStore({ lockStaleMs: 200 }).open(aResult())
    await writer.append(anItem({ itemId: 'a' }))
    await writeFile(pathsOf(writer.runId).lock, JSON.stringify({ pid: 1, host: 'x', startedAt: 'x', token: 'theirs' }))
    await setTimeout(200)
    await expect(writer.append(anItem({ itemId: 'b' }))).rejects.toMatchObject({ code: 'store-failed' })
    await expect(writer.finish(end)).rejects.toMatchObject({ code: 'store-failed' })
    await writer.release()
    expect(await readFile(pathsOf(writer.runId).lock, 'utf8')).toContain('theirs')
    expect((await readFile(pathsOf(writer.runId).items, 'utf8')).trimEnd().split('\n').length).toBe(1)
  })

  test('a store that is disposed lets its runs go', async () => {
    const run = aResult()
    {
      await using store = openStore()
      await store.open(run)
    }
    expect((await openStore().load(run.id))?.status).toBe('interrupted')
    await (await openStore().resume(run.id)).writer.release()
  })
})

describe('a disk that refuses', () => {
  test('a results directory that is a file', async () => {
    const path = join(results, 'file')
    await writeFile(path, '')
    const store = fileStore(path)
    const calls = [
      () => store.open(aResult()),
      () => store.save(aResult()),
      () => store.load(aResult().id),
      () => collected(store.list()),
      () => store.sessions.create({ session: 's', experimentName: 'experiment' }),
    ]
    const message = expect.stringContaining('Choose a directory')
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'store-failed', message })
  })

  test('a results directory that is not there is empty', async () => {
    const store = fileStore(join(results, 'nothing', 'here'))
    expect(await collected(store.list())).toEqual([])
    expect(await store.mostRecent('experiment')).toBeUndefined()
    expect(await store.sessions.list('experiment')).toEqual([])
    expect(await readdir(results)).toEqual([])
  })

  test.skipIf(process.getuid?.() === 0)('a results directory that cannot be written to (root can always)', async () => {
    await chmod(results, 0o500)
    await expect(openStore().open(aResult())).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('permission denied'),
    })
    await chmod(results, 0o700)
  })

  test.skipIf(process.platform !== 'linux')('a disk that is full (only Linux has one to try)', async () => {
    const log = appendLog(await open('/dev/full', 'r+'), {
      sync: true,
      position: 0,
      foreign: () => expect.unreachable(),
      mayWrite: async () => {},
      stored: () => expect.unreachable(),
      failed: (thrown, stored) => diskFailure('write', 'results/items.jsonl', thrown, `${stored} trials are stored.`),
    })
    const diskFull = 'Could not write results/items.jsonl: no space left. 0 trials are stored.'
    const reason = { message: `${diskFull} Free some space, then resume.`, details: { diskFull } }
    const failures = await Promise.allSettled([log.append('a').durable, log.append('b').durable])
    for (const failure of failures) expect(failure).toMatchObject({ status: 'rejected', reason })
    await expect(log.append('c').durable).rejects.toMatchObject({ code: 'store-failed' })
    await log.close()
  })
})

test('appends that wait at the same moment share one write', async () => {
  const path = join(results, 'log')
  const handle = await open(path, 'w')
  let writes = 0
  const stored: Buffer[] = []
  const log = appendLog(handle, {
    sync: true,
    position: 0,
    foreign: () => expect.unreachable(),
    async mayWrite() {
      writes += 1
    },
    stored: (bytes) => stored.push(Buffer.from(bytes)),
    failed: (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  })
  await Promise.all(Array.from({ length: 50 }, (_, index) => log.append(String(index)).durable))
  expect(writes).toBe(1)
  await log.append('last').durable
  expect(writes).toBe(2)
  await log.close()
  expect((await readFile(path, 'utf8')).split('\n').length).toBe(52)
  expect(Buffer.concat(stored)).toEqual(await readFile(path))
})

test('lines of every length and alphabet are appended whole', async () => {
  const path = join(results, 'log')
  const stored: Buffer[] = []
  const log = appendLog(await open(path, 'w'), {
    sync: false,
    position: 0,
    foreign: () => expect.unreachable(),
    mayWrite: async () => {},
    stored: (bytes) => stored.push(Buffer.from(bytes)),
    failed: (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  })
  const lines = [
    '',
    'a',
    'é'.repeat(30_000),
    '漢'.repeat(100_000),
    '🦉',
    'x'.repeat(5_000_000),
    'b'.repeat(70_000),
    'end',
  ]
  for (const line of lines.slice(0, 3)) await log.append(line).durable
  await Promise.all(lines.slice(3).map((line) => log.append(line).durable))
  await log.close()
  expect((await readFile(path, 'utf8')).split('\n')).toEqual([...lines, ''])
  expect(Buffer.concat(stored).equals(await readFile(path))).toBe(true)
})

test('wrong options are named', () => {
  expect(() => fileStore(results, { lockStaleMs: 0, syncs: true } as never)).toThrow(
    /lockStaleMs.*syncs|syncs.*lockStaleMs/,
  )
})
