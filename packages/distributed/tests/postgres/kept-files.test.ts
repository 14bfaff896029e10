import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jury, pass } from '@jurist/core'
import { directoryArtifacts, type PostgresStoreOptions, postgresStore } from '@jurist/distributed/postgres'
import { rejudge } from '@jurist/experiment/rejudge'
import { anItem, aResult } from '@jurist/experiment/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'

const made: string[] = []
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true })
})

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-kept-'))
  made.push(directory)
  return directory
}

const end = { status: 'completed', stopReason: null, durationMs: 1 } as const

/** Stores a run with one trial, whose workspace `fill` fills. */
async function stored(address: string, options: PostgresStoreOptions, fill: (workspace: string) => Promise<void>) {
  const store = postgresStore(address, options)
  const { items, ...manifest } = aResult()
  const writer = await store.open(manifest)
  const directory = writer.directory ?? ''
  await mkdir(join(directory, 'workspaces/a-1'), { recursive: true })
  await mkdir(join(directory, 'journal'))
  await fill(join(directory, 'workspaces/a-1'))
  await writeFile(join(directory, 'journal/a-1.jsonl'), '{"type":"header","schemaVersion":1}\n')
  await writer.append(anItem({ itemId: 'a', workspacePath: 'workspaces/a-1', journalPath: 'journal/a-1.jsonl' }))
  const isLeft = existsSync(join(directory, 'workspaces/a-1'))
  const { id, experimentName } = await writer.finish(end)
  return { store, id, directory, isLeft, place: join(experimentName, id) }
}

const kinds: readonly [string, () => Promise<PostgresStoreOptions>][] = [
  ['the database', async () => ({})],
  ['a directory', async () => ({ artifacts: directoryArtifacts(await newDirectory()) })],
]

describe.skipIf(noPostgres !== undefined).each(kinds)('files kept in %s (needs PostgreSQL)', (_, optionsOf) => {
  test('come back as they were, links that lead out aside, and leave with their run', async () => {
    const large = Buffer.alloc(3_000_000, 'jurist ')
    crypto.getRandomValues(large.subarray(0, 60_000))
    const { store, id, directory, isLeft, place } = await stored(
      await newDatabase(),
      await optionsOf(),
      async (workspace) => {
        await mkdir(join(workspace, 'src/deep'), { recursive: true })
        await writeFile(join(workspace, 'src/deep/ä \u0001.txt'), 'text')
        await writeFile(join(workspace, 'large'), large)
        await writeFile(join(workspace, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
        await symlink('src/deep', join(workspace, 'inside'))
        await symlink('/etc/passwd', join(workspace, 'absolute'))
        await symlink('../../../..', join(workspace, 'outside'))
      },
    )
    await using _store = store
    expect([isLeft, existsSync(directory)]).toEqual([false, false])
    const to = await newDirectory()
    await store.fetchFiles?.(id, to)
    const workspace = join(to, place, 'workspaces/a-1')
    expect(readdirSync(workspace).sort()).toEqual(['inside', 'large', 'run.sh', 'src'])
    expect(readFileSync(join(workspace, 'src/deep/ä \u0001.txt'), 'utf8')).toBe('text')
    expect(readFileSync(join(workspace, 'large')).equals(large)).toBe(true)
    expect(await readlink(join(workspace, 'inside'))).toBe('src/deep')
    expect((await lstat(join(workspace, 'run.sh'))).mode & 0o111).toBe(0o111)
    expect(readFileSync(join(to, place, 'journal/a-1.jsonl'), 'utf8')).toContain('header')
    await store.remove(id)
    const after = await newDirectory()
    await store.fetchFiles?.(id, after)
    expect(readdirSync(after)).toEqual([])
  })

  test('are seen by judges again', async () => {
    const { store, id } = await stored(await newDatabase(), await optionsOf(), (workspace) =>
      writeFile(join(workspace, 'note.txt'), 'kept'),
    )
    await using _store = store
    const note = jury({ judges: { note: async ({ workspace }) => pass(await workspace?.read('note.txt')) } })
    const { result } = rejudge(id, note, { store })
    expect((await result).counts).toMatchObject({ run: 1, passes: 1 })
    const again = rejudge((await result).id, note, { store })
    expect((await again.result).counts).toMatchObject({ run: 1, passes: 1 })
  })
})

describe.skipIf(noPostgres !== undefined)('a file that cannot be kept (needs PostgreSQL)', () => {
  test('because it is too large is named by its trial', async () => {
    const { store, id } = await stored(await newDatabase(), { maxArtifactBytes: 2_000 }, (workspace) =>
      writeFile(join(workspace, 'noise'), crypto.getRandomValues(Buffer.alloc(20_000))),
    )
    await using _store = store
    const item = (await store.load(id))?.items[0]
    expect(item).toMatchObject({ workspacePath: null, journalPath: 'journal/a-1.jsonl' })
    expect(item?.metadata).toEqual({
      workspaceKept: false,
      artifactsDropped: ['workspaces/a-1 has more than 2000 bytes when it is packed'],
    })
  })

  test('because it is damaged is refused', async () => {
    const directory = await newDirectory()
    const { store, id } = await stored(await newDatabase(), { artifacts: directoryArtifacts(directory) }, (workspace) =>
      writeFile(join(workspace, 'note.txt'), 'kept'),
    )
    await using _store = store
    for (const name of readdirSync(join(directory, id))) await writeFile(join(directory, id, name), 'other')
    const to = await newDirectory()
    await expect(store.fetchFiles?.(id, to)).rejects.toMatchObject({ code: 'store-failed' })
  })
})

test.skipIf(noPostgres !== undefined)(
  'a trial that runs again replaces what was kept of it (needs PostgreSQL)',
  async () => {
    const directory = await newDirectory()
    await using store = postgresStore(await newDatabase(), { artifacts: directoryArtifacts(directory) })
    const { items, ...manifest } = aResult()
    const writer = await store.open(manifest)
    for (const [text, passed] of [
      ['first', null],
      ['second', true],
    ] as const) {
      await mkdir(join(writer.directory ?? '', 'workspaces/a-1'), { recursive: true })
      await writeFile(join(writer.directory ?? '', 'workspaces/a-1/note.txt'), text)
      await writer.append(anItem({ itemId: 'a', passed, workspacePath: 'workspaces/a-1' }))
    }
    await writer.finish(end)
    const to = await newDirectory()
    await store.fetchFiles?.(manifest.id, to, [{ itemId: 'a', repetition: 1 }])
    const note = join(to, manifest.experimentName, manifest.id, 'workspaces/a-1/note.txt')
    expect(readFileSync(note, 'utf8')).toBe('second')
    expect(readdirSync(join(directory, manifest.id))).toHaveLength(1)
  },
)
