import { error, fail, type JudgmentStatus, pass, verdictFromJson } from '@jurist/core'
import { type ExperimentResult, outcomeOf } from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ItemsDocument, itemsDocument } from '../../src/answers/items.js'
import { runsInMemory } from '../../src/answers/run-reader.js'
import { viewer } from '../../src/viewer.js'

const judgments = { pass: pass('fine'), fail: fail('not fine'), error: error('broken', new Error('HTTP 529')) } as const
type Said = keyof typeof judgments

/** A trial in which these judges said this, and the jury what it says here. */
function trial(item: number, repetition: number, { jury, judges, bucket, tags, costUsd }: Trial) {
  const individual = Object.fromEntries(Object.entries(judges).map(([name, said]) => [name, judgments[said]]))
  const weights = Object.fromEntries(Object.keys(judges).map((name) => [name, 1]))
  const verdict = verdictFromJson({
    aggregated: judgments[jury],
    ...{ individual, weights, subVerdicts: {}, usage: {}, elapsedMs: 1 },
  })
  const scores = Object.fromEntries(Object.entries(judges).map(([name, said]) => [name, said === 'pass' ? 1 : 0]))
  return anItem({
    ...{ itemId: `item-${item}`, repetition, bucket, tags, costUsd, verdict, scores },
    judged: jury,
    passed: jury === 'error' ? null : jury === 'pass',
  })
}

interface Trial {
  readonly jury: Said
  readonly judges: Readonly<Record<string, Said>>
  readonly bucket: string
  readonly tags: readonly string[]
  readonly costUsd: number | null
}

const said = fc.constantFrom<Said>('pass', 'fail', 'error')
const aTrial: fc.Arbitrary<Trial> = fc.record({
  jury: said,
  judges: fc.record({ build: said, style: said }),
  bucket: fc.constantFrom('', 'easy', 'hard'),
  tags: fc.subarray(['a', 'b', '__proto__']),
  costUsd: fc.option(fc.nat(9)),
})
/** Items with up to three attempts each. */
const aRun = fc
  .array(fc.array(aTrial, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .map((items) =>
    aResult({ items: items.flatMap((trials, at) => trials.map((one, index) => trial(at, index + 1, one))) }),
  )

const ask = (runs: readonly ExperimentResult[], query: Readonly<Record<string, string>> = {}) =>
  itemsDocument(runs, new URLSearchParams({ limit: '500', ...query }), runsInMemory(runs))

/** What a trial has of a filter, said once more and in other words than the answer. */
function has(item: ExperimentResult['items'][number], name: string, value: string): boolean {
  if (name === 'outcome') return outcomeOf(item) === value
  if (name === 'bucket') return item.bucket === value
  if (name === 'tag') return item.tags.includes(value)
  const [finding = '', path = ''] = value.split(/:(.*)/s)
  const own = item.verdict?.individual[path]?.status as JudgmentStatus
  if (finding === 'failed') return own === 'fail'
  if (finding === 'erred') return own === 'error'
  if (finding === 'passed') return own === 'pass'
  if (finding === 'abstained') return own === 'abstain'
  if (finding === 'alone') {
    const failing = Object.values(item.verdict?.individual ?? {}).filter(({ status }) => status === 'fail')
    return item.judged === 'fail' && own === 'fail' && failing.length === 1
  }
  return (own === 'pass' && item.judged === 'fail') || (own === 'fail' && item.judged === 'pass')
}

const facetsOf = ({ facets }: ItemsDocument) =>
  Object.entries(facets).flatMap(([name, counts]) => counts.map((count) => ({ name, ...count })))

describe('facets', () => {
  test('each count is the number of rows that choosing the value leaves, also beside another filter', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, fc.constantFrom('trial', 'item'), fc.nat(), async (run, by, pick) => {
        const all = await ask([run], { by })
        const facets = facetsOf(all)
        const other = facets[pick % Math.max(1, facets.length)]
        const before = other === undefined ? {} : { [other.name]: other.value }
        for (const { name, value, count } of facetsOf(await ask([run], { by, ...before })))
          expect((await ask([run], { by, ...before, [name]: value })).total).toBe(count)
      }),
    )
  })

  test('of trials: outcomes add up to all rows, and the rows of a filter are exactly those that fit', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, async (run) => {
        const all = await ask([run])
        expect(all.facets.outcome.reduce((sum, { count }) => sum + count, 0)).toBe(all.total)
        for (const { name, value } of facetsOf(all)) {
          const { rows } = await ask([run], { [name]: value })
          const expected = run.items.filter((item) => has(item, name, value))
          expect(rows.map(({ itemId, repetition }) => [itemId, repetition])).toEqual(
            expected.map(({ itemId, repetition }) => [itemId, repetition]),
          )
        }
      }),
    )
  })

  test('a judge that broke is not one that failed; one that differs from the jury disagreed', async () => {
    const common = { bucket: '', tags: [], costUsd: null }
    const run = aResult({
      items: [
        trial(1, 1, { ...common, jury: 'pass', judges: { build: 'pass', style: 'fail' } }),
        trial(2, 1, { ...common, jury: 'fail', judges: { build: 'fail', style: 'error' } }),
      ],
    })
    expect((await ask([run])).facets.judge).toEqual([
      { value: 'failed:build', count: 1 },
      { value: 'failed:style', count: 1 },
      { value: 'erred:style', count: 1 },
      { value: 'disagreed:style', count: 1 },
      { value: 'passed:build', count: 1 },
      { value: 'alone:build', count: 1 },
    ])
  })
})

