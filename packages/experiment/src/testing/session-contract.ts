import type { VariantEntry } from '../store/sessions.js'
import { sweepStatus } from '../store/sweeps.js'
import type { ContractTest } from './contract-test.js'
import { expectCode, expectSame } from './expectations.js'
import { aResult } from './records.js'

function anEntry(variant: string, overrides: Partial<VariantEntry> = {}): VariantEntry {
  const runId = aResult().id
  return { variant, runId, status: 'completed', passRate: 1, trials: 1, costUsd: null, durationMs: 1, ...overrides }
}

/** What the sessions and sweeps of every store must keep. */
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
  sweepContract(test)
  sweepRefusalContract(test)
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
