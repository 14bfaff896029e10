import type { TestHarness } from '@jurist/core/testing'
import { figuresOf } from '../result/item-figures.js'
import { resultWithItems } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { ResultStore } from '../store/store.js'
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
  trialsOf,
} from './records.js'
import { listingContract, sessionContract } from './session-contract.js'

/** How a store to be tested is opened: each call may give a new empty store, or the same one again. */
export interface ResultStoreContractSetup {
  readonly open: () => Promise<ResultStore>
}

/**
 * The contract of every store of results: nothing acknowledged is lost, trials are returned in result order, each once,
 * one run has one writer, records are replaced atomically, lists are ordered and filtered, invalid names are refused and
 * leave nothing behind.
 *
 * @example
 * import { memoryStore } from '@jurist/experiment/store'
 * import { resultStoreContract } from '@jurist/experiment/testing'
 * import { describe, test } from 'vitest'
 *
 * resultStoreContract({ describe, test }, 'memory store', { open: async () => memoryStore() })
 */
export function resultStoreContract(harness: TestHarness, name: string, setup: ResultStoreContractSetup): void {
  harness.describe(`${name} keeps the result store contract`, () => {
    /** A test with its own store, and an experiment name that no other test uses. */
    function test(what: string, body: (store: ResultStore, experimentName: string) => Promise<void>): void {
      harness.test(what, async () => {
        await using store = await setup.open()
        await body(store, `contract-${newRunId().slice(-6)}`)
      })
    }
    writingContract(test)
    concurrencyContract(test)
    resumingContract(test)
    lockingContract(test)
    savingContract(test)
    listingContract(test)
    refusalContract(test)
    sessionContract(test)
  })
}

function writingContract(test: ContractTest): void {
  test('what is appended and finished is what is loaded', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName, planned: 3 }))
    await Promise.all([writer.append(anItem()), writer.append(anItem({ itemId: 'ä "quoted" \\ 💥', passed: null }))])
    const result = await writer.finish({ status: 'stopped', stopReason: 'budget', durationMs: 7 })
    expectSame(result.trials.length, 2, 'trials')
    expectSame([result.status, result.stopReason, result.durationMs], ['stopped', 'budget', 7], 'the end')
    expectSame([result.counts.planned, result.counts.notRun, result.passRate], [3, 1, 1], 'the summary')
    expectSame(await store.load(writer.runId), await resultWithItems(result), 'loaded')
    expectSame(await store.overview(writer.runId), result, 'the overview')
  })
  test('an overview has the figures of the trials, and reads whole ones', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName }))
    const items = [anItem({ itemId: 'a' }), anItem({ itemId: 'b', judged: 'fail', passed: false, costUsd: 0.25 })]
    for (const item of items) await writer.append(item)
    await writer.finish(end)
    const overview = await store.overview(writer.runId)
    expectSame(overview?.trials, items.map(figuresOf), 'figures')
    expectSame(await overview?.readItems(), items, 'all items')
    const failed = overview?.trials.filter(({ passed }) => passed === false)
    expectSame(await overview?.readItems(failed), items.slice(1), 'one item')
  })
  test('trials come back in the order of the dataset, then by repetition', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName, itemOrder: ['b', 'a'] }))
    for (const [itemId, repetition] of [
      ['a', 2],
      ['b', 2],
      ['a', 1],
      ['b', 1],
    ] as const)
      await writer.append(anItem({ itemId, repetition }))
    expectSame(trialsOf((await writer.finish(end)).trials), ['b 1', 'b 2', 'a 1', 'a 2'], 'finished')
    expectSame(trialsOf((await store.load(writer.runId))?.items ?? []), ['b 1', 'b 2', 'a 1', 'a 2'], 'loaded')
  })
  test('the same trial again replaces the earlier one', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName }))
    await writer.append(anItem({ passed: null, agent: 'cancelled', judged: 'not-judged' }))
    await writer.append(anItem({ passed: true }))
    const ended = await writer.finish(end)
    expectSame(
      ended.trials.map(({ passed }) => passed),
      [true],
      'trials',
    )
    expectSame((await store.load(writer.runId))?.items, await ended.readItems(), 'loaded')
  })
}

function concurrencyContract(test: ContractTest): void {
  test('many appends together are all kept, each once', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName }))
    const ids = Array.from({ length: 200 }, (_, index) => `item-${index}`)
    await Promise.all(ids.map((itemId) => writer.append(anItem({ itemId }))))
    await writer.finish(end)
    const stored = (await store.load(writer.runId))?.items.map(({ itemId }) => itemId) ?? []
    expectSame([...stored].sort(), [...ids].sort(), 'items')
  })
  test('finish waits for what is still being appended', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName }))
    const appended = writer.append(anItem())
    expectSame((await writer.finish(end)).trials.length, 1, 'trials')
    await appended
  })
  test('nothing is shared with the caller', async (store, experimentName) => {
    const metadata: { note: string } = { note: 'as saved' }
    const run = aResult({ experimentName, metadata })
    await store.save(run)
    metadata.note = 'changed later'
    expectSame((await store.load(run.id))?.metadata, { note: 'as saved' }, 'metadata')
  })
}

