import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileStore } from '@jurist/experiment/store'
import { aResult } from '@jurist/experiment/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, childProgram, startChild } from '../child-program.js'
import { collected } from '../collected.js'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jurist-crash-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** Waits for some lines of a child, however long a loaded machine takes for them. */
async function said(child: Child, lines: number): Promise<void> {
  let isOver = false
  void child.ended.then(() => {
    isOver = true
  })
  while (child.lines.length < lines) {
    if (isOver) throw new Error(`a child ended after ${child.lines.length} lines: ${await child.ended}`)
    await setTimeout(2)
  }
}

test('a process killed at any moment loses nothing that was acknowledged, and repeats nothing', async () => {
  const program = await childProgram('append', directory)
  const results = join(directory, 'killed')
  const warnings: string[] = []
  const store = fileStore(results, { onWarning: (message) => warnings.push(message) })
  const run = aResult({ planned: 1 })
  await (await store.open(run)).release()
  const acknowledged = new Set<string>()
  for (let life = 0; life < 8; life += 1) {
    const child = startChild(program, [results, run.id])
    await said(child, 20 + Math.random() * 200)
    await setTimeout(Math.random() * 10)
    child.process.kill('SIGKILL')
    expect(await child.ended).toBe('SIGKILL')
    for (const id of child.lines) acknowledged.add(id)
    const stored = await store.load(run.id)
    expect(stored?.status).toBe('interrupted')
    const ids = new Set(stored?.items.map(({ itemId }) => itemId))
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([])
  }
  const { writer } = await store.resume(run.id)
  const result = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
  // Read as text, where nothing hides a second line of the same trial.
  const lines = (await readFile(join(results, 'experiment', run.id, 'items.jsonl'), 'utf8')).trimEnd().split('\n')
  const written = lines.map((line) => JSON.parse(line).itemId as string)
  expect(new Set(written).size).toBe(written.length)
  expect(result.trials.length).toBe(written.length)
  expect(acknowledged.size).toBeGreaterThan(100)
})

test('of several that take a dead writer over, one wins', async () => {
  const [append, resume] = [await childProgram('append', directory), await childProgram('resume', directory)]
  const results = join(directory, 'taken')
  const store = fileStore(results, { onWarning: () => {} })
  const run = aResult()
  await (await store.open(run)).release()
  for (let round = 0; round < 3; round += 1) {
    const dead = startChild(append, [results, run.id])
    await said(dead, 1)
    dead.process.kill('SIGKILL')
    await dead.ended
    const at = String(Date.now() + 700)
    const takers = Array.from({ length: 5 }, () => startChild(resume, [results, run.id, at]))
    await Promise.all(takers.map((taker) => said(taker, 1)))
    const outcomes = takers.flatMap(({ lines }) => lines).sort()
    expect(outcomes).toEqual(['run-locked', 'run-locked', 'run-locked', 'run-locked', 'won'])
    await expect(store.resume(run.id)).rejects.toMatchObject({ code: 'run-locked' })
    for (const taker of takers) taker.process.kill('SIGKILL')
    await Promise.all(takers.map(({ ended }) => ended))
  }
})

test('several processes write different runs at the same time', async () => {
  const program = await childProgram('write-runs', directory)
  const results = join(directory, 'many')
  const children = Array.from({ length: 5 }, () => startChild(program, [results, '4']))
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0])
  const index = (await readFile(join(results, 'experiment', 'index.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(new Set(index.map((line) => JSON.parse(line).id)).size).toBe(40)
  const store = fileStore(results)
  const entries = await collected(store.list())
  expect(entries.map(({ status, passRate }) => `${status} ${passRate}`)).toEqual(Array(40).fill('completed 1'))
  const written = children.flatMap(({ lines }) => lines)
  for (const id of written) expect((await store.load(id))?.items.length).toBe(20)
})
