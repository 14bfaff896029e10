import assert from 'node:assert/strict'
import test from 'node:test'
import { retry } from '../src/retry.ts'

test('a task that succeeds at once', async () => {
  assert.equal(await retry(async () => 'done'), 'done')
})
test('a task that succeeds the second time', async () => {
  const result = await retry(async (attempt) => {
    if (attempt < 2) throw new Error('not yet')
    return attempt
  })
  assert.equal(result, 2)
})
