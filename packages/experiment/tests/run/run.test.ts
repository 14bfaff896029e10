import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Agent,
  abstain,
  cascade,
  error,
  JuristError,
  jury,
  pass,
  structuredOutput,
  type Verdict,
  withInfo,
} from '@jurist/core'
import { describe, expect, it } from 'vitest'
import {
  completed,
  defineExperiment,
  type ExperimentOptions,
  errored,
  runExperiment,
  timedOut,
  trialOf,
} from '../../src/index.js'
import { fileStore, memoryStore } from '../../src/store/index.js'
import { anExperiment, echo, eventsOf, good, ofType, someItems, temporaryDirectory } from '../run-support.js'

describe('a run', () => {
  it('judges every item and keeps them in the order of the dataset', async () => {
    const agent = async ({ prompt }: { readonly prompt: string }) => {
      await new Promise((resolve) => setTimeout(resolve, prompt === 'task 1' ? 30 : 0))
      return completed(prompt)
    }
    const result = await runExperiment(anExperiment(5, { agent, repetitions: 2 })).result
    expect(result.status).toBe('completed')
    expect(result.stopReason).toBeNull()
    expect(result.planned).toBe(10)
    expect(result.passRate).toBe(1)
    expect(result.items.map(({ itemId, repetition }) => `${itemId}/${repetition}`)).toEqual(
      [1, 2, 3, 4, 5].flatMap((number) => [`item-${number}/1`, `item-${number}/2`]),
    )
  })

  it('accounts for a trial in full', async () => {
    const agent = async () =>
      completed({ output: 'fine', usage: { inputTokens: 10, outputTokens: 2 }, costUsd: 0.25, sessionId: 's' })
    const judge = () => pass('yes', { usage: { inputTokens: 3 }, costUsd: 0.5, score: 0.75 })
    const items = [{ id: 'a', task: 'do it', bucket: 'b', taskType: 't', tags: ['x'], metadata: { level: 3 } }]
    const { items: trials, id } = await runExperiment(anExperiment(0, { dataset: items, agent, jury: judge })).result
    const { verdict, detail, durationMs, setupMs, agentMs, juryMs, startedAt, endedAt, ...rest } = trials[0]!
    expect(rest).toEqual({
      itemId: 'a',
      itemSlug: 'a',
      itemHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      repetition: 1,
      bucket: 'b',
      taskType: 't',
      tags: ['x'],
      task: 'do it',
      agent: 'completed',
      judged: 'pass',
      passed: true,
      failure: null,
      attempts: [],
      usage: { inputTokens: 10, outputTokens: 2 },
      judgeUsage: { inputTokens: 3 },
      costUsd: 0.25,
      judgeCostUsd: 0.5,
      scores: { judge: 0.75 },
      efficiency: null,
      workspacePath: null,
      referencePath: null,
      beforePath: null,
      journalPath: null,
      metadata: { level: 3 },
    })
    expect(verdict?.aggregated.status).toBe('pass')
    expect(detail).toMatchObject({ kind: 'agent', invocation: { status: 'completed', sessionId: 's' } })
    expect(durationMs).toBeGreaterThanOrEqual(setupMs + agentMs + juryMs)
    expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
    expect(id).toMatch(/^\d{8}T\d{9}Z-[0-9a-z]{6}$/)
  })

  it.each([
    ['a refusal is judged like a completed run', () => ({ status: 'refused' as const }), 'completed', 'pass', true],
    ['an agent that throws', () => Promise.reject(new Error('broken')), 'error', 'not-judged', false],
    [
      'an infrastructure failure',
      () => errored(Object.assign(new Error('no'), { code: 'http-401' })),
      'error',
      'not-judged',
      null,
    ],
    ['an agent that says it ran out of time', () => timedOut('late'), 'timeout', 'not-judged', false],
    ['an agent that was cancelled', () => ({ status: 'cancelled' as const }), 'cancelled', 'not-judged', null],
  ])('%s', async (_, agent, outcome, judged, passed) => {
    const { items } = await runExperiment(anExperiment(1, { agent: agent as Agent })).result
    expect(items[0]).toMatchObject({ agent: outcome, judged, passed })
    if (outcome !== 'completed') expect(items[0]?.failure).toMatchObject({ origin: 'agent' })
  })

  it.each([
    ['nothing', undefined, 'it is neither an object nor a string'],
    ['an unknown status', { status: 'done' }, '"status"'],
    ['a negative cost', { status: 'completed', costUsd: -1 }, '"costUsd"'],
    ['an invalid output', { status: 'completed', output: { type: 'song' } }, '"output"'],
    ['counts that are none', { status: 'completed', usage: { inputTokens: 1.5 } }, '"usage"'],
  ])('an agent that returns %s is an error with a reason', async (_, value, reason) => {
    const agent = (async () => value) as unknown as Agent
    const { items } = await runExperiment(anExperiment(1, { agent })).result
    expect(items[0]).toMatchObject({ agent: 'error', passed: false, failure: { code: 'invocation-invalid' } })
    expect(items[0]?.failure?.message).toContain(reason)
  })

  it.each<[string, NonNullable<ExperimentOptions['agent']>]>([
    ['a string', async () => 'done'],
    ['a string, without a promise', () => 'done'],
    ['a string as its output', (async () => ({ status: 'completed', output: 'done' })) as never],
  ])('an agent may return %s', async (_, agent) => {
    const { items } = await runExperiment(anExperiment(1, { agent })).result
    expect(items[0]?.detail).toMatchObject({ invocation: { output: { type: 'text', text: 'done' } } })
  })

  it('judges failed runs when asked to', async () => {
    const agent = async () => timedOut('late', { output: 'half of it' })
    const { items } = await runExperiment(anExperiment(1, { agent, judgeFailedRuns: true })).result
    expect(items[0]).toMatchObject({ agent: 'timeout', judged: 'pass', passed: true })
  })

  it('leaves trials undecided when judges abstain, break or are missing', async () => {
    const outcomes = await Promise.all(
      [() => abstain('nothing to say'), () => error('broken'), undefined].map(async (judge) => {
        const { jury: _, ...options } = anExperiment(1)
        const run = runExperiment(judge === undefined ? options : { ...options, jury: judge })
        const { items } = await run.result
        return [items[0]?.judged, items[0]?.passed]
      }),
    )
    expect(outcomes).toEqual([
      ['abstain', null],
      ['error', null],
      ['not-judged', null],
    ])
  })

  it('counts a jury that throws or gives no verdict as an error of the jury, and keeps the cost of the agent', async () => {
    const own = Object.assign(async () => pass('x'), {
      vote: async (): Promise<Verdict> => {
        throw new TypeError('no quorum')
      },
    })
    const garbage = Object.assign(async () => pass('x'), { vote: async () => 'yes' as unknown as Verdict })
    const agent = async () => completed({ costUsd: 2 })
    const thrown = await runExperiment(anExperiment(1, { agent, jury: own })).result
    expect(thrown.items[0]).toMatchObject({
      judged: 'error',
      passed: null,
      costUsd: 2,
      failure: { origin: 'jury', name: 'TypeError' },
    })
    const { items } = await runExperiment(anExperiment(1, { agent, jury: garbage })).result
    expect(items[0]).toMatchObject({ judged: 'error', failure: { origin: 'jury', code: 'verdict-invalid' } })
  })

  it('describes the jury, and its fingerprint changes with what it is made of', async () => {
    const one = jury({ judges: { good } })
    const tiers = cascade([
      { name: 'gate', jury: one, policy: 'reject-on-any-fail' },
      { name: 'last', jury: jury({ judges: { good: { judge: good, weight: 2 } } }), policy: 'final' },
    ])
    const description = async (jury: ExperimentOptions['jury']) =>
      (await runExperiment({ ...anExperiment(1), ...(jury === undefined ? {} : { jury }) }).result).jury
    const first = await description(one)
    const second = await description(tiers)
    expect(first?.judges).toEqual([{ path: 'good', name: 'good', kind: 'deterministic', weight: 1 }])
    expect(second?.judges.map(({ path, weight }) => [path, weight])).toEqual([
      ['gate/good', 1],
      ['last/good', 2],
    ])
    expect(second?.tiers).toEqual([
      { name: 'gate', policy: 'reject-on-any-fail' },
      { name: 'last', policy: 'final' },
    ])
    expect(first?.fingerprint).not.toBe(second?.fingerprint)
    expect((await description(jury({ judges: { good } })))?.fingerprint).toBe(first?.fingerprint)
    const within = (limit: number) =>
      jury({ judges: { good: withInfo(() => true, { name: 'good', options: { limit } }) } })
    const [small, large, again] = [
      await description(within(1)),
      await description(within(2)),
      await description(within(1)),
    ]
    expect(small?.fingerprint).not.toBe(large?.fingerprint)
    expect(small?.fingerprint).toBe(again?.fingerprint)
  })

  it('records conditions, the isolation among them, and no value of a variable', async () => {
    const options = anExperiment(1, {
      environment: { allow: ['PATH'], set: { TOKEN: 'secret-value' } },
      conditions: { region: 'eu' },
      model: 'small',
    })
    const result = await runExperiment(options).result
    expect(result.conditions).toMatchObject({
      region: 'eu',
      model: 'small',
      agent: 'echo',
      isolation: 'none',
      environment: ['PATH', 'TOKEN'],
      itemTimeoutMs: 900_000,
      judgeTimeoutMs: 600_000,
      judgeFailedRuns: false,
      perItemUsd: null,
      knowledge: null,
      systemPrompt: null,
      dataset: result.dataset.hash,
      jury: result.jury?.fingerprint,
    })
    expect(JSON.stringify(result)).not.toContain('secret-value')
    const undeclared = await runExperiment({ ...options, provision: anyProvision() }).result
    expect(undeclared.conditions['isolation']).toBe('undeclared')
  })
})

