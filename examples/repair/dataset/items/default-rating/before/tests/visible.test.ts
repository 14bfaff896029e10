import assert from 'node:assert/strict'
import test from 'node:test'
import { averageRating } from '../src/average-rating.ts'

test('the mean', () => {
  assert.equal(averageRating([{ author: 'a', rating: 5 }, { author: 'b', rating: 4 }]), 4.5)
})
test('no rating counts as 3', () => {
  assert.equal(averageRating([{ author: 'a' }, { author: 'b', rating: 5 }]), 4)
})
test('0 is a rating', () => {
  assert.equal(averageRating([{ author: 'a', rating: 0 }, { author: 'b', rating: 4 }]), 2)
})
