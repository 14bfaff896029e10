import assert from 'node:assert/strict'
import test from 'node:test'
import { sortPeople } from '../src/sort-people.js'

test('families together, each in order', () => {
  const people = ['Bo Adler', 'Al Bode', 'Cy Adler', 'Al Adler'].map((name) => {
    const [given, family] = name.split(' ')
    return { given, family }
  })
  assert.deepEqual(sortPeople(people).map(({ given }) => given).join(), 'Al,Bo,Cy,Al')
})
test('the list stays as it is', () => {
  const people = Object.freeze([{ given: 'b', family: 'b' }, { given: 'a', family: 'a' }])
  assert.deepEqual(sortPeople(people).map(({ family }) => family), ['a', 'b'])
})
