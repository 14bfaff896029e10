import assert from 'node:assert/strict'
import test from 'node:test'
import { createEmitter } from '../src/create-emitter.ts'

test('all of them take themselves away', () => {
  const emitter = createEmitter<number>()
  let calls = 0
  const stops = [0, 1, 2].map((index) =>
    emitter.on(() => {
      calls++
      stops[index]?.()
    }),
  )
  emitter.emit(1)
  emitter.emit(2)
  assert.equal(calls, 3)
})
test('a listener added while the others are called waits for the next value', () => {
  const emitter = createEmitter<number>()
  const seen: number[] = []
  let added = false
  emitter.on(() => {
    if (!added) emitter.on((value) => seen.push(value))
    added = true
  })
  emitter.emit(1)
  assert.deepEqual(seen, [])
  emitter.emit(2)
  assert.deepEqual(seen, [2])
})
test('taking away twice takes away one', () => {
  const emitter = createEmitter<number>()
  let calls = 0
  const listener = (): void => {
    calls++
  }
  const stop = emitter.on(listener)
  emitter.on(() => calls++)
  stop()
  stop()
  emitter.emit(1)
  assert.equal(calls, 1)
})
