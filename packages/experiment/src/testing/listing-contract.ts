import type { RunRecord } from '../result/records.js'
import { newRunId } from '../store/run-id.js'
import type { ResultStore, RunQuery } from '../store/store.js'
import { aManifest, type ContractTest, end, entries } from './contract-test.js'
import { expectCode, expectSame, expectThat } from './expectations.js'
import { anItem, aResult } from './records.js'

/** How every store lists its runs. */
export function listingContract(test: ContractTest): void {
  test('lists the newest first, and what a query asks for', async (store, experimentName) => {
    const [second, first, third] = await saveThree(store, experimentName)
    const idsOf = async (query: RunQuery) => (await entries(store, { ...query, experimentName })).map(({ id }) => id)
    expectSame(await idsOf({}), [third, second, first], 'newest first')
    expectSame(await idsOf({ order: 'oldest' }), [first, second, third], 'oldest first')
    expectSame(await idsOf({ limit: 1 }), [third], 'limit')
    expectSame(await idsOf({ kind: 'rejudge' }), [third], 'kind')
    expectSame(await idsOf({ status: 'failed' }), [first], 'status')
    expectSame(await idsOf({ variant: 'x' }), [second], 'variant')
    expectSame(await idsOf({ session: 's' }), [first], 'session')
    expectSame(await idsOf({ before: at(3) }), [second, first], 'before')
    expectSame(await entries(store, { experimentName: `${experimentName}-none` }), [], 'another experiment')
    await expectCode(entries(store, { limit: -1 }), 'option-invalid')
  })
  test('the most recent run is not a rejudged one, unless asked for', async (store, experimentName) => {
    const [second, first, third] = await saveThree(store, experimentName)
    const idOf = async (query?: RunQuery) => (await store.mostRecent(experimentName, query))?.id
    expectSame(await idOf(), second, 'most recent')
    expectSame(await idOf({ kind: 'rejudge' }), third, 'rejudged')
    expectSame(await idOf({ before: at(2) }), first, 'before')
    expectSame(await store.mostRecent(`${experimentName}-none`), undefined, 'another experiment')
  })
  entryContract(test)
  exclusionContract(test)
}

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`

async function saveThree(store: ResultStore, experimentName: string) {
  const runs: Partial<RunRecord>[] = [
    { startedAt: at(2), variant: 'x' },
    { startedAt: at(1), status: 'failed', session: 's' },
    { startedAt: at(3), kind: 'rejudge' },
  ]
  const saved = runs.map((run) => aResult({ ...run, experimentName }))
  for (const run of saved) await store.save(run)
  return saved.map(({ id }) => id)
}

function entryContract(test: ContractTest): void {
  test('an entry says what the result says', async (store, experimentName) => {
    const items = [anItem({ costUsd: 0.5 }), anItem({ itemId: 'b', passed: false, judged: 'fail', costUsd: 0.25 })]
    const run = aResult({ experimentName, items, planned: 3 })
    await store.save(run)
    const { id, kind, status, variant, session, startedAt, endedAt, counts, passRate, costUsd } = run
    const head = { id, experimentName, kind, status, variant, session, startedAt, endedAt }
    const expected = { ...head, counts, passRate, costUsd, excluded: null }
    expectSame(await entries(store, { experimentName }), [expected], 'entries')
  })
  test('a run that is written is listed with what it has', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName, planned: 2 }))
    await writer.append(anItem())
    const [running] = await entries(store, { experimentName })
    expectSame([running?.status, running?.counts.run, running?.counts.planned], ['running', 1, 2], 'while written')
    await writer.append(anItem({ itemId: 'b' }))
    const [later] = await entries(store, { experimentName })
    expectSame(later?.counts.run, 2, 'later')
    await writer.release()
    const [released] = await entries(store, { experimentName })
    expectSame([released?.status, released?.counts.run], ['interrupted', 2], 'let go')
    const { writer: second } = await store.resume(writer.runId)
    expectSame((await entries(store, { experimentName }))[0]?.status, 'running', 'resumed')
    await second.finish(end)
    expectSame((await entries(store, { experimentName }))[0]?.status, 'completed', 'finished')
  })
}

function exclusionContract(test: ContractTest): void {
  test('an excluded run is kept but left out', async (store, experimentName) => {
    const [second, first] = await saveThree(store, experimentName)
    if (store.exclude === undefined || second === undefined) return
    expectThat(await store.exclude(second, 'the network was down'), 'exclude said false')
    expectSame((await entries(store, { experimentName })).length, 2, 'listed')
    const all = await entries(store, { experimentName, includeExcluded: true })
    expectSame(all.find(({ id }) => id === second)?.excluded, 'the network was down', 'the reason')
    expectSame((await store.mostRecent(experimentName))?.id, first, 'most recent')
    expectThat((await store.load(second)) !== undefined, 'an excluded run can not be loaded')
    await store.exclude(second, null)
    expectSame((await store.mostRecent(experimentName))?.id, second, 'taken in again')
    expectThat(!(await store.exclude(newRunId(), 'unknown')), 'exclude of an unknown run said true')
  })
}
