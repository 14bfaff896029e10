import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { completed, runExperiment } from '@jurist/experiment'
import { type ExperimentResult, resultOf } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aborted, anExperiment, someItems, temporaryDirectory } from '../../experiment/tests/run-support.js'
import { mergeRuns } from '../src/index.js'
import { mergePlan, storeMerged } from '../src/internal.js'

type Options = Parameters<typeof anExperiment>[1]

function shardsOf(count: number, options: Options = {}, durations?: Readonly<Record<string, number>>) {
  const more = durations === undefined ? {} : { durations }
  return Promise.all(
    Array.from({ length: count }, (_, position) => {
      const shard = { index: position + 1, count, ...more }
      return runExperiment(anExperiment(7, { repetitions: 2, ...options }), { shard }).result
    }),
  )
}

/** The overviews of runs that are stored in a directory. */
async function storedIn(directory: string, runs: readonly ExperimentResult[]) {
  const store = fileStore(directory)
  for (const run of runs) await store.save(run)
  return (await Promise.all(runs.map(({ id }) => store.overview(id)))).flatMap((run) => run ?? [])
}

/** What may differ between two runs of the same: ids, times, hosts. */
function withoutTimes(run: ExperimentResult): unknown {
  const { id, merged, startedAt, endedAt, durationMs, agentMs, environment, items, itemOrder, ...rest } = run
  return {
    ...rest,
    items: items.map(({ startedAt, endedAt, durationMs, setupMs, agentMs, juryMs, detail, verdict, ...item }) => ({
      ...item,
      aggregated: verdict?.aggregated,
    })),
  }
}

/** The message of what a merge is refused with. */
function refusal(shards: readonly ExperimentResult[], code = 'merge-mismatch'): string {
  try {
    mergeRuns(shards)
  } catch (thrown) {
    expect(thrown).toMatchObject({ code })
    return (thrown as Error).message
  }
  throw new Error('The shards were merged.')
}

describe('merged shards', () => {
  it.each([
    ['dealt in order', undefined],
    ['dealt by durations', { 'item-3': 500, 'item-5': 20 }],
  ])('that were %s equal one run', async (_, durations) => {
    const whole = await runExperiment(anExperiment(7, { repetitions: 2 })).result
    const shards = await shardsOf(3, {}, durations)
    const merged = mergeRuns([shards[1], shards[2], shards[0]] as ExperimentResult[])
    expect(withoutTimes(resultOf(merged))).toEqual(withoutTimes(whole))
    expect(merged.merged).toEqual(shards.map(({ id }) => id))
    expect(merged.startedAt).toBe(shards.map(({ startedAt }) => startedAt).sort()[0])
    expect(merged.endedAt).toBe(shards.map(({ endedAt }) => endedAt).sort()[2])
    expect(shards.map(({ id }) => id)).not.toContain(merged.id)
  })

  it('are written as the same bytes, whatever the order of the arguments', async () => {
    const shards = await shardsOf(4)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(shards, { minLength: 4 }), async (given) => {
        expect(mergeRuns(given).items).toEqual(mergeRuns(shards).items)
      }),
    )
    const stored = async (runs: readonly ExperimentResult[]) => {
      const directory = temporaryDirectory()
      const plan = mergePlan(runs)
      await storeMerged(plan, directory)
      const { id, endedAt } = plan.record
      expect(await fileStore(directory).overview(id)).toMatchObject({ status: 'completed', endedAt })
      return readFileSync(join(directory, 'test', id, 'items.jsonl'), 'utf8')
    }
    expect(await stored(shards.toReversed())).toEqual(await stored(shards))
  })

  it('count once when one is given twice', async () => {
    const [first, second] = (await shardsOf(2)) as [ExperimentResult, ExperimentResult]
    expect(mergeRuns([first, second, structuredClone({ ...first })]).items.length).toBe(14)
  })

  it.each([3, 20])('are copied from their files as they are, 14 trials of %i shards', async (count) => {
    const results = await shardsOf(count)
    const from = temporaryDirectory()
    const shards = await storedIn(from, results)
    const directory = temporaryDirectory()
    const plan = mergePlan(shards)
    const files = shards.map((run) => ({ run, directory: from }))
    await storeMerged(plan, directory, { shards: files, base: directory })
    const merged = await fileStore(directory).load(plan.record.id)
    expect(merged?.items).toEqual(mergeRuns(results).items)
    expect(merged).not.toHaveProperty('itemOrder')
  })

  it('are no run when storing fails', async () => {
    const [from, directory] = [temporaryDirectory(), temporaryDirectory()]
    const plan = mergePlan(await storedIn(from, await shardsOf(2)))
    rmSync(join(from, 'test', plan.shards[1]?.id ?? '', 'items.jsonl'))
    await expect(storeMerged(plan, directory)).rejects.toMatchObject({ code: 'store-failed' })
    for await (const entry of fileStore(directory).list()) expect(entry).toBeUndefined()
  })
})

