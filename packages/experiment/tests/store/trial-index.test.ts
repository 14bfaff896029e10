import { chmod, cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cascade, consensus, fail, type Judge, jury, pass, type Verdict } from '@jurist/core'
import { compare } from '@jurist/experiment/compare'
import { figuresOf, resultWithItems } from '@jurist/experiment/internal/results'
import { type ItemResult, resultOf, scoresOf } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const checked: Judge = () => {
  const checks = [
    { name: 'readable', passed: true, message: '' },
    { name: 'é, long', passed: false, message: '', score: 0.25 },
  ]
  return pass('fine', { checks })
}
const late: Judge = () =>
  fail('too late', { metadata: { status: 'timed-out', environmentProblem: 'sh: 1: pnpm: not found' } })
const rules = (...judges: readonly Judge[]) =>
  jury({ judges: Object.fromEntries(judges.map((judge, index) => [`rule ${index}`, judge])), vote: consensus() })
const tiers = cascade([
  { name: 'build', jury: rules(() => false), policy: 'reject-on-any-fail' },
  { name: 'tests', jury: rules(checked, late), policy: 'final' },
])

let verdicts: readonly (Verdict | null)[] = []
beforeAll(async () => {
  const juries = [rules(checked), rules(checked, late), rules(() => true), tiers]
  verdicts = [null, ...(await Promise.all(juries.map((one) => one.vote({}))))]
})

let results = ''
let warnings: string[] = []
beforeEach(async () => {
  warnings = []
  results = await mkdtemp(join(tmpdir(), 'jurist-index-'))
})
afterEach(() => rm(results, { recursive: true, force: true }))

const openStore = () => fileStore(results, { sync: false, onWarning: (message) => warnings.push(message) })
const indexFile = (id: string) => join(results, 'experiment', id, 'trials.jsonl')
const itemsFile = (id: string) => join(results, 'experiment', id, 'items.jsonl')
const long = 'long '.repeat(1e4)

/** A run of 1.8 MB, two trials of each item, with every kind of verdict. */
function longRun(seed = 0) {
  const items = Array.from({ length: 36 }, (_, index) => {
    const verdict = verdicts[(index + seed) % verdicts.length] ?? null
    const passed = verdict === null ? null : verdict.aggregated.status === 'pass'
    const judged = verdict === null ? 'not-judged' : passed ? 'pass' : 'fail'
    const place = { itemId: `item-${index >> 1}`, repetition: 1 + (index % 2), bucket: index % 3 === 0 ? 'hard' : '' }
    const scores = verdict === null ? {} : scoresOf(verdict)
    return anItem({
      ...place,
      passed,
      judged,
      verdict,
      scores,
      durationMs: 10 + index / 7,
      task: `${index} ${long}`,
    })
  })
  return aResult({ items, planned: 36 })
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('the index says of a trial what the trial says', async () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('constructor', 'prototype', 'toString'))
  const amounts = fc.dictionary(name, fc.double({ noNaN: true, noDefaultInfinity: true }))
  const trial = fc.record({
    itemSlug: fc.string(),
    bucket: fc.string(),
    passed: fc.constantFrom(true, false, null),
    scores: amounts,
    efficiency: fc.option(amounts),
    usage: fc.option(fc.constant({ inputTokens: 3 })),
    costUsd: fc.option(fc.double({ min: 0, max: 9, noNaN: true })),
    failure: fc.option(fc.constant({ name: 'E', message: 'm', origin: 'agent' as const, infrastructure: true })),
    verdict: fc.nat({ max: 4 }).map((index) => verdicts[index] ?? null),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(trial, { maxLength: 5 }), async (given) => {
      const items = given.map((overrides, index) => anItem({ itemId: `é ${index}`, ...overrides }))
      const stored = items.map((item) => plain(item) as ItemResult)
      const run = aResult({ items: stored })
      await openStore().save(run)
      const overview = await openStore().overview(run.id)
      expect(plain(overview?.trials)).toMatchObject(plain(stored.map(figuresOf)) as object)
      expect(await overview?.readItems(overview.trials.toReversed())).toEqual(stored.toReversed())
    }),
    { numRuns: 40 },
  )
})

describe('a run by its index', () => {
  test('says the same as by its items', async () => {
    const run = longRun()
    await openStore().save(run)
    const overview = await openStore().overview(run.id)
    if (overview === undefined) throw new Error('The run is gone.')
    expect(overview.trials).toMatchObject(run.items.map(figuresOf))
    const failed = overview.trials.filter(({ passed }) => passed === false)
    expect(await overview.readItems(failed)).toEqual(run.items.filter(({ passed }) => passed === false))
    const other = longRun(1)
    const whole = resultOf({ ...run, items: run.items })
    expect(compare(overview, other, { ignoreConditions: true })).toEqual(
      compare(whole, other, { ignoreConditions: true }),
    )
    expect(await resultWithItems(overview)).toEqual(await openStore().load(run.id))
  })

  test('is there as soon as its writer has ended it', async () => {
    const run = longRun()
    const writer = await openStore().open({ ...run, itemOrder: ['item-3', 'item-1'] })
    for (const item of run.items) await writer.append(item)
    const ended = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect((await readFile(indexFile(run.id))).length).toBeLessThan(100_000)
    expect(ended.trials.slice(0, 3).map(({ itemId }) => itemId)).toEqual(['item-3', 'item-3', 'item-1'])
    const overview = await openStore().overview(run.id)
    expect(overview?.trials).toEqual(ended.trials)
    expect(overview?.trials).toMatchObject((await ended.readItems()).map(figuresOf))
  })

  test('of which other trials were stored since says so', async () => {
    const run = longRun()
    await openStore().save(run)
    const overview = await openStore().overview(run.id)
    await openStore().save({ ...longRun(2), id: run.id })
    const sentence = 'has changed since the run was loaded. Load the run again.'
    await expect(overview?.readItems(overview.trials.slice(0, 1))).rejects.toThrow(sentence)
    await expect(overview?.readItems()).rejects.toThrow(sentence)
  })

  test('refuses a trial that the run does not have', async () => {
    const run = aResult()
    await openStore().save(run)
    const overview = await openStore().overview(run.id)
    await expect(overview?.readItems([{ itemId: 'other', repetition: 1 }])).rejects.toThrow('no trial "other#1"')
  })

  test('a copy of a run keeps its index, though its times differ', async () => {
    const run = longRun()
    await openStore().save(run)
    await utimes(itemsFile(run.id), new Date(0), new Date(0))
    await cp(results, `${results}-copy`, { recursive: true })
    const before = await readFile(indexFile(run.id), 'utf8')
    expect((await openStore().overview(run.id))?.trials).toMatchObject(run.items.map(figuresOf))
    expect(await readFile(indexFile(run.id), 'utf8')).toBe(before)
    await rm(`${results}-copy`, { recursive: true })
  })
})

