import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Agent,
  abstain,
  cascade,
  fail,
  fileExists,
  type Judge,
  type JudgmentContext,
  type Jury,
  jury,
  named,
  pass,
  textOutput,
  withInfo,
} from '@jurist/core'
import { expect, test } from 'vitest'
import { compare } from '../../src/compare/index.js'
import { completed, type ExperimentOptions, errored, runExperiment, timedOut } from '../../src/index.js'
import { rejudge, storedContext } from '../../src/rejudge/index.js'
import type { ExperimentResult } from '../../src/result/index.js'
import { expectedOutputOf } from '../../src/result/trial-texts.js'
import { fileStore, memoryStore } from '../../src/store/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { eventsOf, ofType, temporaryDirectory } from '../run-support.js'

const priced = (judge: Judge, costUsd: number): Judge =>
  named(async (context) => {
    const judgment = await judge(context)
    return typeof judgment === 'boolean' ? judgment : { ...judgment, costUsd }
  }, 'priced')

/** Writes its prompt into a file and costs a dollar; `slow` runs out of time, `broken` breaks. */
const writer: Agent = async function writer({ prompt, workspace }) {
  await workspace.write('answer.txt', prompt)
  const facts = { output: prompt, costUsd: 1, usage: { inputTokens: 5 }, elapsedMs: 7, metadata: { model: 'm' } }
  if (prompt.includes('slow')) return timedOut('too slow', facts)
  return prompt.includes('broken') ? errored(new Error('broken'), facts) : completed(facts)
}

const hasAnswer = fileExists('answer.txt')

async function aRun(options: Partial<ExperimentOptions> = {}): Promise<ExperimentResult> {
  const run = runExperiment({
    name: 'test',
    dataset: [
      { id: 'a', task: 'task a' },
      { id: 'b', task: 'task b' },
    ],
    agent: writer,
    jury: hasAnswer,
    retries: { attempts: 1 },
    ...options,
  })
  return run.result
}

/** Every file below a directory with its content. */
function filesBelow(directory: string): Readonly<Record<string, string>> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    names.map((entry) => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    ]),
  )
}

test('judges kept workspaces again without the agent, and leaves the source as it was', async () => {
  const results = temporaryDirectory()
  const source = await aRun({ store: results })
  const before = filesBelow(join(results, 'test', source.id))
  const seen: JudgmentContext[] = []
  const strict: Judge = async function strict(context) {
    seen.push(context)
    const text = await context.workspace.read('answer.txt')
    await context.workspace.run('echo changed > answer.txt')
    return text.includes('a\n') || text.endsWith('a') ? pass('it is a') : fail('it is not a')
  }
  const run = rejudge(source.id, priced(strict, 0.25), { store: results, concurrency: 1 })
  const events = await eventsOf(run)
  const result = await run.result
  expect(filesBelow(join(results, 'test', source.id))).toEqual(before)
  expect(result).toMatchObject({
    kind: 'rejudge',
    status: 'completed',
    id: run.runId,
    passCount: 1,
    failCount: 1,
    costUsd: 2,
    judgeCostUsd: 0.5,
    lineage: {
      rejudgedFrom: source.id,
      root: source.id,
      systemReinvoked: false,
      originalStartedAt: source.startedAt,
      jury: result.jury?.fingerprint,
      tiers: null,
    },
  })
  expect(result.conditions).toMatchObject({
    ...source.conditions,
    jury: result.jury?.fingerprint,
    costAlreadyCounted: source.id,
  })
  expect(result.jury?.fingerprint).not.toBe(source.jury?.fingerprint)
  expect(result.items.map(({ itemId, passed, agentMs, costUsd }) => [itemId, passed, agentMs, costUsd])).toEqual(
    source.items.map(({ itemId, agentMs, costUsd }) => [itemId, itemId === 'a', agentMs, costUsd]),
  )
  expect(result.items[1]?.metadata['rejudge']).toEqual({
    rejudged: true,
    originalJudged: 'pass',
    originalPassed: true,
    originalJury: source.jury?.fingerprint,
    originalStartedAt: source.startedAt,
  })
  expect(seen[0]).toMatchObject({ goal: 'task a', status: 'success', executionMs: 7, agentOutput: { text: 'task a' } })
  expect(seen[0]?.metadata).toMatchObject({ model: 'm', itemId: 'a', repetition: 1, runId: source.id, costUsd: 1 })
  for (const { workspace } of seen) expect(existsSync(workspace.root ?? '')).toBe(false)
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['experiment-start', 'item-start', 'item-phase', 'judgment', 'item-end', 'experiment-end']),
  )
  expect(ofType(events, 'item-end').map(({ done }) => done)).toEqual([1, 2])
  const store = fileStore(results)
  expect(await store.load(result.id)).toEqual(result)
  expect((await store.mostRecent('test'))?.id).toBe(source.id)
  await store[Symbol.asyncDispose]()
})

