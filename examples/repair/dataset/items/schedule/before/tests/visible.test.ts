import assert from 'node:assert/strict'
import test from 'node:test'
import { createQueue } from '../src/create-queue.ts'

test('one after the other', async () => {
  const queue = createQueue()
  const log: string[] = []
  const job = (name: string) => async () => {
    log.push(`${name} starts`)
    for (let turn = 0; turn < 10; turn++) await undefined
    log.push(`${name} ends`)
  }
  await Promise.all([queue.add(job('a')), queue.add(job('b'))])
  assert.deepEqual(log, ['a starts', 'a ends', 'b starts', 'b ends'])
})
test('a job after one that failed', async () => {
  const queue = createQueue()
  const failed = assert.rejects(queue.add(() => Promise.reject(new Error('broken'))), /broken/)
  const after = queue.add(async () => 'fine')
  await failed
  assert.equal(await after, 'fine')
})