function anyProvision(): NonNullable<ExperimentOptions['provision']> {
  const workspace = {
    exists: async () => false,
    isFile: async () => false,
    read: async () => '',
    readBytes: async () => new Uint8Array(),
    list: async function* () {},
    run: async () => {
      throw new Error('runs nothing')
    },
    write: async () => {},
    remove: async () => {},
  }
  return async () => ({
    workspace,
    before: null,
    reference: null,
    origin: {},
    keepAt: async () => undefined,
    [Symbol.asyncDispose]: async () => {},
  })
}

describe('the task of an agent', () => {
  it('says everything about its trial', async () => {
    const seen: unknown[] = []
    const store = fileStore(temporaryDirectory())
    const run = runExperiment(
      anExperiment(1, {
        store,
        model: 'm',
        systemPrompt: 'be brief',
        prompt: 'Please: {{task}}',
        itemTimeoutMs: 5_000,
        environment: { set: { A: '1' } },
        async agent(task) {
          const { workspace, signal, record, runDirectory, ...rest } = task
          seen.push(rest, trialOf(task), signal.aborted, typeof record, runDirectory)
          writeFileSync(join(String(runDirectory), 'log.txt'), 'mine')
          return completed()
        },
      }),
    )
    const { id } = await run.result
    const facts = {
      experimentName: 'test',
      runId: id,
      itemId: 'item-1',
      itemSlug: 'item-1',
      repetition: 1,
      variant: null,
      attempt: 1,
    }
    expect(seen.slice(0, 4)).toEqual([
      {
        prompt: 'Please: task 1',
        timeoutMs: 5_000,
        env: { A: '1' },
        systemPrompt: 'be brief',
        model: 'm',
        metadata: facts,
      },
      facts,
      false,
      'function',
    ])
    expect(readFileSync(join(String(seen[4]), 'log.txt'), 'utf8')).toBe('mine')
  })

  it('has no run directory without files, and leaves none behind that is empty', async () => {
    const directory = temporaryDirectory()
    const seen: (string | undefined)[] = []
    const agent: Agent = async ({ runDirectory }) => {
      seen.push(runDirectory)
      return completed()
    }
    await runExperiment(anExperiment(1, { agent })).result
    const { id } = await runExperiment(anExperiment(1, { agent, store: directory })).result
    expect(seen[0]).toBeUndefined()
    expect(seen[1]).toBe(join(directory, 'test', id, 'agent', 'item-1--1'))
    expect(existsSync(String(seen[1]))).toBe(false)
  })

  it('keeps reserved metadata apart, leaves out what is not JSON, and warns about both', async () => {
    const agent = async () => completed({ metadata: { runId: 'mine', live: () => 1, note: 'kept' } })
    const run = runExperiment(anExperiment(1, { agent }))
    const { items } = await run.result
    expect(items[0]?.detail).toMatchObject({ invocation: { metadata: { 'agent.runId': 'mine', note: 'kept' } } })
    expect(ofType(await eventsOf(run), 'warning').map(({ code }) => code)).toEqual([
      'metadata-reserved',
      'metadata-not-stored',
    ])
  })
})