const expectTruth = async (id: string, items: readonly ItemResult[]) => {
  expect((await openStore().overview(id))?.trials).toMatchObject(items.map(figuresOf))
}

test('an index is not used, and is written again', async () => {
  const run = longRun()
  await openStore().save(run)
  const text = await readFile(indexFile(run.id), 'utf8')
  for (const [when, change] of [
    ['when it is cut off', (text: string) => text.slice(0, -20)],
    ['when a line of it is missing', (text: string) => text.split('\n').toSpliced(1, 1).join('\n')],
    ['when it is not JSON', () => 'x\ny\n'],
    ['when it is empty', () => ''],
    ['when its checksum differs from that of the run', (text: string) => text],
    ['when it is of another version', (text: string) => text.replace(/"version":\d+/, '"version":1')],
    ['when it is of other trials', (text: string) => text.replace(/"modifiedNs":"\d+"/, '"modifiedNs":"1"')],
  ] as const) {
    // A lie that would show if the index were used.
    await writeFile(indexFile(run.id), change(text.replaceAll('"hard"', '"easy"')))
    await expectTruth(run.id, run.items)
    expect(await readFile(indexFile(run.id), 'utf8'), when).toBe(text)
  }
})

describe('an index is not used', () => {
  const kept = async () => {
    const run = longRun()
    await openStore().save(run)
    return run
  }

  test('when the items were changed by hand', async () => {
    const run = await kept()
    const lines = await readFile(itemsFile(run.id), 'utf8')
    await writeFile(itemsFile(run.id), lines.replaceAll('"bucket":"hard"', '"bucket":"soft"'))
    await utimes(itemsFile(run.id), new Date(), new Date(Date.now() + 5_000))
    await expectTruth(
      run.id,
      run.items.map((item) => ({ ...item, bucket: item.bucket === 'hard' ? 'soft' : item.bucket })),
    )
    expect(warnings.join()).toContain('its checksum differs')
  })

  test('when the run continues', async () => {
    const run = await kept()
    const { writer } = await openStore().resume(run.id)
    const later = anItem({ itemId: 'later' })
    await writer.append(later)
    await writer.release()
    expect((await openStore().overview(run.id))?.trials.length).toBe(37)
    const again = await openStore().resume(run.id)
    await again.writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    await expectTruth(run.id, [...run.items, later])
  })
})

test('a run of an older version has no index; a long one gets it when it is read', async () => {
  const run = longRun()
  await openStore().save(run)
  const head = join(results, 'experiment', run.id, 'run.json')
  const { stored, ...older } = JSON.parse(await readFile(head, 'utf8'))
  await writeFile(head, JSON.stringify(older))
  const text = await readFile(indexFile(run.id), 'utf8')
  await rm(indexFile(run.id))
  expect((await openStore().overview(run.id))?.trials).toMatchObject(run.items.map(figuresOf))
  expect(await readFile(indexFile(run.id), 'utf8')).toBe(text)
  expect(stored.lines).toBe(36)
})

test.skipIf(process.getuid?.() === 0)('a run whose index cannot be written is read whole', async () => {
  const run = longRun()
  await openStore().save(run)
  await rm(indexFile(run.id))
  await chmod(join(results, 'experiment', run.id), 0o500)
  expect((await openStore().overview(run.id))?.trials).toMatchObject(run.items.map(figuresOf))
  await chmod(join(results, 'experiment', run.id), 0o700)
})

test('a long run with a damaged line, or one that was added, is read without it', async () => {
  const run = longRun()
  await openStore().save(run)
  const text = await readFile(itemsFile(run.id), 'utf8')
  await writeFile(itemsFile(run.id), text.split('\n').with(3, '{"itemId":').join('\n'))
  const overview = await openStore().overview(run.id)
  expect(overview?.trials).toMatchObject(run.items.toSpliced(3, 1).map(figuresOf))
  expect(warnings.join()).toContain('line 4 is damaged')
  const added = { ...run.items[1], itemId: 'forged' }
  await writeFile(itemsFile(run.id), `${text}${JSON.stringify(added)}\n`)
  expect((await openStore().load(run.id))?.items).toEqual(run.items)
  expect(warnings.join()).toContain(`line ${run.items.length + 1} was added after the run had ended`)
})
