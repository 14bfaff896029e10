import type { RunRecord } from '../result/records.js'
import { newRunId } from '../store/names.js'
import type { VariantEntry } from '../store/sessions.js'
import type { ResultStore, RunQuery } from '../store/store.js'
import { sweepStatus } from '../store/sweeps.js'
import {
  aManifest,
  anItem,
  aResult,
  type ContractTest,
  end,
  entries,
  expectCode,
  expectSame,
  expectThat,
} from './records.js'

function anEntry(variant: string, overrides: Partial<VariantEntry> = {}): VariantEntry {
  const runId = aResult().id
  return { variant, runId, status: 'completed', passRate: 1, trials: 1, costUsd: null, durationMs: 1, ...overrides }
}

/** The contract of sessions and sweeps of every store. */
export function sessionContract(test: ContractTest): void {
  test('a session keeps one entry for a variant, in place', async ({ sessions }, experimentName) => {
    const made = await sessions.create({ session: 'first', experimentName, metadata: { note: 'x' } })
    expectSame([made.status, made.endedAt, made.variants, made.metadata], ['running', null, [], { note: 'x' }], 'made')
    const [a, b] = [anEntry('a', { status: 'running' }), anEntry('b')]
    const done: VariantEntry = { ...a, status: 'completed' }
    for (const entry of [a, b, done]) await sessions.put(experimentName, 'first', entry)
    const ended = await sessions.finish(experimentName, 'first', 'completed')
    expectSame(ended.variants, [done, b], 'variants')
    expectSame([ended.status, typeof ended.endedAt], ['completed', 'string'], 'ended')
    expectSame(await sessions.load(experimentName, 'first'), ended, 'loaded')
  })
  test('sessions have names of their own, and are listed by age', async ({ sessions }, experimentName) => {
    for (const session of ['b', 'a']) {
      await sessions.create({ session, experimentName })
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expectSame(
      (await sessions.list(experimentName)).map(({ session }) => session),
      ['b', 'a'],
      'listed',
    )
    expectSame((await sessions.mostRecent(experimentName))?.session, 'a', 'most recent')
    expectSame(await sessions.mostRecent(`${experimentName}-none`), undefined, 'of another experiment')
    expectSame(await sessions.load(experimentName, 'c'), undefined, 'unknown')
    await expectCode(sessions.create({ session: 'a', experimentName }), 'name-duplicate')
    await expectCode(sessions.put(experimentName, 'c', anEntry('x')), 'run-unknown')
    await expectCode(sessions.finish(experimentName, 'c', 'failed'), 'run-unknown')
    await expectCode(sessions.create({ session: '../x', experimentName }), 'name-invalid')
    await expectCode(sessions.load(experimentName, '../x'), 'name-invalid')
  })
  test('entries put at the same moment are all kept', async ({ sessions }, experimentName) => {
    await sessions.create({ session: 's', experimentName })
    const names = Array.from({ length: 8 }, (_, index) => `v${index}`)
    await Promise.all(names.map((variant) => sessions.put(experimentName, 's', anEntry(variant))))
    const kept = (await sessions.load(experimentName, 's'))?.variants.map(({ variant }) => variant) ?? []
    expectSame([...kept].sort(), names, 'variants')
  })
  sessionRemovalContract(test)
  sweepContract(test)
  sweepRefusalContract(test)
}

function sessionRemovalContract(test: ContractTest): void {
  test('a session that is removed leaves the others', async ({ sessions }, experimentName) => {
    if (sessions.remove === undefined) return
    for (const session of ['a', 'b']) await sessions.create({ session, experimentName })
    expectSame(await sessions.remove(experimentName, 'a'), true, 'removed')
    expectSame(await sessions.remove(experimentName, 'a'), false, 'removed again')
    expectSame(await sessions.load(experimentName, 'a'), undefined, 'loaded')
    expectSame(
      (await sessions.list(experimentName)).map(({ session }) => session),
      ['b'],
      'listed',
    )
    await expectCode(sessions.put(experimentName, 'a', anEntry('x')), 'run-unknown')
    await expectCode(sessions.remove(experimentName, '../b'), 'name-invalid')
    expectSame((await sessions.create({ session: 'a', experimentName })).variants, [], 'made again')
  })
}

function sweepContract(test: ContractTest): void {
  test('a sweep is resolved by sessions, the latest addition wins', async (store, experimentName) => {
    const { sessions, sweeps } = store
    await sweeps.create({ sweep: 'w', experimentName, expected: ['a', 'b'] })
    const old = anEntry('a')
    const entries = {
      s1: [old, anEntry('c')],
      s2: [anEntry('a'), anEntry('b', { status: 'failed' })],
      s3: [anEntry('b')],
    }
    for (const [session, variants] of Object.entries(entries)) {
      await sessions.create({ session, experimentName })
      for (const entry of variants) await sessions.put(experimentName, session, entry)
    }
    const runs = (sweep: { readonly resolved: Readonly<Record<string, { readonly session: string }>> }) =>
      Object.entries(sweep.resolved).map(([variant, { session }]) => `${variant} ${session}`)
    const added = await sweeps.addSession(experimentName, 'w', 's1', 'commit-1')
    expectSame(added.resolved['a']?.runId, old.runId, 'the run')
    expectSame([runs(added), sweepStatus(added).status], [['a s1'], 'partial'], 'first')
    expectSame(runs(await sweeps.addSession(experimentName, 'w', 's2', 'commit-2')), ['a s2'], 'second')
    const whole = await sweeps.addSession(experimentName, 'w', 's3', 'commit-1')
    const { status, missing, versionMismatch } = sweepStatus(whole)
    expectSame([runs(whole), status, missing, versionMismatch], [['a s2', 'b s3'], 'completed', [], true], 'third')
    const removed = await sweeps.removeSession(experimentName, 'w', 's2')
    expectSame([runs(removed), sweepStatus(removed).versionMismatch], [['a s1', 'b s3'], false], 'removed')
    expectSame(removed.history, whole.history, 'history')
    const closed = await sweeps.finish(experimentName, 'w', 'failed')
    expectSame([sweepStatus(closed).status, closed.closed], ['failed', 'failed'], 'closed')
    expectSame(await sweeps.load(experimentName, 'w'), closed, 'loaded')
    expectSame(await sweeps.list(experimentName), [closed], 'listed')
  })
}

function sweepRefusalContract(test: ContractTest): void {
  test('a sweep leaves excluded runs out, and takes the commit of a run from the run', async (store, experimentName) => {
    const { sessions, sweeps } = store
    const run = aResult({ experimentName, code: { gitCommit: 'abc', dirty: false, dirtyFiles: [] } })
    await store.save(run)
    await sessions.create({ session: 's', experimentName })
    await sessions.put(experimentName, 's', anEntry('a', { runId: run.id }))
    await sweeps.create({ sweep: 'w', experimentName, expected: ['a'] })
    expectSame((await sweeps.addSession(experimentName, 'w', 's')).resolved['a']?.gitCommit, 'abc', 'commit')
    if (store.exclude === undefined) return
    await store.exclude(run.id, 'no good')
    await sweeps.create({ sweep: 'w2', experimentName, expected: ['a'] })
    expectSame((await sweeps.addSession(experimentName, 'w2', 's')).resolved, {}, 'resolved')
  })
  test('a sweep refuses what it does not know', async ({ sweeps }, experimentName) => {
    await sweeps.create({ sweep: 'w', experimentName, expected: ['a'] })
    await expectCode(sweeps.create({ sweep: 'w', experimentName, expected: ['a'] }), 'name-duplicate')
    const none = [] as unknown as readonly [string]
    await expectCode(sweeps.create({ sweep: 'w2', experimentName, expected: none }), 'option-invalid')
    await expectCode(sweeps.addSession(experimentName, 'w', 'unknown'), 'run-unknown')
    await expectCode(sweeps.finish(experimentName, 'unknown', 'failed'), 'run-unknown')
    await expectCode(sweeps.load(experimentName, 'a/b'), 'name-invalid')
    expectSame(await sweeps.load(experimentName, 'unknown'), undefined, 'unknown')
  })
}

/** The contract of listing runs of every store. */
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
    const { id, kind, status, variant, session, startedAt, endedAt, durationMs, code } = run
    const { counts, passRate, passRateInterval, costUsd, judgeCostUsd } = run
    const head = { id, experimentName, kind, status, variant, session, startedAt, endedAt, durationMs }
    const expected = {
      ...head,
      gitCommit: code.gitCommit,
      counts,
      passRate,
      passRateInterval,
      costUsd,
      judgeCostUsd,
      excluded: null,
    }
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