describe('workspaces', () => {
  const write: Agent = async ({ workspace, prompt }) => {
    await workspace.write('answer.txt', prompt)
    return completed(prompt.includes('2') ? 'bad' : 'fine')
  }

  it('keeps what agents left, before the jury can change it', async () => {
    const directory = temporaryDirectory()
    const { id, items } = await runExperiment(anExperiment(2, { agent: write, store: directory })).result
    expect(items.map(({ workspacePath }) => workspacePath)).toEqual(['workspaces/item-1--1', 'workspaces/item-2--1'])
    expect(readFileSync(join(directory, 'test', id, 'workspaces/item-1--1/answer.txt'), 'utf8')).toBe('task 1')
  })

  it('keeps only those of failed trials when asked to', async () => {
    const directory = temporaryDirectory()
    const { id, items } = await runExperiment(
      anExperiment(2, { agent: write, store: directory, preserveWorkspaces: 'failed' }),
    ).result
    expect(items.map(({ workspacePath }) => workspacePath)).toEqual([null, 'workspaces/item-2--1'])
    expect(readdirSync(join(directory, 'test', id, 'workspaces'))).toEqual(['item-2--1'])
  })

  it('keeps nothing of a workspace that began empty and was not touched', async () => {
    const directory = temporaryDirectory()
    const { id, items } = await runExperiment(anExperiment(1, { store: directory })).result
    expect(items[0]?.workspacePath).toBeNull()
    expect(existsSync(join(directory, 'test', id, 'workspaces'))).toBe(false)
  })

  it('refuses what an agent does after its turn', async () => {
    let late = async (): Promise<unknown> => undefined
    let refused: unknown
    await runExperiment(
      anExperiment(1, {
        async agent({ workspace }) {
          late = () => workspace.write('late.txt', 'x')
          return completed()
        },
        async jury() {
          refused = await late().catch((thrown) => thrown)
          return true
        },
      }),
    ).result
    expect(refused).toMatchObject({ code: 'aborted' })
  })

  it('copies before, offers reference, and says where they are', async () => {
    const directory = temporaryDirectory()
    const before = join(directory, 'before')
    mkdirSync(before)
    writeFileSync(join(before, 'a.txt'), 'old')
    const { items, id } = await runExperiment({
      name: 'test',
      dataset: [{ id: 'one', task: 't', before, reference: before }],
      agent: async ({ workspace }) => completed(await workspace.read('a.txt')),
      jury: async ({ before: old, reference }) => (await old?.read('a.txt')) === (await reference?.read('a.txt')),
      store: join(directory, 'results'),
    }).result
    expect(items[0]).toMatchObject({ passed: true, beforePath: '../before', referencePath: '../before' })
    expect(existsSync(join(directory, 'results/test', id, 'workspaces/one--1/a.txt'))).toBe(true)
  })
})

