import type { AgentTask } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { expect, test } from 'vitest'
import { completed, pipelineAgent, runExperiment } from '../../src/index.js'
import type { Analysis, ExecutionPlan } from '../../src/invocation.js'
import { memoryStore } from '../../src/store/index.js'

const task: AgentTask = {
  prompt: 'Do it.',
  systemPrompt: 'Be brief.',
  workspace: memoryWorkspace({}),
  signal: new AbortController().signal,
}
const analysis: Analysis = {
  summary: 'A small project.',
  data: { files: 2 },
  usage: { inputTokens: 10 },
  costUsd: 0.25,
}
const plan: ExecutionPlan = {
  roadmap: '1. Look. 2. Write.',
  recommendedTools: ['read', 'write'],
  knowledgeRead: [],
  usage: { inputTokens: 5, outputTokens: 1 },
  costUsd: 0.5,
  durationMs: 40,
}

/** An agent that notes what it is asked. */
function noting() {
  const asked: AgentTask[] = []
  const execute = async (given: AgentTask) => {
    asked.push(given)
    return completed({
      costUsd: 2,
      usage: { inputTokens: 1, outputTokens: 1 },
      elapsedMs: 100,
      phases: [{ name: 'work' }],
    })
  }
  return { asked, execute }
}

test('works with what it analysed and planned, each counted once', async () => {
  const { asked, execute } = noting()
  const seen: unknown[] = []
  const agent = pipelineAgent({
    analyze: async () => analysis,
    plan: async ({ prompt }, given) => {
      seen.push(prompt, given)
      return plan
    },
    execute,
  })
  const invocation = await agent(task)
  expect(seen).toEqual(['Do it.', analysis])
  expect(asked[0]?.prompt).toBe(
    'Do it.\n\n## Roadmap\n\n1. Look. 2. Write.\n\n## Recommended tools\n\n- read\n- write\n\n## Analysis\n\nA small project.',
  )
  expect(asked[0]?.systemPrompt).toMatch(/^Be brief\.\n\n.*do not plan again\.$/)
  expect(invocation).toMatchObject({
    status: 'completed',
    costUsd: 2.75,
    usage: { inputTokens: 16, outputTokens: 2 },
    analysis,
    plan,
    metadata: { 'pipeline.planningCostUsd': 0.75, 'pipeline.planningTokens': 16 },
  })
  expect(invocation.phases?.map(({ name, costUsd }) => [name, costUsd])).toEqual([
    ['planning', 0.75],
    ['work', undefined],
  ])
  const planningMs = Number(invocation.metadata?.['pipeline.planningMs'])
  expect(planningMs).toBeGreaterThanOrEqual(40)
  expect(invocation.elapsedMs).toBe(planningMs + 100)
  expect(invocation.metadata).not.toHaveProperty(['pipeline.errors'])
})

test('without stages, or with stages that found nothing, the task is as it was', async () => {
  const { asked, execute } = noting()
  await pipelineAgent({ execute })(task)
  expect(asked[0]).toBe(task)
  const failing = pipelineAgent({ analyze: () => Promise.reject(new Error('no model')), execute })
  const invocation = await failing(task)
  expect(asked[1]).toBe(task)
  expect(invocation).toMatchObject({
    status: 'completed',
    costUsd: 2,
    metadata: { 'pipeline.errors': [{ stage: 'analyze', name: 'Error', message: 'no model' }] },
  })
})

test('a stage that fails is noted, or fails the agent, whose numbers stay', async () => {
  const { asked, execute } = noting()
  const stages = { analyze: async () => analysis, plan: () => Promise.reject(new Error('no plan')) }
  const on = await pipelineAgent({ ...stages, execute })(task)
  expect(asked[0]?.prompt).toBe('Do it.\n\n## Analysis\n\nA small project.')
  expect(asked[0]?.systemPrompt).toBe('Be brief.')
  expect(on.metadata?.['pipeline.errors']).toMatchObject([{ stage: 'plan', message: 'no plan' }])
  const off = await pipelineAgent({ ...stages, execute, onStageError: 'fail' })(task)
  expect(off).toMatchObject({ status: 'error', failure: { message: 'no plan' }, costUsd: 0.25, analysis })
  expect(asked).toHaveLength(1)
})

test('a stage that exceeds its time limit is abandoned, and hears the abort', async () => {
  const { execute } = noting()
  const told: AbortSignal[] = []
  const agent = pipelineAgent({
    plan: ({ signal }) => new Promise(() => signal.addEventListener('abort', () => told.push(signal), { once: true })),
    execute,
    planTimeoutMs: 20,
  })
  const { metadata } = await agent(task)
  expect(metadata?.['pipeline.errors']).toMatchObject([{ stage: 'plan', code: 'stage-timeout' }])
  expect(told).toHaveLength(1)
})

test('a task that is stopped while it is planned is not worked on', async () => {
  const { asked, execute } = noting()
  const controller = new AbortController()
  const agent = pipelineAgent({
    plan: () => {
      controller.abort(new Error('enough'))
      return new Promise(() => {})
    },
    execute,
  })
  expect(await agent({ ...task, signal: controller.signal })).toMatchObject({ status: 'cancelled' })
  expect(asked).toEqual([])
})

test("what execute throws passes through; a prompt of one's own is used", async () => {
  const execute = async ({ prompt }: AgentTask) => Promise.reject(new Error(prompt))
  const agent = pipelineAgent({
    plan: async () => plan,
    execute,
    enrich: (prompt, stages) => `${prompt} ${stages.plan?.roadmap} ${stages.analysis}`,
  })
  await expect(agent(task)).rejects.toThrowError('Do it. 1. Look. 2. Write. null')
})

test('a stage that gives nothing counts as failed', async () => {
  const { execute } = noting()
  const agent = pipelineAgent({ plan: (async () => undefined) as unknown as () => Promise<ExecutionPlan>, execute })
  expect((await agent(task)).metadata?.['pipeline.errors']).toMatchObject([{ stage: 'plan' }])
})

test('in an experiment plan, analysis and costs are stored', async () => {
  const { execute } = noting()
  const agent = pipelineAgent({ analyze: async () => analysis, plan: async () => plan, execute })
  const store = memoryStore()
  const { items } = await runExperiment({ name: 'pipeline', dataset: [{ id: 'a', task: 'x' }], agent, store }).result
  expect(items[0]).toMatchObject({ costUsd: 2.75, detail: { invocation: { plan, analysis } } })
})

test('bad options are refused', () => {
  expect(() => pipelineAgent({} as Parameters<typeof pipelineAgent>[0])).toThrowError(/give "execute"/)
  const { execute } = noting()
  expect(() => pipelineAgent({ execute, planTimeoutMs: 0 })).toThrowError(/"planTimeoutMs"/)
})
