import type { AgentTask, JournalEvent } from '@jurist/core'
import { modelAgent, recorded, userRequest } from '@jurist/core/llm'
import { memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const usage = { inputTokens: 3, outputTokens: 4 }
const answer = { text: 'Hello!', model: 'small-1', usage, costUsd: 0.5, metadata: { finishReason: 'stop' } }

function taskWith(more: Partial<AgentTask> = {}) {
  const events: JournalEvent[] = []
  const task: AgentTask = {
    prompt: 'Say hello',
    workspace: memoryWorkspace({}) as AgentTask['workspace'],
    signal: new AbortController().signal,
    record: (event) => void events.push(event),
    ...more,
  }
  return { task, events }
}

describe('modelAgent', () => {
  test('sends the prompt, returns the answer with its cost, and records the call', async () => {
    const model = scriptedModel(answer)
    const { task, events } = taskWith()
    const invocation = await modelAgent(model, { system: 'You greet.', options: { temperature: 0 } })(task)
    expect(invocation).toEqual({
      status: 'completed',
      output: { type: 'text', text: 'Hello!' },
      usage,
      costUsd: 0.5,
      metadata: { model: 'small-1', finishReason: 'stop' },
    })
    expect(model.requests[0]).toMatchObject({
      messages: [
        { role: 'system', content: 'You greet.' },
        { role: 'user', content: 'Say hello' },
      ],
      options: { temperature: 0 },
    })
    expect(events).toEqual([
      { type: 'prompt', text: 'Say hello' },
      {
        type: 'model-call',
        model: 'small-1',
        usage,
        costUsd: 0.5,
        finishReason: 'stop',
        elapsedMs: expect.any(Number),
      },
      { type: 'text', text: 'Hello!' },
    ])
  })

  test('takes system message and model from the task', async () => {
    const model = scriptedModel('a', { text: '', data: { n: 1 } })
    const agent = modelAgent(model)
    await agent(taskWith({ systemPrompt: 'Be kind.', model: 'large-1' }).task)
    expect(model.requests[0]).toMatchObject({ messages: [{ content: 'Be kind.' }, {}], options: { model: 'large-1' } })
    expect((await agent(taskWith().task)).output).toEqual({ type: 'structured', data: { n: 1 } })
    expect(model.requests[1]?.messages).toHaveLength(1)
  })

  test('of several models is the one that the task names, else the named or first one', async () => {
    const models = { one: scriptedModel(() => '1'), two: scriptedModel(() => '2') }
    const said = async (agent: ReturnType<typeof modelAgent>, model?: string) => {
      const { output } = await agent(taskWith(model === undefined ? {} : { model }).task)
      return output?.type === 'text' ? output.text : undefined
    }
    expect(await said(modelAgent(models))).toBe('1')
    expect(await said(modelAgent(models, { model: 'two' }))).toBe('2')
    expect(await said(modelAgent(models, { model: 'two' }), 'one')).toBe('1')
    await expect(said(modelAgent(models), 'three')).rejects.toThrow('There is no model "three" (available: one, two).')
    expect(() => modelAgent(models, { model: 'three' })).toThrow(/no model "three"/)
    expect(() => modelAgent({})).toThrow(/a function, or an object of models/)
    expect(() => modelAgent(models.one, { sytem: 'x' } as never)).toThrow(/unknown option "sytem"/)
  })

  test('a refusal is the model not doing its task; other errors are thrown on', async () => {
    const refused = Object.assign(new Error('no'), { code: 'model-refused' })
    const agent = modelAgent(scriptedModel(refused, new Error('down')))
    const { task, events } = taskWith()
    expect(await agent(task)).toMatchObject({ status: 'refused', failure: { message: 'no', code: 'model-refused' } })
    expect(events.at(-1)).toMatchObject({ type: 'model-call', finishReason: 'error' })
    await expect(agent(task)).rejects.toThrow('down')
  })
})

test('recorded notes each call of an own agent, and does nothing without a journal', async () => {
  const events: JournalEvent[] = []
  const model = scriptedModel('a', 'b')
  expect(recorded(model, undefined)).toBe(model)
  const ask = recorded(model, (event) => void events.push(event))
  expect((await ask(userRequest('x', { model: 'm-1' }))).text).toBe('a')
  await ask(userRequest('y'))
  expect(events).toMatchObject([{ type: 'model-call', model: 'm-1' }, { type: 'model-call' }])
})
