import { abstain, cascade, consensus, fail, flatten, type Judge, jury, majority, outputText, pass } from '@jurist/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  copyWorkspaces,
  type ExperimentOptions,
  type InlineItem,
  planExperiment,
  runExperiment,
} from '../../src/index.js'
import { rejudge } from '../../src/rejudge/index.js'
import { memoryStore } from '../../src/store/index.js'
import { aborted, anExperiment, echo } from '../run-support.js'

/** Reads `{ contains }`, which is enough to see which judge checks what. */
const describedJudges: NonNullable<ExperimentOptions['describedJudges']> = async (judges, { report }) => {
  const contains = typeof judges === 'object' && judges !== null && 'contains' in judges ? judges.contains : undefined
  if (typeof contains === 'string') return jury({ judges: { contains: outputText({ contains }) } })
  report(['contains'], 'is missing.', 'Write {"contains": …}.')
  return undefined
}

const own = (item: Partial<InlineItem>): InlineItem => ({ task: 'good', ...item })

function experiment(dataset: readonly InlineItem[], options: Partial<ExperimentOptions> = {}): ExperimentOptions {
  return anExperiment(0, { dataset, describedJudges, ...options })
}

const passedOf = async (options: ExperimentOptions) =>
  (await runExperiment(options).result).items.map(({ passed }) => passed)

describe('the judges of an item', () => {
  const says = (passes: boolean): Judge => (passes ? () => pass('yes') : () => fail('no'))

  test('join the jury: a trial passes if and only if both do, and alone they decide alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), fc.boolean(), async (members, item) => {
        const judges = Object.fromEntries(members.map((passes, index) => [`m${index}`, says(passes)]))
        const whole = jury({ judges, vote: majority() })
        const own = (await whole.vote({})).aggregated.status === 'pass'
        const dataset = [{ task: 'x', jury: says(item) }, { task: 'y' }]
        expect(await passedOf(experiment(dataset, { jury: whole }))).toEqual([own && item, own])
        expect(await passedOf(experiment(dataset, { jury: whole, itemJury: 'replace' }))).toEqual([item, own])
        expect(await passedOf(experiment(dataset, { jury: whole, itemJury: 'first' }))).toEqual([own && item, own])
        const { jury: _, ...without } = experiment(dataset)
        expect(await passedOf(without)).toEqual([item, null])
      }),
      { numRuns: 12 },
    )
  })

  test('are below "item" in the verdict, the scores and the description of the jury', async () => {
    const dataset = [
      own({ id: 'a', judges: { contains: 'good' } }),
      own({ id: 'b', judges: { contains: 'bad' } }),
      own({ id: 'c' }),
    ]
    const { items, jury: description, conditions } = await runExperiment(experiment(dataset)).result
    expect(items.map(({ passed, scores }) => [passed, Object.keys(scores)])).toEqual([
      [true, ['good', 'item', 'item/contains']],
      [false, ['good', 'item', 'item/contains']],
      [true, ['good']],
    ])
    expect(description?.judges.map(({ path }) => path)).toEqual(['good', 'item/contains'])
    expect(conditions['jury']).toBe(description?.fingerprint)
    const { jury: alone } = await runExperiment(experiment([own({ id: 'a' })])).result
    expect(alone?.fingerprint).not.toBe(description?.fingerprint)
  })

  test('are the first tier of a cascade', async () => {
    const tiers = cascade([{ name: 'meaning', jury: () => pass('fine'), policy: 'final' }])
    const { items, jury: description } = await runExperiment(
      experiment([own({ judges: { contains: 'bad' } }), own({})], { jury: tiers }),
    ).result
    expect(items.map(({ verdict }) => verdict && flatten(verdict).map(({ path }) => path))).toEqual([
      ['', '/item', '/item/contains'],
      ['', '/meaning', '/meaning/judge'].map((path) =>
        path.replace('judge', Object.keys(items[1]?.verdict?.individual ?? {})[0] ?? ''),
      ),
    ])
    expect(description?.tiers).toEqual([{ name: 'meaning', policy: 'final' }])
  })

  test('are part of the hash; a jury of the program is not', async () => {
    const dataset = [own({ id: 'a' }), own({ id: 'b', judges: { contains: 'x' } }), own({ id: 'c', jury: says(true) })]
    const { items } = await runExperiment(experiment(dataset)).result
    const [a, b, c] = items.map(({ itemHash }) => itemHash)
    expect([a === b, a === c]).toEqual([false, true])
  })

  test('are refused with their places; without a reader the items are named', async () => {
    const dataset = [own({ id: 'a', judges: { contain: 'x' } }), own({ id: 'b', judges: 'strict' })]
    const { problems, trials } = await planExperiment(experiment(dataset))
    expect(problems.map(({ item, field, problem }) => [item, field, problem])).toEqual([
      ['a', 'judges.contains', 'is missing.'],
      ['b', 'judges.contains', 'is missing.'],
    ])
    expect(trials).toBe(0)
    const { describedJudges: _, ...without } = experiment(dataset)
    await expect(runExperiment(without).result).rejects.toThrow(/a, b describe judges.*\n?.*describedJudges\(\)/)
  })

  test('cannot join a jury that has a member of their name', async () => {
    const taken = jury({ judges: { item: says(true) } })
    await expect(runExperiment(experiment([own({ jury: says(true) })], { jury: taken })).result).rejects.toThrow(
      /Rename/,
    )
    expect(await passedOf(experiment([own({ jury: says(true) })], { jury: taken, itemJury: 'replace' }))).toEqual([
      true,
    ])
  })
})

