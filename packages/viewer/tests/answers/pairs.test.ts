import { textOutput } from '@jurist/core'
import { memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PairDocument } from '../../src/answers/comparison.js'
import type { OutputsDocument } from '../../src/answers/outputs.js'
import { type Viewer, viewer } from '../../src/viewer.js'

/** `✓✗` is an item that passed in its first attempt and failed in its second. */
const items = (attempts: Readonly<Record<string, string>>, says: string) =>
  Object.entries(attempts).flatMap(([itemId, marks]) =>
    [...marks].map((mark, index) =>
      anItem({
        itemId,
        itemHash: itemId,
        repetition: index + 1,
        passed: mark === '✓',
        judged: mark === '✓' ? 'pass' : 'fail',
        scores: {},
        expectedOutput: textOutput('right'),
        detail: { kind: 'agent', invocation: { status: 'completed', output: textOutput(`${says} ${index + 1}`) } },
      }),
    ),
  )
const before = aResult({
  id: '20260101T000000000Z-000001',
  variant: 'before',
  items: items({ a: '✓✓', b: '✗✓', c: '✗✗', d: '✓✓', gone: '✓' }, 'old'),
})
const after = aResult({
  id: '20260102T000000000Z-000002',
  variant: 'after',
  items: items({ a: '✓✗', b: '✓✓', c: '✗✗', d: '✓✓', extra: '✗' }, `${'new '.repeat(400)}`),
})
let page: Viewer

beforeAll(async () => {
  const store = memoryStore()
  await store.save(before)
  await store.save(after)
  page = viewer(store)
})

async function ask<Document>(path: string): Promise<Document | undefined> {
  const response = await page(new Request(`http://localhost/api/${path}`))
  return response.status === 404 ? undefined : ((await response.json()) as Document)
}
const pair = (item: string, query = '', [left, right]: readonly string[] = [before.id, after.id]) =>
  ask<PairDocument>(`compare/${left}/${right}/items/${item}?${query}`)
const attemptsOf = (document: PairDocument | undefined) => [
  document?.left.item?.repetition,
  document?.right.item?.repetition,
]

describe('two trials of an item', () => {
  test('are those that show what changed, unless attempts are named', async () => {
    expect(attemptsOf(await pair('a'))).toEqual([1, 2])
    expect(attemptsOf(await pair('b'))).toEqual([1, 1])
    expect(attemptsOf(await pair('c'))).toEqual([1, 1])
    expect(attemptsOf(await pair('a', 'left=2&right=1'))).toEqual([2, 1])
    expect(attemptsOf(await pair('a', 'left=2'))).toEqual([2, 2])
    expect(attemptsOf(await pair('a', 'left=99&right=x'))).toEqual([1, 2])
  })

  test('of one run are two attempts, those with other outcomes first', async () => {
    const one = [after.id, after.id]
    expect(attemptsOf(await pair('a', '', one))).toEqual([1, 2])
    expect(attemptsOf(await pair('d', '', one))).toEqual([1, 2])
    expect(await pair('d', '', one)).toMatchObject({ total: 5, change: 'unchanged' })
  })

  test('of an item that one run lacks have one side', async () => {
    expect(attemptsOf(await pair('gone'))).toEqual([1, undefined])
    expect(await pair('extra')).toMatchObject({ change: 'new', left: { item: null, attempts: [] } })
    expect(await pair('unknown')).toBeUndefined()
    expect(await pair('a', '', [before.id, 'unknown'])).toBeUndefined()
  })

  test('have the neighbours of the list that they were opened from', async () => {
    const around = async (item: string, query: string) => {
      const { index, total, previous, next } = (await pair(item, query)) as PairDocument
      return [index, total, previous, next]
    }
    expect(await around('a', '')).toEqual([0, 4, null, 'b'])
    expect(await around('b', '')).toEqual([1, 4, 'a', 'extra'])
    expect(await around('c', 'change=unchanged')).toEqual([0, 2, null, 'd'])
    expect(await around('d', 'change=unchanged&q=D')).toEqual([0, 1, null, null])
    expect(await around('a', 'change=unchanged')).toEqual([null, 2, null, 'c'])
    expect(await around('c', 'change=all')).toEqual([4, 6, 'gone', 'd'])
  })

  test('an item of a comparison has all attempts of both runs', async () => {
    const { items } = (await ask<{ items: readonly unknown[] }>(
      `compare/${before.id}/${after.id}?q=a&change=regressed`,
    )) ?? {
      items: [],
    }
    const [pass, fail] = [{ outcome: 'pass' }, { outcome: 'fail' }]
    expect(items).toMatchObject([{ itemId: 'a', baseline: [pass, pass], candidate: [pass, fail] }])
  })
})

describe('a matrix of outputs', () => {
  const outputs = (query: string, ids = [before.id, after.id]) =>
    ask<OutputsDocument>(`outputs/${ids.join('/')}?${query}`)

  test('has the beginning of the first output of every run, and the expected one', async () => {
    const { rows, total, runs } = (await outputs('')) as OutputsDocument
    expect([total, runs.map(({ variant }) => variant)]).toEqual([6, ['before', 'after']])
    expect(rows.map(({ itemId }) => itemId)).toEqual(['a', 'b', 'c', 'd', 'gone', 'extra'])
    expect(rows[0]).toMatchObject({ expected: 'right', cells: [{ output: 'old 1', repetition: 1 }, { repetition: 1 }] })
    expect(rows[0]?.cells[1]?.output).toHaveLength(601)
    expect(rows[4]?.cells[1]).toBe(null)
  })

  test('comes in pages, and is searched and filtered', async () => {
    const ids = async (query: string) => (await outputs(query))?.rows.map(({ itemId }) => itemId)
    expect(await ids('offset=1&limit=2')).toEqual(['b', 'c'])
    expect(await ids('offset=-5&limit=x')).toHaveLength(6)
    expect(await ids('q=EX')).toEqual(['extra'])
    expect(await ids('show=differ')).toEqual(['a', 'b', 'gone', 'extra'])
    expect(await outputs('', ['unknown'])).toBeUndefined()
  })
})
