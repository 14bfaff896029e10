import { agentModel, contextFromInvocation, evaluateAgent, runFacts } from '@jurist/bridges/agent'
import type { Agent, AgentTask, Invocation, Judge } from '@jurist/core'
import { abstain, fileExists, jury, outputText, runJudge, textOutput } from '@jurist/core'
import { userRequest } from '@jurist/core/llm'
import { memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const goal = 'Write a README'
const completed: Invocation = { status: 'completed', output: textOutput('Done'), elapsedMs: 12 }
const writer: Agent = async ({ workspace }) => {
  await workspace.write('README.md', '# Hello')
  return completed
}

describe('contextFromInvocation', () => {
  test('the status by name, and the facts of the run', () => {
    const names = ['completed', 'refused', 'timeout', 'error', 'cancelled'] as const
    const statuses = names.map((status) => contextFromInvocation({ status }, { goal }).status)
    expect(statuses).toEqual(['success', 'refused', 'timeout', 'failed', 'cancelled'])
    const invocation = { ...completed, usage: { inputTokens: 1 }, costUsd: 0, sessionId: 's' }
    const context = contextFromInvocation(invocation, { goal, metadata: { mine: 1 } })
    expect(context).toMatchObject({ goal, agentOutput: textOutput('Done'), executionMs: 12 })
    expect(context.metadata).toEqual({ usage: { inputTokens: 1 }, costUsd: 0, sessionId: 's', mine: 1 })
    expect(runFacts(context.metadata)).toEqual({
      bridge: 'none',
      usage: { inputTokens: 1 },
      costUsd: 0,
      sessionId: 's',
    })
  })

  test('a judge of costs knows what an agent of your own returns, and nothing is not free', async () => {
    const cheap: Judge = ({ metadata }) => {
      const { costUsd } = runFacts(metadata) ?? {}
      return costUsd === undefined ? abstain('the cost is not known') : costUsd < 0.1
    }
    const judged = async (invocation: Invocation) =>
      (await runJudge(cheap, contextFromInvocation(invocation, { goal }))).status
    expect(await judged({ ...completed, costUsd: 5 })).toBe('fail')
    expect(await judged({ ...completed, costUsd: 0.05 })).toBe('pass')
    expect(await judged(completed)).toBe('abstain')
    expect(await judged({ ...completed, costUsd: 5, metadata: { bridge: 'x', 'x.turns': 1 } })).toBe('fail')
    expect(runFacts({ costUsd: 'free', usage: 3 })).toBeUndefined()
  })

  test('what a bridge noted wins: its status, the texts of its sources', () => {
    const metadata = {
      bridge: 'x',
      'x.status': 'unknown',
      'x.sources': [{ id: 'a', type: 'document', text: 'Paris' }],
      'x.turns': 2,
    }
    const context = contextFromInvocation({ ...completed, metadata }, { goal })
    expect([context.status, context.referenceData]).toEqual(['unknown', ['Paris']])
    expect(runFacts(context.metadata)).toMatchObject({ bridge: 'x', status: 'unknown', turns: 2 })
    expect(contextFromInvocation({ ...completed, metadata }, { goal, referenceData: ['Rome'] }).referenceData).toEqual([
      'Rome',
    ])
  })

  test('a strange invocation does not throw: what is malformed is absent', async () => {
    const of = (invocation: unknown) => contextFromInvocation(invocation as Invocation, { goal })
    for (const nothing of [null, undefined]) expect(of(nothing)).toMatchObject({ status: 'unknown', metadata: {} })
    expect(of({ ...completed, metadata: null })).toMatchObject({ status: 'success', metadata: {} })
    expect(of({ status: 'weird', output: 5, failure: 'no', elapsedMs: -1 })).toMatchObject({ status: 'unknown' })
    const metadata = { bridge: 'b', 'b.sources': 'none', 'b.status': 'ok', 'b.warnings': ['w'] }
    const context = of({ ...completed, metadata, output: 5 })
    expect([context.status, context.referenceData, context.agentOutput]).toEqual(['success', undefined, undefined])
    expect(runFacts(context.metadata)).toEqual({ bridge: 'b', warnings: ['w', 'malformed: output'] })
    const strange: Agent = () => ({ ...completed, metadata: { bridge: 'b', 'b.status': 'ok' } })
    const judged = await evaluateAgent(strange, outputText({ contains: 'Done' }), {
      goal,
      workspace: memoryWorkspace(),
    })
    expect(judged.status).toBe('pass')
    expect(runFacts(null as never)).toBeUndefined()
  })

  test('the keys of the bridge are reserved; extras are checked', () => {
    const metadata = { bridge: 'x' }
    const wrong = (extras: object) => () => contextFromInvocation({ ...completed, metadata }, { goal, ...extras })
    expect(wrong({ metadata: { 'x.turns': 1 } })).toThrow(
      expect.objectContaining({ code: 'metadata-reserved', details: { key: 'x.turns' } }),
    )
    expect(wrong({ metadata: { 'y.turns': 1 } })).not.toThrow()
    expect(wrong({ goal: undefined })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(wrong({ target: 1 })).toThrow(/unknown option "target"/)
    expect(wrong({ startedAt: 'yesterday' })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})

describe('evaluateAgent', () => {
  test('runs, then a judge gives a judgment, a jury a verdict', async () => {
    const run = (judge: never) => evaluateAgent(writer, judge, { goal, workspace: memoryWorkspace() })
    expect(await run(fileExists('README.md') as never)).toMatchObject({ status: 'pass' })
    expect(await run(jury({ judges: { readme: fileExists('README.md') } }) as never)).toMatchObject({
      aggregated: { status: 'pass' },
    })
  })

  test('the agent gets the goal as its prompt and nothing of what judges know', async () => {
    const tasks: AgentTask[] = []
    const agent: Agent = (task) => {
      tasks.push(task)
      return completed
    }
    const extras = {
      goal,
      workspace: memoryWorkspace(),
      timeoutMs: 5_000,
      model: 'm',
      env: { A: '1' },
      metadata: { answer: 42 },
      expectedOutput: 'secret',
    }
    await evaluateAgent(agent, outputText({ contains: 'Done' }), extras)
    const { signal, workspace, ...task } = tasks[0] as AgentTask
    expect(task).toEqual({ prompt: goal, timeoutMs: 5_000, model: 'm', env: { A: '1' } })
    expect([signal.aborted, workspace === extras.workspace]).toEqual([false, true])
  })

  test('an agent that throws, is late or was stopped is judged', async () => {
    const seen: unknown[] = []
    const judge: Judge = ({ status, failure, executionMs }) => {
      seen.push([status, failure?.code, typeof executionMs])
      return abstain('seen')
    }
    const workspace = memoryWorkspace()
    const throwing: Agent = () => {
      throw Object.assign(new Error('busy'), { status: 529 })
    }
    const waiting: Agent = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await evaluateAgent(throwing, judge, { goal, workspace })
    await evaluateAgent(waiting, judge, { goal, workspace, timeoutMs: 30 })
    let called = false
    const stopped = { goal, workspace, signal: AbortSignal.abort(new Error('enough')) }
    const noting: Agent = () => {
      called = true
      return completed
    }
    expect((await evaluateAgent(noting, judge, stopped)).status).toBe('error')
    expect(seen).toEqual([
      ['failed', 'http-529', 'number'],
      ['timeout', undefined, 'number'],
    ])
    expect(called).toBe(false)
  })

  test('what is not an invocation is an error', async () => {
    const seen: unknown[] = []
    const judge: Judge = ({ status, failure }) => {
      seen.push([status, failure?.code])
      return true
    }
    for (const nothing of [undefined, 'done', {}, { status: 'finished' }])
      await evaluateAgent((() => nothing) as never, judge, { goal, workspace: memoryWorkspace() })
    expect(seen).toEqual(Array.from({ length: 4 }, () => ['failed', 'agent-failed']))
  })

  test('a workspace is needed, and one that can be written', async () => {
    const run = (workspace: unknown) => evaluateAgent(writer, fileExists('a'), { goal, workspace } as never)
    await expect(run(undefined)).rejects.toMatchObject({ code: 'option-invalid', details: { option: 'workspace' } })
    await expect(run({ read: () => '' })).rejects.toMatchObject({
      code: 'option-invalid',
      details: { option: 'workspace' },
    })
  })
})

describe('agentModel', () => {
  const workspace = async () => memoryWorkspace()
  const answering =
    (invocation: Invocation, tasks: AgentTask[] = []): Agent =>
    (task) => {
      tasks.push(task)
      return invocation
    }

  test('messages become one prompt, the output is the answer', async () => {
    const tasks: AgentTask[] = []
    const invocation = {
      ...completed,
      usage: { inputTokens: 3 },
      costUsd: 0.5,
      sessionId: 's',
      metadata: { bridge: 'x', 'x.model': 'm-1' },
    }
    const model = agentModel(answering(invocation, tasks), { workspace })
    const response = await model(userRequest('Is it?', { temperature: 0, model: 'm' }))
    expect(response).toEqual({
      text: 'Done',
      model: 'm-1',
      usage: { inputTokens: 3 },
      costUsd: 0.5,
      metadata: { status: 'completed', sessionId: 's', warnings: ['unsupported: temperature'] },
    })
    const request = userRequest('Is it?', { responseSchema: { type: 'object' } })
    await model({ ...request, messages: [{ role: 'system', content: 'Be strict.' }, ...request.messages] })
    expect(tasks.map(({ prompt, model: name }) => [prompt.replace(/\{.*\}/, '{…}'), name])).toEqual([
      ['Is it?', 'm'],
      [
        '# System\n\nBe strict.\n\n# User\n\nIs it?\n\nAnswer with one JSON value that keeps this JSON Schema, and with nothing else:\n{…}',
        undefined,
      ],
    ])
  })

  test('data: structured output, else JSON in the text', async () => {
    const ask = userRequest('Is it?', { responseSchema: {} })
    const outputs = [
      { type: 'structured', data: { ok: true } },
      textOutput('```json\n{"ok":true}\n```'),
      textOutput('yes'),
    ] as const
    const data = await Promise.all(
      outputs.map((output) => agentModel(answering({ ...completed, output }), { workspace })(ask)),
    )
    expect(data.map((response) => response.data)).toEqual([{ ok: true }, { ok: true }, undefined])
  })

  test('a run that did not complete rejects, or is taken as it is', async () => {
    const codes = await Promise.all(
      (['refused', 'error', 'timeout', 'cancelled'] as const).map((status) =>
        agentModel(answering({ status }), { workspace })(userRequest('Is it?', { timeoutMs: 600_000 })).catch(
          ({ code }) => code,
        ),
      ),
    )
    expect(codes).toEqual(['model-refused', 'agent-failed', 'model-timeout', 'agent-failed'])
    const lenient = agentModel(answering({ status: 'refused', output: textOutput('No.') }), {
      workspace,
      onFailedRun: 'classify',
    })
    expect(await lenient(userRequest('Is it?'))).toMatchObject({ text: 'No.', metadata: { status: 'refused' } })
  })

  test('each call has its own workspace, closed afterwards', async () => {
    const events: string[] = []
    const open = async () => {
      events.push('open')
      return Object.assign({ ...memoryWorkspace() }, { [Symbol.asyncDispose]: async () => void events.push('closed') })
    }
    const failing: Agent = () => {
      throw new Error('no')
    }
    await expect(agentModel(failing, { workspace: open })(userRequest('Is it?'))).rejects.toMatchObject({
      code: 'agent-failed',
    })
    expect(events).toEqual(['open', 'closed'])
    await expect(
      agentModel(writer, { workspace: open })(userRequest('x', {}, AbortSignal.abort())),
    ).rejects.toMatchObject({ code: 'aborted' })
    expect(events).toEqual(['open', 'closed'])
    expect(() => agentModel(writer, {} as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})
