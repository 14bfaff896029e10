import { resolveBaseline } from '@jurist/experiment/compare'
import type { RunRecord } from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`
const id = (day: number, letters = 'aaaaaa') => `2026010${day}T000000000Z-${letters}`

async function storeWith(...runs: readonly Partial<RunRecord>[]) {
  const store = memoryStore()
  for (const run of runs) await store.save(aResult(run))
  return store
}

const current = aResult({ id: id(9), startedAt: at(9), variant: 'b' })

test('what is named counts, and nothing takes its place', async () => {
  const store = await storeWith({ id: id(1), startedAt: at(1) }, { id: id(2), startedAt: at(2), variant: 'b' })
  expect((await resolveBaseline(store, current, id(1)))?.id).toBe(id(1))
  expect(await resolveBaseline(store, current, id(3))).toBeUndefined()
  expect((await resolveBaseline(store, { ...current, baseline: id(1) }))?.id).toBe(id(1))
  expect(await resolveBaseline(store, { ...current, baseline: id(3) })).toBeUndefined()
})

test('else the newest completed run before it of the same variant, outside of its session', async () => {
  const runs: readonly Partial<RunRecord>[] = [
    { id: id(1), startedAt: at(1), variant: 'b' },
    { id: id(2), startedAt: at(2), variant: 'a' },
    { id: id(3), startedAt: at(3), variant: 'b', status: 'interrupted' },
    { id: id(4), startedAt: at(4), variant: 'b', kind: 'rejudge' },
    { id: id(5), startedAt: at(5), variant: 'b', kind: 'judge' },
    { id: id(6), startedAt: at(6), variant: 'b', experimentName: 'other' },
    { id: id(7), startedAt: at(7), variant: 'b', session: 'now' },
    { id: id(9), startedAt: at(9), variant: 'b' },
    { id: id(9, 'bbbbbb'), startedAt: '2026-01-09T01:00:00.000Z', variant: 'b' },
  ]
  const store = await storeWith(...runs)
  expect((await resolveBaseline(store, current))?.id).toBe(id(7))
  expect((await resolveBaseline(store, { ...current, session: 'now' }))?.id).toBe(id(1))
  expect((await resolveBaseline(store, { ...current, variant: 'a' }))?.id).toBe(id(2))
  expect(await resolveBaseline(store, { ...current, variant: 'c' })).toBeUndefined()
  expect(await resolveBaseline(store, { ...current, variant: null })).toBeUndefined()
  expect(await resolveBaseline(store, { ...current, experimentName: 'none' })).toBeUndefined()
})

test('`latest` is what would be chosen if nothing were named', async () => {
  const store = await storeWith({ id: id(1), startedAt: at(1) }, { id: id(2), startedAt: at(2), variant: 'b' })
  expect((await resolveBaseline(store, { ...current, baseline: 'latest' }))?.id).toBe(id(2))
  expect((await resolveBaseline(store, { ...current, baseline: id(1) }, 'latest'))?.id).toBe(id(2))
})

test('a run that was left out is not chosen', async () => {
  const store = await storeWith(...[1, 2].map((day) => ({ id: id(day), startedAt: at(day), variant: 'b' })))
  await store.exclude?.(id(2), 'broken')
  expect((await resolveBaseline(store, current))?.id).toBe(id(1))
})

test('a variant is that of the same session', async () => {
  const store = await storeWith(
    { id: id(1), startedAt: at(1), variant: 'a', session: 'before' },
    { id: id(2), startedAt: at(2), variant: 'a', session: 'now' },
    { id: id(3), startedAt: at(3), variant: 'a', session: 'now', experimentName: 'other' },
    { id: id(9), startedAt: at(9), variant: 'b', session: 'now' },
  )
  const named = { ...current, session: 'now', baseline: 'variant:a' }
  expect((await resolveBaseline(store, named))?.id).toBe(id(2))
  expect(await resolveBaseline(store, { ...named, baseline: 'variant:c' })).toBeUndefined()
  expect(await resolveBaseline(store, { ...named, session: 'later' })).toBeUndefined()
  expect(await resolveBaseline(store, { ...named, session: null })).toBeUndefined()
})
