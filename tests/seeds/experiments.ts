import {
  type Agent,
  type AgentTask,
  type CategoricalScore,
  categorical,
  type Judge,
  type Judgment,
  type JudgmentContext,
  type Jury,
  jury,
  type NumericalScore,
  numerical,
  outputText,
  pass,
  type Verdict,
} from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import {
  completed,
  defineExperiment,
  errored,
  fromPhases,
  judged,
  openDataset,
  runExperiment,
  selfHealing,
  timedOut,
} from '@jurist/experiment'
import { compare } from '@jurist/experiment/compare'
import { type DatasetItem, dataset, matches } from '@jurist/experiment/dataset'
import { type ItemDetail, type ItemResult, passedOf, scoresOf, tokensOf } from '@jurist/experiment/result'
import { fileStore, memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect } from 'vitest'
import { row } from './row.js'

/** The first of a stream. */
async function firstOf<Value>(values: AsyncIterable<Value>): Promise<Value> {
  for await (const value of values) return value
  throw new Error('there is nothing')
}

const four: Agent = async () => completed('4')
const items = [{ id: 'two', task: 'What is 2 + 2?' }]
const right = jury({ judges: { right: outputText({ equals: '4' }) } })
const task = { prompt: 'What?', workspace: memoryWorkspace({}), signal: new AbortController().signal } as AgentTask

