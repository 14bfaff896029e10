import { fail, outputText, pass, type UserPart } from '@jurist/core'
import {
  type ConversationAgent,
  type ConversationOptions,
  conversation,
  everyTurn,
  modelAudit,
  modelUser,
} from '@jurist/core/conversation'
import { scriptedModel } from '@jurist/core/testing'
import { describe, expect, it } from 'vitest'
import { compare } from '../../src/compare/index.js'
import { type ExperimentOptions, runExperiment } from '../../src/index.js'
import { rejudge } from '../../src/rejudge/index.js'
import { fileStore } from '../../src/store/index.js'
import { anExperiment, eventsOf, ofType, someItems, temporaryDirectory } from '../run-support.js'

const polite: ConversationAgent = () => 'Certainly.'
const waits: ConversationAgent = () => 'Shall I cancel it?'

function talking(agent: ConversationAgent, options: ConversationOptions, more: Partial<ExperimentOptions> = {}) {
  return anExperiment(4, { agent: conversation(agent, options), jury: () => pass('fine'), ...more })
}

describe('a conversation in an experiment', () => {
  it('is stored with its turns; judges see them, in the run and when it is judged again', async () => {
    const directory = temporaryDirectory()
    const store = fileStore(directory)
    const jury = everyTurn(outputText({ contains: 'Certainly' }))
    const { result } = runExperiment(talking(polite, { user: ['one', 'two'] }, { jury, store }))
    const { id } = await result
    const run = await store.load(id)
    const [item] = run?.items ?? []
    expect(item?.passed).toBe(true)
    expect(item?.detail).toMatchObject({ invocation: { turns: [{ text: 'one' }, {}, { text: 'two' }, {}] } })
    expect(item?.detail).not.toHaveProperty('invocation.user')
    expect(item?.user).toEqual({ ended: 'satisfied', faults: [], audited: true })
    const again = await rejudge(id, everyTurn(outputText({ contains: 'Sorry' })), { store }).result
    expect(again.items.map(({ verdict }) => Object.values(verdict?.individual ?? {})[0]?.metadata)).toMatchObject(
      Array(4).fill({ turns: 2, passed: 0 }),
    )
  })

  it('gives the scenario of an item to the user, and not to the agent', async () => {
    const seen: unknown[] = []
    const agent: ConversationAgent = (session) => JSON.stringify(Object.keys(session))
    const user: ConversationOptions['user'] = (turns, scenario) => {
      seen.push(scenario)
      return turns.length === 0 ? { message: 'hi' } : { stop: 'satisfied' }
    }
    const dataset = [{ id: 'a', task: 'do it', metadata: { scenario: { goal: 'a lamp', facts: ['it is red'] } } }]
    const { items } = await runExperiment(talking(agent, { user }, { dataset })).result
    expect(seen[0]).toEqual({ goal: 'a lamp', facts: ['it is red'] })
    expect(items[0]?.detail).toMatchObject({
      invocation: { output: { text: '["turns","message","workspace","signal","state","record"]' } },
    })
  })

  it('warns once of what the models of the user and of its audit have to say', async () => {
    const noting = (notice: string, ...answers: readonly object[]) =>
      scriptedModel(
        ...Array.from({ length: 4 }, () => answers)
          .flat()
          .map((answer) => ({ text: JSON.stringify(answer), metadata: { notices: [notice] } })),
      )
    const user = modelUser({
      model: noting(
        'The user is loose.',
        { move: 'say', message: 'hi', stop: 'none' },
        { move: 'stop', message: '', stop: 'satisfied' },
      ),
    })
    const audit = modelAudit({ model: noting('The audit is loose.', { faults: [] }) })
    const run = runExperiment(talking(polite, { user, audit, auditPassed: 1 }, { concurrency: 1 }))
    const warnings = ofType(await eventsOf(run), 'warning').filter(({ code }) => code === 'model-notice')
    expect(warnings.map(({ message }) => message)).toEqual(['The user is loose.', 'The audit is loose.'])
  })

  it('is in the journal while it goes on', async () => {
    const store = fileStore(temporaryDirectory())
    const run = runExperiment(talking(polite, { user: ['one'] }, { store }))
    const events = ofType(await eventsOf(run), 'journal').filter(({ itemId }) => itemId === 'item-1')
    expect(events.map(({ event }) => event.type)).toEqual(['prompt', 'text'])
  })
})

