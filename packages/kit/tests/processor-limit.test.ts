import { isOverLimit, processorMs, withProcessorLimit } from '@jurist/kit/processor-limit'
import { expect, test } from 'vitest'

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (thrown) {
    return thrown
  }
}

test('work that ends in time returns what it returns, and throws what it throws', () => {
  expect(withProcessorLimit(1_000, () => 'done')).toBe('done')
  const failure = new TypeError('broken')
  const thrown = thrownBy(() =>
    withProcessorLimit(1_000, () => {
      throw failure
    }),
  )
  expect(thrown).toBe(failure)
  expect(isOverLimit(thrown)).toBe(false)
})

test('work without an end is stopped, wherever it is', () => {
  const began = processorMs()
  const thrown = thrownBy(() =>
    withProcessorLimit(50, () => {
      for (;;)
        try {
          for (;;) began.toString()
        } catch {
          // Work cannot catch that it is stopped.
        }
    }),
  )
  expect(isOverLimit(thrown)).toBe(true)
  expect(processorMs() - began).toBeGreaterThan(40)
})

test('work that a busy machine keeps waiting has its time all the same', () => {
  const idle = new Int32Array(new SharedArrayBuffer(4))
  let calls = 0
  const kept = withProcessorLimit(300, () => {
    calls += 1
    // No processor time, and more than the limit.
    if (calls === 1) Atomics.wait(idle, 0, 0, 600)
    return calls
  })
  expect(kept).toBe(2)
})