function resumingContract(test: ContractTest): void {
  test('a run is running while it is written, interrupted when its writer lets go', async (store, experimentName) => {
    const writer = await store.open(aManifest({ experimentName, planned: 2 }))
    await writer.append(anItem())
    expectSame((await store.load(writer.runId))?.status, 'running', 'while written')
    await writer.release()
    const run = await store.load(writer.runId)
    expectSame([run?.status, run?.endedAt, run?.items.length], ['interrupted', null, 1], 'let go')
  })
  test('a run that was let go can be resumed', async (store, experimentName) => {
    const first = await store.open(aManifest({ experimentName, planned: 2, conditions: { model: 'small' } }))
    await first.append(anItem({ itemId: 'a' }))
    await first.release()
    const { manifest, items, writer } = await store.resume(first.runId)
    expectSame([manifest.id, manifest.planned, manifest.conditions], [first.runId, 2, { model: 'small' }], 'manifest')
    expectSame(trialsOf(items), ['a 1'], 'trials so far')
    await writer.extend?.({ planned: 3, itemOrder: ['b', 'a'] })
    await writer.append(anItem({ itemId: 'b' }))
    const result = await writer.finish(end)
    if (writer.extend !== undefined) {
      expectSame([result.planned, trialsOf(result.trials)], [3, ['b 1', 'a 1']], 'extended')
    }
    expectSame(result.status, 'completed', 'status')
    expectSame(await store.load(first.runId), await resultWithItems(result), 'loaded')
  })
  test('who resumes a run and adds nothing leaves it as it was', async (store, experimentName) => {
    const run = aResult({ experimentName })
    await store.save(run)
    const { writer } = await store.resume(run.id)
    expectSame((await store.load(run.id))?.status, 'running', 'while held')
    await writer.release()
    expectSame(await store.load(run.id), run, 'afterwards')
    const again = await store.resume(run.id)
    await again.writer.append(anItem({ itemId: 'more' }))
    await again.writer.release()
    const added = await store.load(run.id)
    expectSame([added?.status, added?.items.length], ['interrupted', 2], 'with one more')
  })
}

function lockingContract(test: ContractTest): void {
  test('a run has one writer', async (store, experimentName) => {
    const manifest = aManifest({ experimentName })
    const writer = await store.open(manifest)
    await expectCode(store.resume(manifest.id), 'run-locked')
    await expectCode(store.remove(manifest.id), 'run-locked')
    await expectCode(store.save(aResult({ experimentName, id: manifest.id })), 'run-locked')
    await expectCode(store.open(manifest), 'store-failed')
    await writer.finish(end)
    await writer.release()
    await expectCode(writer.append(anItem()), 'store-failed')
    await expectCode(writer.finish(end), 'store-failed')
    const { writer: next } = await store.resume(manifest.id)
    await writer.release()
    await expectCode(store.resume(manifest.id), 'run-locked')
    await next.release()
  })
}

function savingContract(test: ContractTest): void {
  test('a saved record is loaded with its summary', async (store, experimentName) => {
    const items = [anItem({ itemId: 'a' }), anItem({ itemId: 'b', judged: 'fail', passed: false, scores: { x: 0.5 } })]
    const run = aResult({ experimentName, items, kind: 'judge', variant: 'v', session: 's', baseline: 'latest' })
    await store.save(run)
    expectSame(await store.load(run.id), run, 'loaded')
  })
  test('a record of the same id replaces the earlier one', async (store, experimentName) => {
    const first = aResult({ experimentName, items: [anItem({ itemId: 'a' }), anItem({ itemId: 'b' })] })
    const second = aResult({ experimentName, id: first.id, items: [anItem({ itemId: 'c' })] })
    await store.save(first)
    await store.save(second)
    expectSame(await store.load(first.id), second, 'loaded')
    expectSame(
      (await entries(store, { experimentName })).map(({ counts }) => counts.run),
      [1],
      'listed',
    )
  })
  test('a removed run is gone', async (store, experimentName) => {
    const run = aResult({ experimentName })
    await store.save(run)
    expectThat(await store.remove(run.id), 'remove said false')
    expectThat(!(await store.remove(run.id)), 'a second remove said true')
    expectSame(await store.load(run.id), undefined, 'loaded')
    expectSame(await entries(store, { experimentName }), [], 'listed')
    if (store.files !== undefined) expectSame(await store.files(run.id), [], 'its files')
  })
}

function refusalContract(test: ContractTest): void {
  test('what is unknown is undefined; what is not a run id is refused', async (store, experimentName) => {
    expectSame(await store.load(newRunId()), undefined, 'load')
    expectThat(!(await store.remove(newRunId())), 'remove of an unknown run said true')
    await expectCode(store.resume(newRunId()), 'run-unknown')
    for (const id of ['', '..', '../../etc/passwd', 'latest', `${newRunId()}/..`]) {
      await expectCode(store.load(id), 'run-unknown')
      await expectCode(store.remove(id), 'run-unknown')
      if (store.files !== undefined) await expectCode(store.files(id), 'run-unknown')
      await expectCode(store.resume(id), 'run-unknown')
      await expectCode(store.save(aResult({ experimentName, id })), 'run-unknown')
    }
  })
  test('an experiment has a safe name', async (store) => {
    for (const experimentName of ['', '..', 'a/b', 'nul', 'Sessions', 'ends.', 'x'.repeat(65)]) {
      await expectCode(store.open(aManifest({ experimentName })), 'name-invalid')
      await expectCode(store.save(aResult({ experimentName })), 'name-invalid')
      await expectCode(store.mostRecent(experimentName), 'name-invalid')
    }
  })
  test('its functions need no this', async (store, experimentName) => {
    const { save, load } = { ...store }
    const run = aResult({ experimentName })
    await save(run)
    expectSame((await load(run.id))?.id, run.id, 'loaded')
  })
}