describe('options', () => {
  it('are refused in one error, each with a remedy', async () => {
    const options = {
      name: 'not a name',
      dataset: 5,
      agent: echo,
      jury: 'nobody',
      itemTimeoutMs: 0,
      concurrency: -1,
      concurency: 2,
      prompt: 'Do {{tsk}}',
      budget: { usd: 0 },
      retries: { attempts: 0 },
      environment: { allow: 'PATH' },
      variants: { 'a b': { modell: 'x' } },
      conditions: { jury: 'mine' },
      metadata: { when: new Date() },
    } as unknown as ExperimentOptions
    const thrown = await runExperiment(options, { variant: 'a' }).result.catch((error: unknown) => error)
    if (!JuristError.is(thrown, 'experiment-invalid')) throw thrown
    expect(thrown.details.issues.map(({ field }) => field).sort()).toEqual(
      [
        'name',
        'dataset',
        'jury',
        'itemTimeoutMs',
        'concurrency',
        'concurency',
        'prompt',
        'budget.usd',
        'retries.attempts',
        'environment.allow',
        'variants.a b',
        'variants.a b.modell',
        'conditions.jury',
        'metadata',
        'variant',
      ].sort(),
    )
    const issue = (field: string) => thrown.details.issues.find((issue) => issue.field === field)
    expect(issue('concurency')?.remedy).toBe('Did you mean "concurrency"?')
    expect(issue('variants.a b.modell')?.remedy).toBe('Did you mean "model"?')
    expect(issue('prompt')?.remedy).toContain('{{task}}')
    expect(thrown.details.issues.every(({ problem, remedy }) => problem !== '' && remedy !== '')).toBe(true)
  })

  it('define an experiment that is frozen and the same to run', async () => {
    const experiment = defineExperiment(anExperiment(1))
    expect(Object.isFrozen(experiment)).toBe(true)
    expect(experiment.kind).toBe('experiment')
    expect((await runExperiment(experiment).result).passRate).toBe(1)
    expect(() => defineExperiment({ ...anExperiment(1), repetitions: 0 })).toThrow(
      /repetitions: must be a whole number/,
    )
    expect(() => defineExperiment(undefined as unknown as ExperimentOptions)).toThrow(JuristError)
  })

  it('want a variant named when there are some', async () => {
    const experiment = anExperiment(1, { variants: { baseline: {}, candidate: { model: 'big' } } })
    await expect(runExperiment(experiment).result).rejects.toMatchObject({
      code: 'experiment-invalid',
      details: { issues: [{ field: 'variant', remedy: expect.stringContaining('baseline, candidate') }] },
    })
    const misspelt = runExperiment(experiment, { variant: 'candidat' } as object)
    await expect(misspelt.result).rejects.toThrow(/Did you mean "candidate"/)
    const result = await runExperiment(experiment, { variant: 'candidate' } as object).result
    expect(result).toMatchObject({ variant: 'candidate', conditions: { model: 'big' } })
  })

  it('are refused when the dataset is broken, naming every error', async () => {
    const dataset = [
      { id: 'a', task: '' },
      { id: 'a/b', task: 'x' },
    ]
    await expect(runExperiment(anExperiment(0, { dataset })).result).rejects.toMatchObject({ code: 'dataset-invalid' })
    const needsKey = anExperiment(2, { prompt: '{{metadata.key}}' })
    await expect(runExperiment(needsKey).result).rejects.toMatchObject({
      code: 'dataset-invalid',
      details: { issues: [{ item: 'item-1' }, { item: 'item-2' }] },
    })
  })

  it('name directories that exist', async () => {
    const options = anExperiment(1, { projectDirectory: '/no/such/place', knowledge: { directory: '/none/either' } })
    await expect(runExperiment(options).result).rejects.toMatchObject({
      details: { issues: [{ field: 'projectDirectory' }, { field: 'knowledge.directory' }] },
    })
  })
})

