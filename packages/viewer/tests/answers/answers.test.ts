import { fail, pass, verdictFromJson } from '@jurist/core'
import { memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { groupedChecks } from '../../src/answers/check-groups.js'
import { type Viewer, viewer } from '../../src/viewer.js'

const verdictOf = (passed: boolean, reasoning: string) => {
  const aggregated = passed ? pass(reasoning) : fail(reasoning)
  const individual = { tests: aggregated }
  return verdictFromJson({ aggregated, individual, weights: { tests: 1 }, subVerdicts: {}, usage: {}, elapsedMs: 1 })
}
const trial = (index: number) => {
  const passed = index % 3 === 0
  return anItem({
    itemId: `item-${String(index).padStart(5, '0')}`,
    bucket: index % 2 === 0 ? 'even' : 'odd',
    passed,
    judged: passed ? 'pass' : 'fail',
    verdict: verdictOf(passed, `reason ${index}`),
    scores: index % 5 === 0 ? {} : { tests: index / 1_000 },
    costUsd: index === 7 ? null : index,
    detail: {
      kind: 'agent',
      invocation: { status: 'completed', output: { type: 'text', text: index === 42 ? 'The Answer' : 'no' } },
    },
  })
}
const run = aResult({ items: Array.from({ length: 1_000 }, (_, index) => trial(index)) })
let page: Viewer

beforeAll(async () => {
  const store = memoryStore()
  await store.save(run)
  page = viewer(store)
})

async function ask(path: string) {
  const response = await page(new Request(`http://localhost/api/${path}`))
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const ids = async (query: string) =>
  (await ask(`runs/${run.id}/items?${query}`)).body.rows.map(({ itemId }: { itemId: string }) =>
    Number(itemId.slice(5)),
  )

describe('items', () => {
  test('come in parts, in the order of the run', async () => {
    const { body } = await ask(`runs/${run.id}/items?offset=998&limit=5`)
    expect(body).toMatchObject({ total: 1_000, offset: 998 })
    expect(body.facets.outcome).toEqual([
      { value: 'fail', count: 666 },
      { value: 'pass', count: 334 },
    ])
    expect(body.rows).toHaveLength(2)
    expect(await ids('limit=3')).toEqual([0, 1, 2])
    expect(await ids('limit=1000000')).toHaveLength(500)
    expect(await ids('limit=-1&offset=x')).toHaveLength(100)
  })

  test('are searched in reasons and output, and filtered', async () => {
    expect(await ids('q=the+ANSWER')).toEqual([42])
    expect(await ids('q=reason+77')).toEqual([77, 770, 771, 772, 773, 774, 775, 776, 777, 778, 779])
    expect(await ids('outcome=pass&limit=3')).toEqual([0, 3, 6])
    expect(await ids('bucket=odd&limit=2')).toEqual([1, 3])
    expect(await ids('outcome=nonsense')).toEqual([])
  })

  test('are sorted; what is not known comes last both ways', async () => {
    expect(await ids('sort=cost&limit=2')).toEqual([0, 1])
    expect(await ids('sort=cost&order=desc&limit=2')).toEqual([999, 998])
    expect(await ids('sort=cost&offset=999')).toEqual([7])
    expect(await ids('sort=cost&order=desc&offset=999')).toEqual([7])
    expect(await ids('sort=score:tests&order=desc&limit=1')).toEqual([999])
    expect((await ids('sort=score:tests&offset=800')).every((id: number) => id % 5 === 0)).toBe(true)
    expect(await ids('sort=score:__proto__&limit=1')).toEqual([0])
    expect(await ids('sort=constructor&limit=1')).toEqual([0])
  })

  test('tell why in a line', async () => {
    const { body } = await ask(`runs/${run.id}/items?limit=2`)
    expect(body.rows.map(({ reason }: { reason: string }) => reason)).toEqual(['reason 0', 'tests: reason 1'])
  })
})

describe('one item', () => {
  test('knows its neighbours', async () => {
    const { body } = await ask(`runs/${run.id}/items/item-00042/1`)
    expect(body).toMatchObject({
      outcome: 'pass',
      index: 42,
      total: 1_000,
      previous: { itemId: 'item-00041' },
      next: { itemId: 'item-00043' },
    })
    expect((await ask(`runs/${run.id}/items/item-00000/1`)).body.previous).toBeNull()
  })

  test.each(['item-99999/1', 'item-00042/2', 'item-00042/one', '__proto__/1', 'item-00042/1/elsewhere'])(
    'there is no %s',
    async (path) => {
      expect((await ask(`runs/${run.id}/items/${path}`)).status).toBe(404)
    },
  )
})

test('a run is described without its items, with its score keys', async () => {
  const { body } = await ask(`runs/${run.id}`)
  expect(body.run.items).toBeUndefined()
  expect(body.scoreKeys).toEqual(['tests'])
  expect(body.run.counts).toEqual(run.counts)
})

test('runs that were not measured alike are not compared, unless asked for', async () => {
  const store = memoryStore()
  const other = aResult({ conditions: { itemTimeoutMs: 1 } })
  await store.save(run)
  await store.save(other)
  page = viewer(store)
  const { body } = await ask(`compare/${run.id}/${other.id}`)
  expect(body).toMatchObject({ state: 'refused', differences: [{ condition: 'itemTimeoutMs' }] })
  expect((await ask(`compare/${run.id}/${other.id}?ignore=conditions`)).body.state).toBe('compared')
  expect((await ask(`compare/${run.id}/20200101T000000000Z-000000`)).status).toBe(404)
})

test('a comparison lists every item of the change that is asked for, however many others there are', async () => {
  const items = (passes: (index: number) => boolean) =>
    Array.from({ length: 4_500 }, (_, index) => {
      const passed = passes(index)
      const judged = passed ? ('pass' as const) : ('fail' as const)
      return anItem({ itemId: `item-${index}`, passed, judged, verdict: verdictOf(passed, 'x') })
    })
  const store = memoryStore()
  const baseline = aResult({ items: items((index) => index < 2_500) })
  const candidate = aResult({ items: items((index) => index >= 2_500 && index < 4_000) })
  await store.save(baseline)
  await store.save(candidate)
  const compared = viewer(store)
  const asked = async (query: string) =>
    JSON.parse(
      await (
        await compared(
          new Request(`http://x/api/compare/${baseline.id}/${candidate.id}${query}`, {
            headers: { host: 'localhost' },
          }),
        )
      ).text(),
    )
  expect(await asked('?change=improved')).toMatchObject({ totalItems: 1_500 })
  expect((await asked('?change=improved')).items).toHaveLength(1_500)
  expect(await asked('?change=unchanged')).toMatchObject({ totalItems: 500 })
  const all = await asked('')
  expect(all.items).toHaveLength(2_000)
})

test('the variants of a session are read once, however many there are', async () => {
  const store = memoryStore()
  const session = 'nightly'
  const runs = Array.from({ length: 6 }, (_, index) =>
    aResult({ items: [trial(index)], variant: `v${index}`, session, startedAt: `2026-11-01T00:00:0${index}.000Z` }),
  )
  for (const one of runs) await store.save(one)
  const reads: string[] = []
  const counting: typeof store = {
    ...store,
    overview(id) {
      reads.push(id)
      return store.overview(id)
    },
  }
  const many = viewer(counting)
  const visit = async () => {
    const response = await many(new Request(`http://localhost/api/sessions/experiment/${session}`))
    const { variants, pairs, front } = JSON.parse(await response.text())
    expect([variants.length, pairs.length, front]).toEqual([6, 15, [0]])
    return reads.length
  }
  const first = await visit()
  expect(new Set(reads).size).toBe(6)
  expect(await visit()).toBe(first)
})

test('reasons that are alike are one group, with its count and its first trial', async () => {
  const { body } = await ask(`runs/${run.id}/reasons`)
  expect(body).toEqual({
    groups: [
      { outcome: 'fail', reason: 'tests: reason 1', count: 666, first: { itemId: 'item-00001', repetition: 1 } },
    ],
    total: 1,
  })
})

test('failed checks with the same reason are grouped; those without a reason are not', () => {
  const check = (name: string, message: string, passed = false) => ({ name, message, passed })
  const { failed, passed } = groupedChecks([
    check('a', 'too long'),
    check('b', ''),
    check('c', 'fine', true),
    check('d', ' too long\n'),
    check('e', ''),
  ])
  expect(failed.map(({ message, checks }) => [message, checks.map(({ name }) => name)])).toEqual([
    ['too long', ['a', 'd']],
    ['', ['b']],
    ['', ['e']],
  ])
  expect(passed.map(({ name }) => name)).toEqual(['c'])
})
