import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cascade, consensus, fail, type Judge, jury, pass, type Verdict } from '@jurist/core'
import { compare } from '@jurist/experiment/compare'
import {
  briefTrials,
  type ItemResult,
  judgeTimedOut,
  outcomeOf,
  resultOf,
  scoresOf,
  trialChecks,
  trialEnvironmentProblem,
  trialFailedJudges,
  trialStages,
  wholeTrials,
} from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Briefs, rowReader, rowWriter } from '../src/store/brief-rows.js'

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
  results = await mkdtemp(join(tmpdir(), 'jurist-briefs-'))
})
afterEach(async () => {
  await rm(results, { recursive: true, force: true })
})

const openStore = () => fileStore(results, { sync: false, onWarning: (message) => warnings.push(message) })
const briefFile = (id: string) => join(results, 'experiment/.brief', `${id}.jsonl`)
const itemsFile = (id: string) => join(results, 'experiment', id, 'items.jsonl')
const megabyte = 'long '.repeat(2e5)

/** A run of 36 MB, two trials of each item, with every kind of verdict. */
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
      task: `${index} ${megabyte}`,
    })
  })
  return aResult({ items, planned: 36 })
}

/** What is told of a trial, brief or whole. */
function told(trial: ReturnType<typeof briefTrials>[number]) {
  const { itemId, itemSlug, itemHash, repetition, bucket, agent, judged, passed, durationMs, agentMs } = trial
  const { usage, judgeUsage, costUsd, judgeCostUsd, scores, efficiency, failure } = trial
  return {
    ...{ itemId, itemSlug, itemHash, repetition, bucket, agent, judged, passed, durationMs, agentMs },
    ...{ usage, judgeUsage, costUsd, judgeCostUsd, scores, efficiency },
    infrastructure: failure?.infrastructure ?? null,
    ...{ checks: trialChecks(trial), stages: trialStages(trial), late: judgeTimedOut(trial) },
    ...{ outcome: outcomeOf(trial), failedJudges: trialFailedJudges(trial) },
    environmentProblem: trialEnvironmentProblem(trial),
  }
}