test('can be repeated: the parent is the run before, the root stays, the workspace is found', async () => {
  const store = temporaryDirectory()
  const source = await aRun({ store })
  const first = await rejudge(source.id, () => fail('no'), { store }).result
  const second = await rejudge(first, hasAnswer, { store }).result
  expect(second.passCount).toBe(2)
  expect(second.lineage).toMatchObject({ rejudgedFrom: first.id, root: source.id, originalStartedAt: source.startedAt })
  expect(second.items[0]?.workspacePath).toBe(`../${source.id}/workspaces/a--1`)
  expect(second.items[0]?.metadata['rejudge']).toMatchObject({ originalJudged: 'fail' })
})

test('the two can be compared: they differ in the jury alone', async () => {
  const store = temporaryDirectory()
  const dataset = ['fine', 'slow'].map((task) => ({ id: task, task }))
  const source = await aRun({ store, dataset, judgeTimeoutMs: 5_000, judgeFailedRuns: true })
  const result = await rejudge(source.id, () => fail('no'), { store }).result
  expect(result.counts.decided).toBe(2)
  const { differences, counts } = compare(source, result)
  expect(differences.map(({ condition }) => condition)).toEqual(['jury'])
  expect(counts.regressed).toBe(2)
})

test('in place it is the kept workspace that judges see; with none an empty one', async () => {
  const store = temporaryDirectory()
  const source = await aRun({ store })
  const roots: (string | undefined)[] = []
  const look: Judge = async ({ workspace }) => {
    roots.push(workspace.root)
    return (await workspace.exists('answer.txt')) ? pass('there') : fail('gone')
  }
  expect((await rejudge(source.id, look, { store, workspaces: 'in-place', concurrency: 1 }).result).passCount).toBe(2)
  expect(roots[0]?.endsWith(join(source.id, 'workspaces', 'a--1'))).toBe(true)
  expect(existsSync(join(roots[0] ?? '', 'answer.txt'))).toBe(true)
  expect((await rejudge(source.id, look, { store, workspaces: 'none' }).result).failCount).toBe(2)
})

test('says which workspaces are missing, and why, and leaves them out of the rate', async () => {
  const store = temporaryDirectory()
  const unkept = await aRun({ store, preserveWorkspaces: 'none' })
  const skipped = await rejudge(unkept.id, hasAnswer, { store }).result
  expect(skipped).toMatchObject({ passRate: null, counts: { undecided: 2, judged: { 'not-judged': 2 } } })
  expect(skipped.items[0]).toMatchObject({
    judged: 'not-judged',
    passed: null,
    verdict: null,
    scores: {},
    metadata: {
      original: { judged: 'pass', passed: true, failure: null },
      rejudge: { rejudged: false, reason: 'workspace-missing', message: expect.stringContaining('was not kept') },
    },
  })
  const lost = await aRun({ store })
  rmSync(join(store, 'test', lost.id, 'workspaces', 'b--1'), { recursive: true })
  const partly = await rejudge(lost.id, hasAnswer, { store }).result
  expect(partly).toMatchObject({ passRate: 1, counts: { decided: 1 } })
  expect(partly.items[1]?.metadata['rejudge']).toMatchObject({ reason: 'workspace-missing' })
})

