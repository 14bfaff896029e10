import assert from 'node:assert/strict'
import test from 'node:test'
import { averageRating } from '../src/average-rating.ts'

test('only zeros', () => {
  assert.equal(averageRating([{ author: 'a', rating: 0 }]), 0)
})
test('all kinds together', () => {
  const reviews = [{ author: 'a', rating: 0 }, { author: 'b' }, { author: 'c', rating: 1 }, { author: 'd', rating: 4 }]
  assert.equal(averageRating(reviews), 2)
})
test('no reviews', () => {
  assert.equal(averageRating([]), undefined)
})
