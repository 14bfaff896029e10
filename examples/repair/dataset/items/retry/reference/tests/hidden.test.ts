import assert from 'node:assert/strict'
import test from 'node:test'
import { retry } from '../src/retry.ts'

test('gives up after the last attempt, with the last error', async () => {
  let calls = 0
  const failing = async (attempt: number): Promise<never> => {
    calls++
    throw new Error(`attempt ${attempt}`)
  }
  await assert.rejects(retry(failing, 4), /attempt 4/)
  assert.equal(calls, 4)
})
test('does not call again after a success', async () => {
  let calls = 0
  await retry(async () => calls++)
  assert.equal(calls, 1)
})
