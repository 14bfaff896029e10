import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, pass, verdictFromJson } from '@jurist/core'
import { appendLabel } from '@jurist/experiment/label'
import type { ItemResult } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Viewer, viewer } from '../../src/viewer.js'

/** A trial in which a free judge and one that asks a model decide, with `cents` for the model. */
function trial(itemId: string, { isGood, cents, ...more }: { readonly isGood: boolean; readonly cents: number }) {
  const model = (isGood ? pass : fail)('as asked', {
    metadata: { model: 'large', rawText: 'yes' },
    usage: { inputTokens: 10, outputTokens: 5 },
    costUsd: cents / 100,
  })
  return anItem({
    itemId,
    passed: isGood,
    judged: isGood ? 'pass' : 'fail',
    scores: { form: 1, model: Number(isGood) },
    verdict: verdictFromJson({
      aggregated: isGood ? pass('both') : fail(`exit code 1 after ${cents} s`),
      ...{ individual: { form: pass('fine'), model }, weights: { form: 1, model: 1 }, subVerdicts: {} },
      ...{ usage: {}, elapsedMs: 1 },
    }),
    costUsd: 0.5,
    judgeCostUsd: cents / 100,
    detail: {
      kind: 'agent',
      invocation: {
        status: 'completed',
        phases: [{ name: 'plan', costUsd: 0.1, toolUses: [{ id: '1', name: 'search', input: {} }] }],
      },
    },
    ...more,
  })
}

const items: readonly ItemResult[] = [
  trial('a', { isGood: true, cents: 1 }),
  trial('b', { isGood: false, cents: 2 }),
  trial('c', { isGood: false, cents: 3 }),
  trial('d', { isGood: true, cents: 4 }),
]
const session = { experimentName: 'answers', session: 's' }
const run = aResult({ ...session, variant: 'small', items })
const other = aResult({ ...session, variant: 'large', items: [trial('b', { isGood: true, cents: 9 })] })
const unlabelled = aResult({ experimentName: 'plain', items })
const late = anItem({ itemId: 'e', agent: 'timeout', passed: false, judged: 'not-judged' })
const cut = aResult({ experimentName: 'ended-late', items: [...items, late] })
const directory = mkdtempSync(join(tmpdir(), 'jurist-labels-'))
let page: Viewer

