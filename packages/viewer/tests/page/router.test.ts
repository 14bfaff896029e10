import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkTo, routeOf, trialPath } from '../../page/router.js'

const segment = fc.string({ minLength: 1, unit: 'binary' })

test('a link leads to the route that it was made from', () => {
  fc.assert(
    fc.property(fc.array(segment), fc.dictionary(segment, segment, { maxKeys: 4 }), (path, parameters) => {
      const route = routeOf(linkTo(path, parameters))
      expect(route.path).toEqual(path)
      expect([...route.query].sort()).toEqual(Object.entries(parameters).sort())
    }),
  )
})

test('empty and undefined parameters are omitted', () => {
  expect(linkTo(['runs'], { q: '', sort: undefined, order: 'desc' })).toBe('#/runs?order=desc')
})

test('an address without a route is the list of runs', () => {
  for (const hash of ['', '#', '#/']) expect(routeOf(hash).path).toEqual([])
})

test('an address that cannot be decoded does not exist', () => {
  expect(routeOf('#/runs/%E0%A4%A')).toEqual({ path: ['not-found'], query: new URLSearchParams() })
})

test('the views of a trial are below its path', () => {
  const trial = { run: 'a/b', itemId: 'item 1', repetition: 2 }
  expect(linkTo(trialPath(trial))).toBe('#/runs/a%2Fb/items/item%201/2')
  expect(linkTo(trialPath(trial, 'journal'))).toBe('#/runs/a%2Fb/items/item%201/2/journal')
})