test('texts without files are judged again from any store, the right answer too', async () => {
  const store = memoryStore()
  const source = await aRun({
    store,
    agent: async ({ prompt }) => completed(prompt),
    jury: () => abstain('later'),
    dataset: [
      { id: 'a', task: 'four', expectedOutput: 'four', referenceData: ['2 + 2 is four'], noChange: true },
      { id: 'b', task: 'five', expectedOutput: 'six' },
    ],
  })
  const facts: unknown[] = []
  const equal: Judge = ({ agentOutput, expectedOutput, referenceData, metadata }) => {
    facts.push([referenceData, metadata['noChange']])
    return JSON.stringify(agentOutput) === JSON.stringify(expectedOutput)
  }
  const result = await rejudge(source.id, equal, { store, concurrency: 1 }).result
  expect(result.items.map(({ passed }) => passed)).toEqual([true, false])
  expect(result.items.map(({ expectedOutput }) => expectedOutput)).toEqual([textOutput('four'), textOutput('six')])
  expect(facts).toEqual([
    [['2 + 2 is four'], true],
    [undefined, false],
  ])
})

test('the right answer is read from older trials, which have it in their metadata', () => {
  const answer = { type: 'text', text: 'four' } as const
  expect(expectedOutputOf({ expectedOutput: answer, metadata: {} })).toBe(answer)
  expect(expectedOutputOf({ metadata: { expectedOutput: answer } })).toBe(answer)
  expect(expectedOutputOf({ metadata: { expectedOutput: 'a note of a user' } })).toBe(null)
  expect(expectedOutputOf({ metadata: {} })).toBe(null)
})

test('trials whose agent did not complete are skipped, unless asked for', async () => {
  const store = temporaryDirectory()
  const dataset = ['fine', 'slow', 'broken'].map((task) => ({ id: task, task }))
  const source = await aRun({ store, dataset })
  expect(source.items.map(({ passed }) => passed)).toEqual([true, false, false])
  const skipped = await rejudge(source.id, hasAnswer, { store }).result
  expect(skipped.items.map(({ passed }) => passed)).toEqual([true, null, null])
  expect(skipped.items[1]?.metadata['rejudge']).toMatchObject({ reason: 'agent-not-completed' })
  expect(skipped.items[1]?.failure?.code).toBe('agent-timeout')
  const all = await rejudge(source.id, hasAnswer, { store, judgeFailedRuns: true }).result
  expect(all.items.map(({ passed, agent }) => [passed, agent])).toEqual([
    [true, 'completed'],
    [true, 'timeout'],
    [true, 'error'],
  ])
})

test('a filter chooses trials; a run that is not saved is nowhere', async () => {
  const directory = temporaryDirectory()
  const source = await aRun({ store: directory })
  const result = await rejudge(source.id, hasAnswer, {
    store: directory,
    save: false,
    filter: ({ itemId }) => itemId === 'b',
  }).result
  expect(result).toMatchObject({ planned: 1, passCount: 1 })
  const store = fileStore(directory)
  expect(await store.load(result.id)).toBeUndefined()
  await store[Symbol.asyncDispose]()
})