beforeAll(async () => {
  const store = fileStore(directory, { sync: false })
  for (const one of [run, other, unlabelled, cut]) await store.save(one)
  const file = join(directory, run.experimentName, run.id, 'labels.jsonl')
  const label = async (annotator: string, itemId: string, word: 'pass' | 'fail' | 'skip') =>
    appendLabel(file, {
      ...{ itemId, repetition: 1, annotator, label: word, note: null, categories: [] },
      ...{ seconds: null, at: null, shown: null, use: 'certify' },
    })
  for (const [item, word] of [
    ['a', 'fail'],
    ['b', 'fail'],
    ['c', 'pass'],
    ['d', 'skip'],
  ] as const)
    await label('ana', item, word)
  await label('bo', 'c', 'fail')
  page = viewer(store, { directory })
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function ask(...path: readonly string[]) {
  const response = await page(new Request(`http://localhost/api/${path.join('/')}`))
  return response.status === 200 ? JSON.parse(await response.text()) : response.status
}

test('a column whose cells are all equal or empty tells nothing', async () => {
  const { rows, scoreKeys, constant } = await ask('runs', cut.id, 'items')
  const form = scoreKeys.indexOf('form')
  expect(rows.map(({ scores }: { scores: readonly (number | null)[] }) => scores[form])).toEqual([1, 1, 1, 1, null])
  expect(constant).toContain('score:form')
  expect(constant).not.toContain('score:model')
})

describe('labels', () => {
  test('are in the rows, and filter them', async () => {
    const { rows, facets, constant } = await ask('runs', run.id, 'items')
    expect(rows.map(({ label, differs }: { label: string; differs: boolean }) => [label, differs])).toEqual([
      ['fail', true],
      ['fail', false],
      ['tie', false],
      ['', false],
    ])
    expect(facets.label).toEqual([
      { value: 'differs', count: 1 },
      { value: 'fail', count: 2 },
      { value: 'tie', count: 1 },
    ])
    expect(constant).toContain('score:form')
    expect(constant).not.toContain('label')
    const differing = await ask('runs', run.id, 'items?label=differs')
    expect(differing.rows.map(({ itemId }: { itemId: string }) => itemId)).toEqual(['a'])
    expect((await ask('runs', unlabelled.id, 'items')).constant).toContain('label')
  })

  test('measure the judges of the run, and the sentence comes first', async () => {
    expect(await ask('runs', run.id)).toMatchObject({ hasLabels: true })
    const { labelled, report, disagreements } = await ask('runs', run.id, 'calibration')
    expect(labelled).toMatchObject({ annotators: ['ana', 'bo'], trials: 3, undecided: 1 })
    expect(labelled.errors[0]).toBe('jury passes 1 of 2 trials that people fail (95 %: 9.5 to 90.5 %).')
    expect(labelled.errors.at(-1)).toBe('Rough: people labelled only 2 fails and 0 passes.')
    expect(report.confusion).toMatchObject({
      labels: ['fail', 'pass'],
      matrix: [
        [1, 1],
        [0, 0],
      ],
    })
    expect(disagreements).toMatchObject([{ itemId: 'a', expected: 'fail', predicted: 'pass' }])
    expect(await ask('runs', unlabelled.id)).toMatchObject({ hasLabels: false })
    expect(await ask('runs', unlabelled.id, 'calibration')).toBe(404)
  })
})

test('findings of a scan are in the rows and the cells, and filter them', async () => {
  const scanned = (itemId: string, rule: string, level: string) => ({
    of: '',
    scan: {
      ...{ itemId, repetition: 1, passed: true, coverage: 'scanned', unread: 0, notApplicable: {}, errors: {} },
      findings: [{ itemId, repetition: 1, rule, level, place: { path: 'a.ts', line: 1 }, evidence: 'a.ts' }],
    },
  })
  const found = [{ at: 'now' }, scanned('a', 'test-edited', 'suspect'), scanned('b', 'waited-out', 'note')]
  const file = join(directory, unlabelled.experimentName, unlabelled.id, 'findings.jsonl')
  appendFileSync(file, found.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const { rows, facets, constant } = await ask('runs', unlabelled.id, 'items?by=item')
  expect(rows.map(({ suspects }: { suspects: string }) => suspects)).toEqual(['test-edited', '', '', ''])
  expect(rows[0].cells).toMatchObject([{ suspects: 'test-edited' }])
  expect(rows[1].cells).toMatchObject([{ suspects: '' }])
  expect(facets.finding.map(({ value }: { value: string }) => value)).toEqual(['suspect', 'test-edited', 'waited-out'])
  expect(constant).not.toContain('suspects')
  const noted = await ask('runs', unlabelled.id, 'items?finding=waited-out')
  expect(noted.rows.map(({ itemId }: { itemId: string }) => itemId)).toEqual(['b'])
  expect((await ask('runs', run.id, 'items')).constant).toContain('suspects')
  // A run that was never scanned is not clean: it has no number.
  expect((await ask('runs')).suspects).toEqual({ [unlabelled.id]: 1 })
  const { scan } = await ask('runs', unlabelled.id)
  expect(scan.rules).toMatchObject([
    { rule: 'test-edited', level: 'suspect' },
    { rule: 'waited-out', level: 'note' },
  ])
  expect((await ask('runs', run.id)).scan).toBeNull()
})

describe('cost', () => {
  test('is split by everything that is paid for, and what it is split by leads to its trials', async () => {
    const { costUsd, splits } = await ask('runs', run.id, 'cost')
    expect(costUsd).toBeCloseTo(2.1)
    const of = (by: string) => splits.find((split: { by: string }) => split.by === by)?.rows
    expect(splits.map(({ by }: { by: string }) => by)).toEqual(['variant', 'item', 'judge', 'model', 'phase', 'tool'])
    expect(of('judge')).toMatchObject([{ name: 'model', tokens: 60, times: 4, trials: 4 }])
    expect(of('judge')[0].costUsd).toBeCloseTo(0.1)
    expect(of('model')[0]).toMatchObject({ name: 'large', tokens: 60 })
    expect(of('item')[0]).toMatchObject({ name: 'd', costUsd: 0.54, trials: 1 })
    expect(of('phase').map(({ name }: { name: string }) => name)).toEqual(['agent', 'agent, plan', 'judges'])
    expect(of('tool')).toMatchObject([{ name: 'search', costUsd: null, times: 4 }])
    expect(of('variant').map(({ name, run: id }: { name: string; run: string }) => [name, id])).toEqual([
      ['small', run.id],
      ['large', other.id],
    ])
    expect(await ask('runs', run.id, 'items?spent=item:c')).toMatchObject({ total: 1, rows: [{ itemId: 'c' }] })
  })

  test('is of the agent and the judges in every row', async () => {
    const { rows } = await ask('runs', run.id, 'items?sort=cost&order=desc')
    expect(rows[0]).toMatchObject({ itemId: 'd', costUsd: 0.54, agentUsd: 0.5, judgesUsd: 0.04 })
  })
})

test('trials that failed alike are found by one of them', async () => {
  const { rows } = await ask('runs', run.id, `items?alike=${encodeURIComponent('b#1')}`)
  expect(rows.map(({ itemId }: { itemId: string }) => itemId)).toEqual(['b', 'c'])
})

test('a trial names the same item in the other variants of its session', async () => {
  expect(await ask('runs', run.id, 'items', 'b', '1')).toMatchObject({ hasVariants: true })
  expect(await ask('runs', run.id, 'items', 'b', '1', 'variants')).toEqual([
    { run: other.id, name: 'large', attempts: [{ repetition: 1, outcome: 'pass' }] },
  ])
  expect(await ask('runs', unlabelled.id, 'items', 'b', '1')).toMatchObject({ hasVariants: false })
})