describe('rows of items', () => {
  test('have a cell for each attempt, and every trial of the run once', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, async (run) => {
        const { rows, columns } = await ask([run], { by: 'item' })
        expect(rows.map(({ itemId }) => itemId)).toEqual([...new Set(run.items.map(({ itemId }) => itemId))])
        expect(rows.reduce((sum, { trials }) => sum + trials, 0)).toBe(run.items.length)
        for (const { itemId, cells } of rows)
          for (const [at, cell] of cells.entries()) {
            const item = run.items.find((one) => one.itemId === itemId && `#${one.repetition}` === columns[at]?.name)
            expect(cell?.outcome).toBe(item === undefined ? undefined : outcomeOf(item))
          }
      }),
    )
  })

  test('flaky ones are those of the run, and come first by flakiness', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, async (run) => {
        const { rows } = await ask([run], { by: 'item', flaky: 'only' })
        expect(rows.map(({ itemId }) => itemId).sort()).toEqual(run.flakyItems)
        const sorted = await ask([run], { by: 'item', sort: 'flakiness', order: 'desc' })
        const first = sorted.rows.slice(0, run.flakyItems.length).map(({ itemId }) => itemId)
        expect(first.sort()).toEqual(run.flakyItems)
      }),
    )
  })

  test('costs are added up, and those that are unknown come last in both orders', async () => {
    await fc.assert(
      fc.asyncProperty(aRun, fc.boolean(), async (run, descending) => {
        const { rows } = await ask([run], { by: 'item', sort: 'cost', ...(descending ? { order: 'desc' } : {}) })
        const known = rows.flatMap(({ costUsd }) => costUsd ?? [])
        expect(rows.slice(known.length).every(({ costUsd }) => costUsd === null)).toBe(true)
        expect(known).toEqual(known.toSorted((a, b) => (descending ? b - a : a - b)))
        expect(known.reduce((sum, cost) => sum + cost, 0)).toBe(run.costUsd ?? 0)
      }),
    )
  })
})

describe('several runs', () => {
  const common = { judges: { build: 'pass' }, bucket: 'easy', tags: [], costUsd: 1 } as const
  const runOf = (variant: string, ...juries: readonly Said[]) =>
    aResult({ variant, items: juries.map((jury, at) => trial(at, 1, { ...common, jury })) })
  const small = runOf('small', 'pass', 'fail', 'pass', 'error')
  const large = runOf('large', 'pass', 'pass', 'fail', 'pass')

  test('are beside each other, and items that one passes and the other fails are two filters away', async () => {
    const all = await ask([small, large])
    expect(all.columns).toMatchObject([
      { name: 'small', passes: 2, decided: 3 },
      { name: 'large', passes: 3, decided: 4 },
    ])
    expect(all.rows.map(({ cells }) => cells.map((cell) => cell?.outcome))).toEqual([
      ['pass', 'pass'],
      ['fail', 'pass'],
      ['pass', 'fail'],
      ['undecided', 'pass'],
    ])
    const idsOf = ({ rows }: ItemsDocument) => rows.map(({ itemId }) => itemId)
    expect(idsOf(await ask([small, large], { passes: large.id, fails: small.id }))).toEqual(['item-1'])
    expect(idsOf(await ask([small, large], { passes: `${small.id},${large.id}` }))).toEqual(['item-0'])
    expect(idsOf(await ask([small, large], { sort: 'spread', order: 'desc' })).slice(0, 2)).toEqual([
      'item-1',
      'item-2',
    ])
    expect(idsOf(await ask([small, large], { q: 'ITEM-2' }))).toEqual(['item-2'])
  })

  test('are served under one address, which needs every run', async () => {
    const store = memoryStore()
    for (const run of [small, large]) await store.save(run)
    const page = viewer(store)
    const at = async (path: string) => page(new Request(`http://localhost/api/${path}`))
    const document: ItemsDocument = await (await at(`grid/${small.id}/${large.id}?limit=1`)).json()
    expect(document).toMatchObject({ total: 4, rows: [{ itemId: 'item-0', trials: 2 }] })
    expect((await at(`grid/${small.id}/20200101T000000000Z-000000`)).status).toBe(404)
    expect((await at('grid')).status).toBe(404)
  })
})

test('texts come where items are rows, and otherwise when they are asked for', async () => {
  const runIn = (workspacePath: string | null) =>
    aResult({
      items: [
        anItem({
          workspacePath,
          task: 'Say four.',
          expectedOutput: { type: 'text', text: '4' },
          detail: { kind: 'agent', invocation: { status: 'completed', output: { type: 'text', text: 'four' } } },
        }),
      ],
    })
  const texts = { input: 'Say four.', output: 'four', expected: '4' }
  expect((await ask([runIn('workspaces/a')])).rows[0]?.texts).toBeUndefined()
  expect((await ask([runIn('workspaces/a')], { texts: 'yes' })).rows[0]?.texts).toEqual(texts)
  expect((await ask([runIn(null)])).rows[0]?.texts).toEqual(texts)
})
