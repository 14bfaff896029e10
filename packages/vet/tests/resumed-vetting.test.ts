import { fail, type Judge, outputText, pass } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { memoryStore, type ResultStore } from '@jurist/experiment/store'
import { type BenchmarkCard, establish, vet } from '@jurist/vet'
import { beforeAll, describe, expect, test } from 'vitest'

// C++ can be mutated, and few probes know it: the runs are short.
const files = (sign: string) => ({
  type: 'files' as const,
  files: { 'age.cpp': `bool isAdult(int age) { return age ${sign} 18 && age < 150; }\n` },
})
const dataset = [{ id: 'a', task: 'Adults are 18.', before: files('>'), reference: files('>=') }]

/** Counts its judgments, stops with one of them, and reports a named test, which a lock can demand. */
function judged(stop: { readonly at: number; readonly controller: AbortController }) {
  let count = 0
  const judge: Judge = async function tests({ workspace }) {
    count += 1
    if (count === stop.at) stop.controller.abort(new Error('enough'))
    const isRight = (await workspace.read('age.cpp')).includes('>= 18')
    const tests = { [isRight ? 'passed' : 'failed']: ['adults are 18'], expectsLock: true }
    return isRight ? pass('adults are 18', { metadata: { tests } }) : fail('adults are 19', { metadata: { tests } })
  }
  return { judge, count: () => count }
}

const experimentOf = (jury: Judge, store: ResultStore): ExperimentOptions => ({
  ...{ name: 'ages', dataset, jury, store, concurrency: 1 },
})

/** A card without what differs between any two. */
function comparable({ madeAt, establish, probes, mutants, ...card }: BenchmarkCard): unknown {
  const withoutRun = (part: { readonly runId: string } | null) => part && { ...part, runId: 'RUN' }
  return { ...card, establish: withoutRun(establish), probes: withoutRun(probes), mutants: withoutRun(mutants) }
}

async function runsIn(store: ResultStore): Promise<readonly string[]> {
  const kinds: string[] = []
  for await (const { kind, counts } of store.list()) kinds.push(`${kind} ${counts.run}`)
  return kinds.reverse()
}

describe('a vetting that is interrupted', () => {
  let whole: { readonly card: unknown; readonly judgments: number; readonly runs: readonly string[] }
  beforeAll(async () => {
    const store = memoryStore()
    const { judge, count } = judged({ at: 0, controller: new AbortController() })
    const card = await vet(experimentOf(judge, store), { level: 'quick' })
    whole = { card: comparable(card), judgments: count(), runs: await runsIn(store) }
    const next = await vet(experimentOf(judge, store), { level: 'quick', resume: 'latest' })
    expect(next.establish.runId).not.toBe(card.establish.runId)
    // What the tests of the lock decide of the right answer, and of nothing, is not judged again.
    expect(whole.runs).toEqual(['establish 2', 'establish 2', 'probe 1', 'mutate 2'])
  })

  // The first two judgments find named tests, with the next two these decide; the last three are of mutants.
  test.each([1, 3, 5, -1])('at judgment %i continues there, and repeats nothing that ended', async (at) => {
    const store = memoryStore()
    const controller = new AbortController()
    const { judge, count } = judged({ at: at > 0 ? at : whole.judgments + 1 + at, controller })
    const experiment = experimentOf(judge, store)
    const interrupted = await vet(experiment, { level: 'quick', signal: controller.signal })
    expect(interrupted.conclusion).not.toBe('sound')
    const card = await vet(experiment, { level: 'quick', resume: 'latest' })
    expect(comparable(card)).toEqual(whole.card)
    expect(await runsIn(store)).toEqual(whole.runs)
    // The trial that was interrupted runs again, no other.
    expect(count()).toBe(whole.judgments + 1)
    const next = await vet(experiment, { level: 'quick', resume: 'latest' })
    expect(next.establish.runId).not.toBe(card.establish.runId)
  })
})

test('a vetting that is interrupted while a probe is tried on further items continues there', async () => {
  const three = ['12', '34', '56'].map((answer) => ({ id: answer, task: `Say ${answer}.`, expectedOutput: answer }))
  const lax = outputText({ matches: /12|34|56/ })
  const vetted = async (at: number) => {
    const [store, controller] = [memoryStore(), new AbortController()]
    let count = 0
    const judge: Judge = (context) => {
      count += 1
      if (count === at) controller.abort(new Error('enough'))
      return lax(context)
    }
    const experiment = { name: 'answers', dataset: three, jury: judge, store, concurrency: 1 }
    const first = await vet(experiment, { level: 'quick', signal: controller.signal })
    const card = controller.signal.aborted ? await vet(experiment, { level: 'quick', resume: 'latest' }) : first
    return { count, card: comparable(card), runs: await runsIn(store), first: first.conclusion }
  }
  const whole = await vetted(0)
  // The right answers and nothing, four probes, and two more trials of the one that got through.
  expect(whole).toMatchObject({ count: 12, runs: ['establish 6', 'probe 6'], first: 'problems' })
  for (const at of [11, 12]) {
    const { count, card, runs, first } = await vetted(at)
    expect({ count, card, runs, first }).toEqual({ ...whole, count: 13, first: 'problems' })
  }
})

test.each([
  { at: 2, step: 'while it finds tests', runs: ['establish 2', 'establish 2'] },
  { at: 3, step: 'while they decide', runs: ['establish 2', 'establish 2'] },
])('establish that is interrupted $step is not complete, writes no lock and is resumed', async ({ at, runs }) => {
  const store = memoryStore()
  const controller = new AbortController()
  const { judge, count } = judged({ at, controller })
  const experiment = experimentOf(judge, store)
  const first = await establish(experiment, { repeat: 1, signal: controller.signal })
  expect(first).toMatchObject({ complete: false, conclusion: 'nothing-said', written: [] })
  const again = await establish(experiment, { repeat: 1, resume: 'latest' })
  expect(again).toMatchObject({ complete: true, runId: first.runId, solvable: { count: 1, of: 1 } })
  expect([count(), await runsIn(store)]).toEqual([5, runs])
})