test('rows say of a trial what the trial says', () => {
  const amounts = fc.dictionary(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const trial = fc.record({
    itemId: fc.string(),
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
  fc.assert(
    fc.property(fc.array(trial), fc.nat({ max: 3 }), (given, most) => {
      const items = given.map((overrides) => JSON.parse(JSON.stringify(anItem(overrides))) as ItemResult)
      const writer = rowWriter()
      const briefs: Briefs = { trials: [], lengths: [] }
      const readPart = rowReader(briefs)
      for (const [index, item] of items.entries()) {
        writer.add(item, index)
        if (writer.pending() > most) readPart(JSON.parse(JSON.stringify(writer.take())))
      }
      readPart(JSON.parse(JSON.stringify(writer.take())))
      expect(briefs.trials.map(told)).toEqual(items.map(told))
      expect(briefs.lengths).toEqual(items.map((_, index) => index))
    }),
  )
})

describe('a long run', () => {
  test('is known by its brief, and says the same as by its items', async () => {
    const run = longRun()
    await openStore().save(run)
    const loaded = await openStore().load(run.id)
    if (loaded === undefined) throw new Error('The run is gone.')
    const trials = briefTrials(loaded)
    expect(trials.some((trial) => 'verdict' in trial)).toBe(false)
    expect(trials.map(told)).toEqual(run.items.map(told))
    const some = trials.filter(({ passed }) => passed === false)
    expect(wholeTrials(loaded, some)).toEqual(run.items.filter(({ passed }) => passed === false))
    const other = longRun(1)
    const whole = resultOf({ ...loaded, items: run.items })
    expect(compare(loaded, other, { ignoreConditions: true })).toEqual(
      compare(whole, other, { ignoreConditions: true }),
    )
    expect(loaded.items).toEqual(run.items)
    expect(loaded).toEqual(whole)
  })

  test('has one as soon as its writer has ended it', async () => {
    const run = longRun()
    const writer = await openStore().open({ ...run, itemOrder: ['item-3', 'item-1'] })
    for (const item of run.items) await writer.append(item)
    const result = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect((await stat(briefFile(run.id))).size).toBeLessThan(100_000)
    expect(
      briefTrials(result)
        .slice(0, 3)
        .map(({ itemId }) => itemId),
    ).toEqual(['item-3', 'item-3', 'item-1'])
    expect(briefTrials(result).map(told)).toEqual(result.items.map(told))
    const loaded = await openStore().load(run.id)
    expect(loaded && briefTrials(loaded).map(told)).toEqual(result.items.map(told))
  })

  test('is read whole where its brief is of a later state', async () => {
    const run = longRun()
    const writer = await openStore().open(run)
    for (const item of run.items) await writer.append(item)
    const result = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    const again = await openStore().resume(run.id)
    await again.writer.append(anItem({ itemId: 'later' }))
    await again.writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect(briefTrials(result)).toBe(result.items)
    expect(wholeTrials(result, briefTrials(result).slice(0, 1))).toEqual(run.items.slice(0, 1))
  })

  test('loses its brief when it is removed', async () => {
    const run = longRun()
    await openStore().save(run)
    expect(await readdir(join(results, 'experiment/.brief'))).toEqual([`${run.id}.jsonl`])
    await openStore().remove(run.id)
    expect(await readdir(join(results, 'experiment/.brief'))).toEqual([])
  })

  test('of which other trials were stored since it was loaded says so', async () => {
    const run = longRun()
    await openStore().save(run)
    const loaded = await openStore().load(run.id)
    if (loaded === undefined) throw new Error('The run is gone.')
    await openStore().save({ ...longRun(2), id: run.id })
    const sentence = 'has changed since the run was loaded. Load the run again.'
    expect(() => wholeTrials(loaded, briefTrials(loaded).slice(0, 1))).toThrow(sentence)
    expect(() => loaded.items).toThrow(sentence)
  })
})

describe('a brief counts for nothing, and is made anew,', () => {
  const kept = async () => {
    const run = longRun()
    await openStore().save(run)
    return { run, text: await readFile(briefFile(run.id), 'utf8') }
  }
  const expectTruth = async (id: string, items: readonly ItemResult[]) => {
    const loaded = await openStore().load(id)
    expect(loaded && briefTrials(loaded).map(told)).toEqual(items.map(told))
  }

  test.each([
    ['when it is cut off', (text: string) => text.slice(0, -20)],
    ['when a line of it is missing', (text: string) => text.split('\n').toSpliced(1, 1).join('\n')],
    ['when it is no JSON', () => 'x\ny\n'],
    ['when it is empty', () => ''],
    ['when it is of another version', (text: string) => text.replace('"briefVersion":1', '"briefVersion":0')],
    ['when it is of other trials', (text: string) => text.replace(/"modifiedNs":"\d+"/, '"modifiedNs":"1"')],
  ])('%s', async (_, change) => {
    const { run, text } = await kept()
    // A lie, where somebody believes it.
    await writeFile(briefFile(run.id), change(text.replaceAll('"hard"', '"easy"')))
    await expectTruth(run.id, run.items)
    expect(await readFile(briefFile(run.id), 'utf8')).toBe(text)
  })

  test('when the trials were changed by hand', async () => {
    const { run } = await kept()
    const lines = await readFile(itemsFile(run.id), 'utf8')
    await writeFile(itemsFile(run.id), lines.replaceAll('"bucket":"hard"', '"bucket":"soft"'))
    await utimes(itemsFile(run.id), new Date(), new Date(Date.now() + 5_000))
    await expectTruth(
      run.id,
      run.items.map((item) => ({ ...item, bucket: item.bucket === 'hard' ? 'soft' : item.bucket })),
    )
  })

  test('when the run goes on', async () => {
    const { run } = await kept()
    const { writer } = await openStore().resume(run.id)
    const later = anItem({ itemId: 'later' })
    await writer.append(later)
    await writer.release()
    const interrupted = await openStore().load(run.id)
    expect(interrupted?.items.length).toBe(37)
    const again = await openStore().resume(run.id)
    await again.writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    await expectTruth(run.id, [...run.items, later])
  })
})

test('where no brief can be written, a long run is read as any other', async () => {
  const run = longRun()
  await openStore().save(run)
  await rm(join(results, 'experiment/.brief'), { recursive: true })
  await writeFile(join(results, 'experiment/.brief'), 'in the way')
  const loaded = await openStore().load(run.id)
  expect(loaded?.items).toEqual(run.items)
  expect(loaded && briefTrials(loaded)).toBe(loaded?.items)
})

test('a long run with a damaged line, or one that was added, is read without it and has no brief', async () => {
  const run = longRun()
  await openStore().save(run)
  const text = await readFile(itemsFile(run.id), 'utf8')
  await writeFile(itemsFile(run.id), text.split('\n').with(3, '{"itemId":').join('\n'))
  const loaded = await openStore().load(run.id)
  expect(loaded?.items).toEqual(run.items.toSpliced(3, 1))
  expect(warnings.join()).toContain('line 4 is damaged')
  const added = { ...run.items[1], itemId: 'forged' }
  await writeFile(itemsFile(run.id), `${text}${JSON.stringify(added)}\n`)
  expect((await openStore().load(run.id))?.items).toEqual(run.items)
  expect(warnings.join()).toContain(`line ${run.items.length + 1} was added after the run had ended`)
})