test('chosen tiers run in the order of the cascade, the last decides, the others keep what they said', async () => {
  const calls: string[] = []
  const tier = (name: string, judge: Judge, costUsd: number) =>
    jury({
      judges: {
        [name]: priced(
          withInfo(
            async (context) => {
              calls.push(name)
              return judge(context)
            },
            { name, kind: 'deterministic' },
          ),
          costUsd,
        ),
      },
    })
  const made = (last: Judge) =>
    cascade([
      { name: 'rules', jury: tier('rules', () => pass('ok'), 1), policy: 'reject-on-any-fail' },
      { name: 'style', jury: tier('style', () => pass('fine'), 2), policy: 'reject-on-any-fail' },
      { name: 'meaning', jury: tier('meaning', last, 4), policy: 'final' },
    ])
  const store = memoryStore()
  const source = await aRun({ store, jury: made(() => fail('no')), agent: async () => completed('x') })
  calls.length = 0
  const result = await rejudge(
    source,
    made(() => pass('yes')),
    { store, tiers: ['meaning', 'style'], concurrency: 1 },
  ).result
  expect(calls).toEqual(['style', 'meaning', 'style', 'meaning'])
  expect(result.lineage?.tiers).toEqual(['meaning', 'style'])
  const verdict = result.items[0]?.verdict
  expect(verdict?.aggregated.status).toBe('pass')
  expect(verdict?.tiers?.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['rules', 'escalated'],
    ['style', 'escalated'],
    ['meaning', 'decided'],
  ])
  expect(result.items[0]?.scores).toMatchObject({ 'rules/rules': 1, 'style/style': 1, 'meaning/meaning': 1 })
  expect(result.items[0]?.judgeCostUsd).toBe(6)
  const style = await rejudge(
    source,
    made(() => fail('unasked')),
    { store, tiers: ['style'] },
  ).result
  expect(style.items[0]?.verdict).toMatchObject({ aggregated: { status: 'pass' } })
})

test('a chosen tier that is accepted when it decided keeps its policy, the last one chosen decides', async () => {
  const unsure: Judge = () => abstain('unsure')
  const made = (quick: Judge, cheap: Judge) =>
    cascade([
      { name: 'quick', jury: quick, policy: 'accept-when-decided' },
      { name: 'cheap', jury: cheap, policy: 'accept-when-decided' },
      { name: 'dear', jury: () => pass('yes'), policy: 'final' },
    ])
  const source = await aRun({ jury: made(unsure, unsure), agent: async () => completed('x') })
  const outcomes = async (jury: Jury, ...tiers: readonly string[]) => {
    const { items } = await rejudge(source, jury, { tiers, save: false }).result
    const { aggregated, tiers: ran = [] } = items[0]?.verdict ?? {}
    return [aggregated?.status, ...ran.map(({ outcome }) => outcome)].join(' ')
  }
  const decided = made(() => fail('no'), unsure)
  expect(await outcomes(decided, 'quick', 'dear')).toBe('fail rejected escalated not-reached')
  expect(
    await outcomes(
      made(unsure, () => fail('no')),
      'quick',
      'cheap',
    ),
  ).toBe('fail escalated decided decided')
})

test.each([
  [() => cascade([{ name: 'only', jury: hasAnswer, policy: 'final' }]), 'The cascade has no tier "other"', ['only']],
  [() => jury({ judges: { hasAnswer } }), 'The jury has no tiers', []],
])('unknown tiers are refused', async (made, message, known) => {
  const run = rejudge(aResult(), made(), { tiers: ['other'] })
  await expect(run.result).rejects.toMatchObject({ code: 'tier-unknown', details: { tier: 'other', known } })
  await expect(run.result).rejects.toThrowError(message)
})

test('a jury that breaks, or a context that does, is an error of that trial alone', async () => {
  const store = memoryStore()
  const source = await aRun({ store, agent: async ({ prompt }) => completed(prompt) })
  const broken = jury({ judges: { hasAnswer } })
  const own = Object.assign(async () => pass('never'), {
    vote: async (context: { readonly goal?: string }) => {
      if (context.goal === 'task a') throw new Error('no vote')
      return jury({ judges: { good: () => pass('good') } }).vote({})
    },
  })
  const result = await rejudge(source.id, own as unknown as typeof broken, { store }).result
  expect(result.items.map(({ judged }) => judged)).toEqual(['error', 'pass'])
  expect(result.items[0]?.failure).toMatchObject({ origin: 'jury', message: 'no vote' })
  const context = storedContext()
  const thrown = await rejudge(source.id, () => pass('x'), {
    store,
    context: (item, run, signal) => {
      if (item.itemId === 'b') throw new Error('no context')
      return context(item, run, signal)
    },
  }).result
  expect(thrown.items.map(({ judged, failure }) => [judged, failure?.message])).toEqual([
    ['pass', undefined],
    ['error', 'no context'],
  ])
})