describe('the limits of an item', () => {
  test('an item says how often it runs; figures count each item by its own trials', async () => {
    const dataset = [own({ id: 'a', repetitions: 3 }), own({ id: 'b' }), own({ id: 'c', repetitions: 1 })]
    const { counts, passAtK, configuration } = await runExperiment(experiment(dataset, { repetitions: 2 })).result
    expect(counts).toMatchObject({ planned: 6, run: 6, notRun: 0 })
    expect(configuration['itemRepetitions']).toEqual({ a: 3, c: 1 })
    expect(passAtK.map(({ k, items }) => [k, items])).toEqual([
      [1, 3],
      [2, 2],
      [3, 1],
    ])
    expect((await planExperiment(experiment(dataset, { repetitions: 2 }))).trials).toBe(6)
  })

  test('a run with unequal repetitions resumes to its own plan', async () => {
    const store = memoryStore()
    const dataset = [own({ id: 'a', repetitions: 3 }), own({ id: 'b' })]
    let calls = 0
    const agent: ExperimentOptions['agent'] = async function agent(task) {
      calls += 1
      if (calls === 3) {
        first.cancel()
        await aborted(task.signal)
      }
      return echo(task)
    }
    const options = experiment(dataset, { store, agent, concurrency: 1 })
    const first = runExperiment(options)
    expect((await first.result).counts).toMatchObject({ planned: 4, notRun: 1 })
    const { counts, items } = await runExperiment({ ...options, repetitions: 5 }, { resume: 'latest' }).result
    expect(counts).toMatchObject({ planned: 4, run: 4, notRun: 0 })
    expect(items.map(({ itemId, repetition }) => `${itemId}${repetition}`)).toEqual(['a1', 'a2', 'a3', 'b1'])
    expect(calls).toBe(5)
  })

  test('an item has its own time limit for the agent', async () => {
    const limits: unknown[] = []
    const agent: ExperimentOptions['agent'] = async (task) => {
      limits.push(task.timeoutMs)
      return echo(task)
    }
    const dataset = [own({ timeoutMs: 1234 }), own({})]
    await runExperiment(experiment(dataset, { agent, itemTimeoutMs: 99_000, concurrency: 1 })).result
    expect(limits).toEqual([1234, 99_000])
  })

  test('an image needs containers', async () => {
    const dataset = [own({ id: 'a', image: 'node:24' })]
    const refused = runExperiment(experiment(dataset)).result
    await expect(refused).rejects.toThrow(
      /image: "node:24" is a container image, and the experiment runs no containers/,
    )
    const images: string[] = []
    const containers = (image: string) => ({
      name: 'containers',
      isolation: 'container' as const,
      probe: async () => {},
      withImage: containers,
      async launch() {
        images.push(image)
        return { file: 'true', args: [], cwd: '/', env: {}, stop: async () => {} }
      },
    })
    const agent: ExperimentOptions['agent'] = async (task) => {
      await task.workspace.run('true')
      return echo(task)
    }
    const provision = copyWorkspaces({ sandbox: containers('standard') })
    await runExperiment(experiment([...dataset, own({ id: 'b' })], { provision, agent, concurrency: 1 })).result
    expect(images).toEqual(['node:24', 'standard'])
  })
})

describe('judged again', () => {
  test('the judges of the items join the new jury, or replace it; they need their reader', async () => {
    const store = memoryStore()
    const dataset = [own({ id: 'a', judges: { contains: 'bad' } }), own({ id: 'b' })]
    const run = await runExperiment(experiment(dataset, { store })).result
    const again = async (options: Parameters<typeof rejudge>[2]) =>
      (
        await rejudge(run, jury({ judges: { strict: () => fail('no') } }), { store, workspaces: 'none', ...options })
          .result
      ).items.map(({ passed, scores }) => [passed, Object.keys(scores)])
    expect(await again({ describedJudges })).toEqual([
      [false, ['strict', 'item', 'item/contains']],
      [false, ['strict']],
    ])
    expect(await again({ describedJudges, itemJury: 'replace' })).toEqual([
      [false, ['item', 'item/contains']],
      [false, ['strict']],
    ])
    await expect(again({})).rejects.toThrow(/a describe judges/)
  })

  test('a trial whose item had a jury of the program is left out, and not judged by half of its judges', async () => {
    const store = memoryStore()
    const run = await runExperiment(experiment([own({ id: 'a', jury: () => fail('no') }), own({ id: 'b' })], { store }))
      .result
    const { items } = await rejudge(run, jury({ judges: { lenient: () => pass('y') } }), { store, workspaces: 'none' })
      .result
    expect(items.map(({ passed, judged }) => [passed, judged])).toEqual([
      [null, 'not-judged'],
      [true, 'pass'],
    ])
  })

  test('of a cascade, their tier can be chosen', async () => {
    const store = memoryStore()
    const tiers = cascade([
      { name: 'meaning', jury: jury({ judges: { m: () => abstain('?') }, vote: consensus() }), policy: 'final' },
    ])
    const dataset = [own({ id: 'a', judges: { contains: 'good' } }), own({ id: 'b' })]
    const run = await runExperiment(experiment(dataset, { store, jury: tiers })).result
    const options = { store, workspaces: 'none' as const, describedJudges, tiers: ['item'] }
    const { items } = await rejudge(run, tiers, options).result
    expect(items.map(({ judged }) => judged)).toEqual(['pass', 'not-judged'])
  })
})
