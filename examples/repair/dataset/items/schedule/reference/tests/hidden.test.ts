import assert from 'node:assert/strict'
import test from 'node:test'
import { createQueue } from '../src/create-queue.ts'

test('each caller gets its own error', async () => {
  const queue = createQueue()
  const results = await Promise.allSettled(
    [1, 2, 3].map((n) => queue.add(() => (n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n)))),
  )
  assert.deepEqual(results.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
})
test('a failing job still keeps the next one waiting', async () => {
  const queue = createQueue()
  let running = 0
  let most = 0
  const job = async (): Promise<never> => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 1))
    running--
    throw new Error('always')
  }
  await Promise.allSettled([queue.add(job), queue.add(job), queue.add(job)])
  assert.equal(most, 1)
})