describe('a user that makes a mistake', () => {
  it('leaves the trial undecided, counted by its name, whatever the jury says', async () => {
    for (const jury of [() => pass('fine'), () => fail('bad')]) {
      const result = await runExperiment(talking(waits, { user: ['one'] }, { jury })).result
      expect(result.counts).toMatchObject({ decided: 0, undecided: 4, infrastructureFailures: 0 })
      expect(result.items[0]?.failure).toMatchObject({ origin: 'user', code: 'user-at-fault', infrastructure: false })
      expect(result.userFaults).toMatchObject({ trials: 4, atFault: 4, byName: { 'stopped-early': 4 }, unaudited: 0 })
      expect(result.userFaults?.interval.low).toBeCloseTo(0.5101, 4)
    }
  })

  it('stays one when the trial is judged again', async () => {
    const store = fileStore(temporaryDirectory())
    const { id } = await runExperiment(talking(waits, { user: ['one'] }, { store })).result
    const again = await rejudge(id, () => pass('fine'), { store }).result
    expect(again.counts.decided).toBe(0)
    expect(again.userFaults?.atFault).toBe(4)
  })

  it('is held again as often as retries.user says; what it cost before counts', async () => {
    let talks = 0
    const agent: ConversationAgent = ({ turns }) => {
      if (turns.length === 0) talks += 1
      return { text: talks < 3 ? 'Shall I cancel it?' : 'It is cancelled.', costUsd: 1 }
    }
    const user: ConversationOptions['user'] = (turns) =>
      turns.length === 0 ? { message: 'Cancel it', costUsd: 0.5 } : { stop: 'satisfied' }
    const jury = () => pass('fine', { costUsd: 0.25 })
    const retries = { attempts: 1, user: 2, baseMs: 0 }
    const { items } = await runExperiment(talking(agent, { user }, { dataset: someItems(1), jury, retries })).result
    expect(items[0]).toMatchObject({ passed: true, costUsd: 3, judgeCostUsd: 0.75, user: { faults: [], costUsd: 1.5 } })
    expect(items[0]?.attempts.map(({ failure }) => failure.origin)).toEqual(['user', 'user'])
  })

  it('is not believed of an agent that holds no conversation: an agent could blame a user for its own failure', async () => {
    const faults: UserPart['faults'] = [{ name: 'invented', turn: 1, message: 'not me' }]
    const agent = () => ({ status: 'completed' as const, user: { ended: 'satisfied' as const, faults, audited: true } })
    const result = await runExperiment(anExperiment(1, { agent, jury: () => fail('bad') })).result
    expect(result.counts).toMatchObject({ fails: 1, undecided: 0 })
    expect(result.userFaults).toBeNull()
  })

  it('a broken user is a failure of the infrastructure, and is retried', async () => {
    let calls = 0
    const user: ConversationOptions['user'] = (turns) => {
      calls += 1
      if (calls === 1) throw new Error('quota')
      return turns.length === 0 ? { message: 'hi' } : { stop: 'satisfied' }
    }
    const { items } = await runExperiment(talking(polite, { user }, { dataset: someItems(1) })).result
    expect(items[0]).toMatchObject({ passed: true, attempts: [{ failure: { origin: 'agent', infrastructure: true } }] })
    const broken: ConversationOptions['user'] = () => {
      throw new Error('quota')
    }
    const { counts } = await runExperiment(talking(polite, { user: broken }, { dataset: someItems(1) })).result
    expect(counts).toMatchObject({ decided: 0, undecided: 1, infrastructureFailures: 1 })
  })
})

