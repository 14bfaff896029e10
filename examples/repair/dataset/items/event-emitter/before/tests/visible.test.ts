import assert from 'node:assert/strict'
import test from 'node:test'
import { createEmitter } from '../src/create-emitter.ts'

test('calls everybody in order', () => {
  const emitter = createEmitter<number>()
  const seen: string[] = []
  emitter.on((value) => seen.push(`a${value}`))
  emitter.on((value) => seen.push(`b${value}`))
  emitter.emit(1)
  assert.deepEqual(seen, ['a1', 'b1'])
})
test('a listener that takes itself away', () => {
  const emitter = createEmitter<string>()
  const seen: string[] = []
  const stop = emitter.on((value) => {
    seen.push(`once ${value}`)
    stop()
  })
  emitter.on((value) => seen.push(`always ${value}`))
  emitter.emit('x')
  emitter.emit('y')
  assert.deepEqual(seen, ['once x', 'always x', 'always y'])
})
