import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownProcess } from '@jurist/kit/process-identity'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileStore } from '../../src/store/index.js'
import { aResult } from '../../src/testing/index.js'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-removed-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const own = ownProcess()
const ended = { ...own, pid: spawnSync(process.execPath, ['--version']).pid }

/** What a killed removal leaves of a run. */
function leave(id: string, holder: object | undefined, rest = true): string {
  const name = `${id}.0123456789ab.tmp`
  const place = join(directory, 'shop', name)
  mkdirSync(join(place, rest ? 'workspaces' : ''), { recursive: true })
  const lock = { startedAt: '2026-11-01T00:00:00.000Z', token: 'abc' }
  if (holder !== undefined) writeFileSync(join(place, 'lock'), JSON.stringify({ ...lock, ...holder }))
  return name
}

test.each(['a removal', 'a new run'])(
  '%s finishes the removals of processes that have ended, and no others',
  async (what) => {
    const store = fileStore(directory, { sync: false })
    const run = aResult({ experimentName: 'shop' })
    await store.save(run)
    leave('20261101T020000000Z-4kq7r0', ended)
    leave('20261101T020000000Z-4kq7r1', undefined, false)
    const kept = [
      leave('20261101T020000000Z-4kq7r2', own),
      leave('20261101T020000000Z-4kq7r3', { ...ended, host: 'elsewhere', machine: 'elsewhere' }),
      leave('20261101T020000000Z-4kq7r4', undefined),
      leave('notes', ended),
    ]
    if (what === 'a removal') expect(await store.remove?.(run.id)).toBe(true)
    else await (await store.open({ ...run, id: '20261102T020000000Z-4kq7r5' })).release()
    const left = readdirSync(join(directory, 'shop')).filter((name) => name.endsWith('.tmp'))
    expect(left.sort()).toEqual(kept.sort())
  },
)