describe('shards that are missing or unfinished', () => {
  it('are named, and refused', async () => {
    const shards = await shardsOf(3)
    const message = refusal([shards[1] as ExperimentResult], 'merge-incomplete')
    expect(message).toMatch(/shard 1\/3 of test is missing\n {2}shard 3\/3 of test is missing\n.*--allow-missing/)
  })

  it('are merged when that is allowed, and the run can be resumed', async () => {
    const directory = temporaryDirectory()
    const store = fileStore(directory)
    const [first] = await shardsOf(3)
    const options = anExperiment(7, { repetitions: 2, store, concurrency: 1 })
    let calls = 0
    const agent: typeof options.agent = async function echo(task) {
      calls += 1
      if (calls === 1) return completed(task.prompt)
      run.cancel()
      await aborted(task.signal)
      return completed()
    }
    const run = runExperiment({ ...options, agent }, { shard: { index: 2, count: 3 } })
    const broken = await run.result
    const shards = [first as ExperimentResult, broken]
    expect(refusal(shards, 'merge-incomplete')).toContain(
      `shard 2/3 is interrupted: run ${broken.id} has 2 of 5 trials\n  shard 3/3 of test is missing`,
    )
    const plan = mergePlan(shards, { allowMissing: true })
    await storeMerged(plan, directory)
    const merged = await store.load(plan.record.id)
    expect(merged).toMatchObject({ status: 'interrupted', planned: 14, counts: { run: 7, notRun: 7 } })
    const resumed = await runExperiment(options, { resume: plan.record.id }).result
    expect(resumed).toMatchObject({ status: 'completed', passCount: 14, counts: { notRun: 0 } })
  })
})

describe('runs that are not shards of one run', () => {
  it.each<[string, Options, RegExp]>([
    ['model', { model: 'large' }, /differ in model: null and "large"/],
    ['prompt', { prompt: 'Do {{task}}' }, /differ in prompt/],
    ['experiment', { name: 'other' }, /differ in the experiment: "test" and "other"/],
    [
      'items',
      { dataset: someItems(6) },
      /differ in the plan \(dataset\.hash\): .*\n.*differ in the number of trials: 14 and 12/,
    ],
    ['repetitions', { repetitions: 3 }, /differ in repetitions: \[2,null\] and \[3,null\]/],
  ])('differ in their %s, which is named', async (_, other, message) => {
    const [a] = await shardsOf(2)
    const [, b] = await shardsOf(2, other)
    const text = refusal([a, b] as ExperimentResult[])
    expect(text).toMatch(message)
    expect(text).toContain(`run ${a?.id} and run ${b?.id}`)
  })

  it('were dealt in other ways', async () => {
    const [a] = await shardsOf(2)
    expect(refusal([a, (await shardsOf(3))[1]] as ExperimentResult[])).toContain(
      'differ in the number of shards: 2 and 3',
    )
    const timed = (await shardsOf(2, {}, { 'item-1': 5 }))[1]
    expect(refusal([a, timed] as ExperimentResult[])).toContain('differ in how trials are dealt: "order" and "seconds"')
    const others = await Promise.all([5, 6].map((ms) => shardsOf(2, {}, { 'item-1': ms })))
    expect(refusal([others[0]?.[0], others[1]?.[1]] as ExperimentResult[])).toMatch(
      /differ in the durations: "[0-9a-f]{64}/,
    )
  })

  it('belong to other variants, sessions or commits', async () => {
    const [a, b] = (await shardsOf(2)) as [ExperimentResult, ExperimentResult]
    expect(refusal([a, { ...b, variant: 'large', session: 's2' }])).toMatch(
      /differ in the variant: null and "large"\n.*differ in the session: null and "s2"/,
    )
    const code = { ...b.code, gitCommit: 'f'.repeat(40) }
    expect(refusal([a, { ...b, code }])).toContain('differ in the commit')
  })

  it('have one index, are running, or are no shards', async () => {
    const [a, b] = (await shardsOf(2)) as [ExperimentResult, ExperimentResult]
    const [again] = (await shardsOf(2)) as [ExperimentResult]
    expect(refusal([a, b, again])).toMatch(/run \S+ and run \S+ are both shard 1\/2: exclude or remove one/)
    expect(refusal([a, { ...b, status: 'running' }])).toContain(`run ${b.id} is still running`)
    const whole = await runExperiment(anExperiment(7)).result
    expect(refusal([a, b, whole])).toContain(`run ${whole.id} is not a shard`)
    expect(refusal([])).toContain('there is no shard')
  })

  it('have trials of another shard, or of each other', async () => {
    const [a, b] = (await shardsOf(2)) as [ExperimentResult, ExperimentResult]
    const stolen = resultOf({ ...b, items: [...b.items.slice(1), ...a.items.slice(0, 1)] })
    expect(refusal([a, stolen])).toMatch(/item-\d#\d of run \S+ does not belong to shard 2\/2/)
    const [c, d] = (await shardsOf(2, {}, { 'item-1': 5 })) as [ExperimentResult, ExperimentResult]
    const doubled = resultOf({ ...d, items: [...d.items.slice(1), ...c.items.slice(0, 1)] })
    expect(refusal([c, doubled])).toMatch(new RegExp(`item-\\d#\\d is in run ${c.id} and in run ${d.id}`))
    const changed = { ...a, items: a.items.map((item) => ({ ...item, passed: false })) }
    expect(refusal([a, b, resultOf(changed)])).toContain(`run ${a.id} is given twice, and the two are not equal`)
  })
})