describe('an audit', () => {
  const found = [{ name: 'invented', turn: 1, message: 'it made that up' }]

  it('looks at every trial that failed, and at a sample of those that passed', async () => {
    const audited: string[] = []
    const audit: ConversationOptions['audit'] = ({ turns }) => {
      audited.push(turns[0]?.text ?? '')
      return { faults: [], costUsd: 0.5 }
    }
    const user: ConversationOptions['user'] = (turns, { goal }) =>
      turns.length === 0 ? { message: goal } : { stop: 'satisfied' }
    const jury = ({ goal }: { readonly goal: string }) => (/[1-5]$/.test(goal) ? fail('bad') : pass('fine'))
    const options = { user, audit, auditPassed: 0.5 }
    const first = await runExperiment(talking(polite, options, { dataset: someItems(40), jury })).result
    const failed = first.items.filter(({ judged }) => judged === 'fail')
    expect(failed.every(({ user }) => user?.audited === true)).toBe(true)
    const looked = first.items.filter(({ user }) => user?.audited === true).map(({ itemId }) => itemId)
    expect(looked.length).toBeGreaterThan(failed.length)
    expect(looked.length).toBeLessThan(40)
    expect(audited).toHaveLength(looked.length)
    expect(first).toMatchObject({
      userFaults: { unaudited: 40 - looked.length },
      userCostUsd: looked.length / 2,
      costUsd: null,
    })
    const second = await runExperiment(talking(polite, options, { dataset: someItems(40), jury })).result
    expect(second.items.filter(({ user }) => user?.audited === true).map(({ itemId }) => itemId)).toEqual(looked)
  })

  it('that finds a fault leaves the trial undecided; one that breaks is a warning, and the trial is judged', async () => {
    const jury = () => fail('bad')
    const blamed = await runExperiment(talking(polite, { user: ['a'], audit: () => ({ faults: found }) }, { jury }))
      .result
    expect(blamed.counts).toMatchObject({ fails: 0, undecided: 4 })
    expect(blamed.userFaults?.byName).toEqual({ invented: 4 })
    const audit = () => {
      throw new Error('no model')
    }
    const run = runExperiment(talking(polite, { user: ['a'], audit }, { jury }))
    const warnings = ofType(await eventsOf(run), 'warning')
    expect(warnings).toMatchObject(
      Array(4).fill({ code: 'user-audit-failed', message: expect.stringContaining('no model') }),
    )
    expect((await run.result).counts).toMatchObject({ fails: 4, undecided: 0 })
  })
})

describe('a comparison', () => {
  const side = async (agent: ConversationAgent, jury: ExperimentOptions['jury']) =>
    runExperiment(talking(agent, { user: ['one'] }, { dataset: someItems(20), ...(jury && { jury }) })).result
  const half = (answer: string): ConversationAgent => {
    let count = 0
    return () => (count++ % 2 === 0 ? answer : 'Certainly.')
  }

  it('claims no difference when users were at fault more often on one side', async () => {
    const baseline = await side(polite, () => fail('bad'))
    const candidate = await side(half('Shall I cancel it?'), () => pass('fine'))
    const comparison = compare(baseline, candidate, { ignoreConditions: ['jury'] })
    expect(comparison.userFaults).toMatchObject({ pairs: 20, baseline: 0, candidate: 10, differs: true })
    expect(comparison.userFaults?.pValue).toBeCloseTo(2 / 2 ** 10, 9)
    expect(comparison.conclusion).toBe('insufficient-data')
    expect(comparison.notes[0]).toContain('at fault in 0 of 20 conversations before and in 10 after')
  })

  it('claims it when they were not', async () => {
    const comparison = compare(await side(polite, () => fail('bad')), await side(polite, () => pass('fine')), {
      ignoreConditions: ['jury'],
    })
    expect(comparison.userFaults).toMatchObject({ differs: false })
    expect(comparison.conclusion).toBe('improved')
  })
})