row('`ExperimentConfig`, `.builder()…build()`', () => {
  expect(defineExperiment({ name: 'sums', dataset: items, agent: four }).name).toBe('sums')
  expect(() => defineExperiment({ name: 'a b', dataset: items, agent: four })).toThrow('name')
})
row('`experimentName` `datasetDir` `model` `promptTemplate` `perItemTimeout`', async () => {
  const seen: AgentTask[] = []
  const agent: Agent = async (one) => {
    seen.push(one)
    return completed('4')
  }
  const prompt = 'Please: {{task}}'
  await runExperiment({ name: 'sums', dataset: items, model: 'm', prompt, itemTimeoutMs: 60_000, agent }).result
  expect(seen[0]).toMatchObject({ model: 'm', prompt: 'Please: What is 2 + 2?', timeoutMs: 60_000 })
})
row('`itemFilter` `knowledgeBaseDir` `outputDir` `experimentTimeout` `metadata` `baselineId`', async () => {
  await using directory = await temporaryWorkspace({ 'notes/a.md': 'know this' })
  const baseline = aResult().id
  const agent: Agent = async ({ workspace }) => completed(await workspace.read('notes/a.md'))
  const { result } = runExperiment({
    ...{ name: 'sums', dataset: [...items, { id: 'other', task: 'No' }], filter: { id: 'two' }, agent },
    ...{ knowledge: { directory: directory.root, files: ['notes/a.md'] }, experimentTimeoutMs: 600_000 },
    ...{ store: `${directory.root}/results`, metadata: { team: 'a' }, baseline },
  })
  expect(await result).toMatchObject({ planned: 1, metadata: { team: 'a' }, baseline })
  expect(await directory.exists('results/sums')).toBe(true)
})
row('`AgentInvoker`, `invoke`, `AgentInvocationException`', async () => {
  const agent: Agent = () => Promise.reject(new Error('boom'))
  const { items: trials } = await runExperiment({ name: 'sums', dataset: items, agent, jury: right }).result
  expect(trials[0]).toMatchObject({ agent: 'error', passed: false, failure: { message: 'boom' } })
})
row('`InvocationContext`: `workspacePath` `prompt` `systemPrompt` `model` `timeout` `metadata` `runDir`', async () => {
  await using directory = await temporaryWorkspace()
  const seen: string[] = []
  const agent: Agent = async (one: AgentTask) => {
    seen.push(...Object.keys(one))
    return completed('4')
  }
  const store = `${directory.root}/results`
  await runExperiment({ name: 's', dataset: items, agent, model: 'm', systemPrompt: 'short', store }).result
  for (const key of ['workspace', 'prompt', 'systemPrompt', 'model', 'timeoutMs', 'metadata', 'runDirectory'])
    expect(seen).toContain(key)
})
row('`InvocationResult`: `completed()` `timeout()` `error()`', () => {
  const made = [completed('4'), timedOut('late'), errored(new Error('boom'))]
  expect(made.map(({ status }) => status)).toEqual(['completed', 'timeout', 'error'])
  const phase = { name: 'plan', status: 'completed', usage: { inputTokens: 3 } } as never
  expect(fromPhases([phase, phase])).toMatchObject({ status: 'completed', usage: { inputTokens: 6 } })
})
row(
  '`success` `status` `TerminalStatus` (COMPLETED, TIMEOUT, ERROR) `totalTokens` `inputTokens` `outputTokens` `thinkingTokens` `totalCostUsd` `durationMs` `sessionId` `phases`',
  () => {
    const usage = { inputTokens: 5, outputTokens: 2, reasoningTokens: 1 }
    const made = completed({ usage, costUsd: 0.1, elapsedMs: 9, sessionId: 's', phases: [] })
    expect(made).toMatchObject({ status: 'completed', usage, costUsd: 0.1, elapsedMs: 9, sessionId: 's', phases: [] })
    expect(tokensOf(usage)).toBe(7)
  },
)
row('`ExecutionDetail`, `executionDetail()`, `instanceof`', () => {
  const detail: ItemDetail | null = anItem().detail
  expect(detail?.kind === 'agent' && detail.invocation.status).toBe('completed')
})
row('`ComparisonEngine`, `VerdictExtractor`', async () => {
  const worse = anItem({ passed: false, judged: 'fail' })
  expect(compare(aResult(), aResult({ items: [worse] })).items[0]?.change).toBe('regressed')
  expect(passedOf(worse.agent, worse.judged, false)).toBe(false)
  expect(scoresOf(await right.vote({ goal: 'g', agentOutput: '4' }))).toEqual({ right: 1 })
})
row('`AgentExperiment`', async () => {
  expect((await runExperiment({ name: 'sums', dataset: items, agent: four, jury: right }).result).passCount).toBe(1)
})
row(
  '`dataset.json`, `item.json` (`schemaVersion` `name` `version` `description` `items` `id` `path`), `before/`, `reference/`',
  async () => {
    const manifest = {
      schemaVersion: 1,
      name: 'd',
      version: '1.0.0',
      description: 'x',
      items: [{ id: 'a', path: 'a' }],
    }
    await using directory = await temporaryWorkspace({
      'dataset.json': JSON.stringify(manifest),
      'a/item.json': '{"task": "Do it."}',
      'a/before/one.txt': '1',
      'a/reference/one.txt': '2',
    })
    const opened = await openDataset(directory.root)
    const item = await firstOf(opened.items())
    expect(item).toMatchObject({ id: 'a', task: 'Do it.' })
  },
)
row('`developerTask` `noChange` `knowledgeRefs` `tags` `bucket` `taskType` `status` `slug`', async () => {
  const fields = { noChange: true, tags: ['x'], bucket: 'A', taskType: 'fix', status: 'active', slug: 'one' } as const
  const item = await firstOf(dataset({ name: 'd', items: [{ id: 'a', task: 'Do it.', ...fields }] }).items())
  expect(item).toMatchObject({ task: 'Do it.', ...fields })
  expect(item).toHaveProperty('knowledgeRefs')
})
row('`ItemFilter.all()` `.bucket(b)` `.tags(…)` `.id(i)`', async () => {
  const item = await firstOf(dataset({ name: 'd', items: [{ id: 'a', task: 't', bucket: 'A', tags: ['x'] }] }).items())
  for (const filter of [{}, { bucket: 'A' }, { tags: ['x'] }, { id: 'a' }]) expect(matches(filter, item)).toBe(true)
  for (const filter of [{ bucket: 'B' }, { tags: ['y'] }, { id: 'b' }]) expect(matches(filter, item)).toBe(false)
})
row('`ResultStore`: `save` `load` `listByName` `mostRecent`', async () => {
  const store = memoryStore()
  const run = aResult({ experimentName: 'sums' })
  await store.save(run)
  expect((await store.load(run.id))?.id).toBe(run.id)
  expect((await firstOf(store.list({ experimentName: 'sums', order: 'oldest' }))).id).toBe(run.id)
  expect((await store.mostRecent('sums'))?.id).toBe(run.id)
})
row('`FileSystemResultStore(path)`, `InMemoryResultStore()`', async () => {
  await using directory = await temporaryWorkspace()
  for (const store of [fileStore(directory.root), memoryStore()]) {
    const run = aResult()
    await store.save(run)
    expect((await store.load(run.id))?.items).toEqual(run.items)
  }
})
row('`ExperimentResult`: `experimentId` `experimentName` `items` `passCount` `failCount` `passRate`', () => {
  const undecided = anItem({ itemId: 'b', judged: 'error', passed: null })
  const run = aResult({ experimentName: 'sums', items: [anItem(), undecided] })
  expect(run).toMatchObject({ experimentName: 'sums', passCount: 1, failCount: 0, passRate: 1, passRateOfAll: 0.5 })
  expect([run.id, run.items.length]).toEqual([expect.any(String), 2])
})
row('`ItemResult`, `DatasetItem`', async () => {
  const item = await firstOf(dataset({ name: 'd', items: items }).items())
  const names = (one: DatasetItem, result: ItemResult) => [one.id, result.itemId]
  expect(names(item, anItem())).toEqual(['two', 'item-1'])
})
row(
  '`AgentClient`, `.goal().workingDirectory().advisors().call()`, `JudgeAdvisor.builder().judge()`, `AgentClientResponse.getJudgment()` (002)',
  async () => {
    const agent = judged(four, jury({ judges: { right } }))
    const invocation = await agent(task)
    expect([invocation.verdict.aggregated.status, invocation.passed]).toEqual(['pass', true])
  },
)
row('several advisors (002)', async () => {
  const wrong = outputText({ equals: '5' })
  expect((await judged(judged(four, wrong), right)(task)).passed).toBe(false)
  expect((await judged(judged(four, right), right)(task)).passed).toBe(true)
})
row('self-healing loop, quality gate, continuous integration (002)', async () => {
  let tries = 0
  const agent: Agent = async () => completed(String(3 + tries++))
  expect((await selfHealing(agent, right, { maxAttempts: 2 })(task)).passed).toBe(true)
  expect((await judged(agent, right)(task)).passed).toBe(false)
})
row('`Judge` `Jury` `Judgment` `JudgmentContext` `Verdict` `NumericalScore` `CategoricalScore`', async () => {
  const judge: Judge = ({ goal }: JudgmentContext): Judgment => pass(goal)
  const one: Jury = jury({ judges: { judge } })
  const verdict: Verdict = await one.vote({ goal: 'g' })
  const scores: readonly [NumericalScore, CategoricalScore] = [numerical(0.5), categorical('a', ['a', 'b'])]
  expect([verdict.aggregated.status, scores[0].value, scores[1].value]).toEqual(['pass', 0.5, 'a'])
})