describe('a dry run', () => {
  it('checks everything, runs nothing and stores nothing', async () => {
    const store = memoryStore()
    let calls = 0
    const options = anExperiment(3, {
      store,
      agent: async () => {
        calls += 1
        return completed()
      },
    })
    const run = runExperiment(options, { dryRun: true })
    expect(await run.result).toMatchObject({ status: 'stopped', planned: 3, items: [], counts: { notRun: 3 } })
    expect((await eventsOf(run)).map(({ type }) => type)).toEqual(['experiment-start', 'experiment-end'])
    expect(calls).toBe(0)
    for await (const entry of store.list()) expect.fail(`${entry.id} was stored`)
  })
})

describe('knowledge', () => {
  it('is put into the workspace and recorded', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'style.md'), 'be kind')
    const result = await runExperiment(
      anExperiment(1, {
        dataset: [{ id: 'a', task: 't', knowledgeRefs: ['missing.md'] }],
        knowledge: { directory },
        agent: async ({ workspace }) => completed(await workspace.read('knowledge/style.md')),
      }),
    )
    const { items, knowledge, conditions } = await result.result
    expect(items[0]?.detail).toMatchObject({ invocation: { output: { text: 'be kind' } } })
    expect(knowledge?.files).toMatchObject([{ path: 'style.md', bytes: 7 }])
    expect(conditions['knowledge']).toMatch(/^[0-9a-f]{64}$/)
    expect(ofType(await eventsOf(result), 'warning')).toMatchObject([{ code: 'dataset-warning', itemId: 'a' }])
  })
})

describe('outputs', () => {
  it('are copies: what an agent changes later changes nothing', async () => {
    const shared = { status: 'completed' as const, output: { type: 'structured' as const, data: { list: [1] } } }
    const agent = async () => shared
    const { items } = await runExperiment(anExperiment(1, { agent })).result
    shared.output.data.list.push(2)
    expect(items[0]?.detail).toMatchObject({ invocation: { output: structuredOutput({ list: [1] }) } })
  })

  it('count efficiency when asked to', async () => {
    const agent = async () => completed({ costUsd: 1 })
    const { items } = await runExperiment(anExperiment(1, { agent, efficiency: {} })).result
    expect(items[0]?.efficiency).toMatchObject({ cost: 0.8 })
    expect(someItems(2)).toHaveLength(2)
  })
})
