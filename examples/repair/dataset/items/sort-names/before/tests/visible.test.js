import assert from 'node:assert/strict'
import test from 'node:test'
import { sortPeople } from '../src/sort-people.js'

const names = (people) => people.map(({ given, family }) => `${given} ${family}`)

test('by family name', () => {
  const people = [{ given: 'Ida', family: 'Zorn' }, { given: 'Udo', family: 'Ärmel' }, { given: 'Max', family: 'Bach' }]
  assert.deepEqual(names(sortPeople(people)), ['Udo Ärmel', 'Max Bach', 'Ida Zorn'])
})
test('then by given name', () => {
  const people = [{ given: 'Wolf', family: 'Bach' }, { given: 'Anna', family: 'Bach' }]
  assert.deepEqual(names(sortPeople(people)), ['Anna Bach', 'Wolf Bach'])
})