test("a context of one's own may skip; a hook may replace the context", async () => {
  const store = memoryStore()
  const source = await aRun({ store, agent: async ({ prompt }) => completed(prompt) })
  const context = storedContext()
  const run = rejudge(source.id, ({ goal }) => goal.endsWith('!'), {
    store,
    context: (item, run, signal) =>
      item.itemId === 'a' ? { skip: 'other', message: 'not this one' } : context(item, run, signal),
    beforeJury: ({ context, item, invocation }) => ({ ...context, goal: `${item.task} ${invocation.status}!` }),
  })
  const { items } = await run.result
  expect(items[0]?.metadata['rejudge']).toEqual({ rejudged: false, reason: 'other', message: 'not this one' })
  expect(items[1]?.passed).toBe(true)
})

test('a reference that is gone is a reason to skip', async () => {
  const store = temporaryDirectory()
  const reference = temporaryDirectory()
  writeFileSync(join(reference, 'right.txt'), 'right')
  const source = await aRun({ store, dataset: [{ id: 'a', task: 'a', reference }] })
  const look: Judge = async (context) => (await context.reference?.read('right.txt')) === 'right'
  expect((await rejudge(source.id, look, { store }).result).passCount).toBe(1)
  rmSync(reference, { recursive: true })
  const { items } = await rejudge(source.id, look, { store }).result
  expect(items[0]?.metadata['rejudge']).toMatchObject({ reason: 'reference-missing' })
})

test('a path of a record that leads out of the results is not followed', async () => {
  const store = temporaryDirectory()
  const outside = temporaryDirectory()
  writeFileSync(join(outside, 'answer.txt'), 'secret')
  const items = [
    anItem({ workspacePath: `../../../../../../../..${outside}` }),
    anItem({ itemId: 'b', workspacePath: outside }),
  ]
  const { items: judged } = await rejudge(aResult({ experimentName: 'test', items }), hasAnswer, { store }).result
  for (const item of judged) expect(item.metadata['rejudge']).toMatchObject({ reason: 'workspace-missing' })
})

test('calibrations and trials without an invocation are skipped', async () => {
  const run = aResult({ kind: 'judge', items: [anItem()] })
  const skipped = await rejudge(run, hasAnswer).result
  expect(skipped.items[0]?.metadata['rejudge']).toMatchObject({ reason: 'not-an-agent-run' })
  const bare = await rejudge(aResult({ items: [anItem({ detail: null })] }), hasAnswer).result
  expect(bare.items[0]?.metadata['rejudge']).toMatchObject({ reason: 'no-detail' })
})

test('a cancelled run ends interrupted; what was judged stays', async () => {
  const store = memoryStore()
  const source = await aRun({ store, agent: async ({ prompt }) => completed(prompt) })
  const run = rejudge(
    source.id,
    async ({ goal, signal }) => {
      if (goal === 'task a') return pass('quick')
      run.cancel('enough')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return pass('late')
    },
    { store, concurrency: 1 },
  )
  const result = await run.result
  expect(result.status).toBe('interrupted')
  expect(result.items.map(({ passed }) => passed)).toEqual([true, null])
})

test.each([
  [{ concurrency: 0 }, 'option-invalid'],
  [{ workspaces: 'all' as 'none' }, 'option-invalid'],
])('bad options are refused through the result', async (options, code) => {
  await expect(rejudge(aResult(), hasAnswer, options).result).rejects.toMatchObject({ code })
})

test('an unknown run is refused', async () => {
  await expect(rejudge('20261121T091500123Z-4kq7rm', hasAnswer).result).rejects.toMatchObject({ code: 'run-unknown' })
  await expect(rejudge(aResult(), undefined as unknown as Judge).result).rejects.toMatchObject({
    code: 'judge-invalid',
  })
})
