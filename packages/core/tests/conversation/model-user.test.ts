import { JuristError, type Turn } from '@jurist/core'
import { modelAudit, modelUser } from '@jurist/core/conversation'
import { heldConversation } from '@jurist/core/internal'
import { userRequest } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { describe, expect, it } from 'vitest'
import { attacks } from '../injection/attacks.js'
import { insideFences, outsideFences } from '../injection/fenced-request.js'
import { aTask, held, said } from './support.js'

const scenario = {
  goal: 'Cancel order 7.',
  facts: ['The order is 7.'],
  mustNotReveal: ['the PIN 1234'],
  manner: 'curt',
}
const signal = new AbortController().signal
const task = () => aTask({ metadata: { scenario } })

describe('a user played by a model', () => {
  it('talks until the model stops; its usage and cost are its own', async () => {
    const model = scriptedModel(
      { text: '{"message": "Cancel order 7."}', costUsd: 0.5, usage: { inputTokens: 3 } },
      { text: '{"stop": "satisfied"}', costUsd: 0.25, usage: { inputTokens: 4 } },
    )
    const found = await held(() => 'It is cancelled.', { user: modelUser({ model }) }, task())
    expect(said(found)).toEqual(['user: Cancel order 7.', 'agent: It is cancelled.'])
    expect(found.costUsd).toBeUndefined()
    expect(found.user).toMatchObject({ ended: 'satisfied', costUsd: 0.75, usage: { inputTokens: 7 } })
  })

  it('a stop is a field, not a word in a message', async () => {
    const model = scriptedModel('{"message": "###STOP### {\\"stop\\": \\"satisfied\\"}"}', '{"stop": "gave-up"}')
    const found = await held(() => 'ok', { user: modelUser({ model }) }, task())
    expect(found.turns).toHaveLength(2)
    expect(found.user?.ended).toBe('gave-up')
  })

  it.each([
    ['the other field may be null', '{"message": "Hi", "stop": null}', { message: 'Hi' }],
    ['a structured answer', { text: '', data: { stop: 'out-of-scope' } }, { stop: 'out-of-scope' }],
    ['every field, to say something', '{"move": "say", "message": "Hi", "stop": "none"}', { message: 'Hi' }],
    ['every field, to stop', '{"move": "stop", "message": "", "stop": "gave-up"}', { stop: 'gave-up' }],
    ['a farewell that is not sent', '{"move": "STOP", "message": "Bye!", "stop": "Satisfied"}', { stop: 'satisfied' }],
    ['an empty message beside a stop', '{"message": "", "stop": "satisfied"}', { stop: 'satisfied' }],
    ['JSON within a block', '```json\n{"message": "Hi"}\n```', { message: 'Hi' }],
  ])('%s', async (_, reply, move) => {
    const user = modelUser({ model: scriptedModel(reply) })
    expect(await user([], scenario, signal)).toEqual(move)
  })

  it.each([
    ['both', '{"message": "Bye", "stop": "satisfied"}'],
    ['neither', '{}'],
    ['a message that stops', '{"move": "say", "message": "Bye", "stop": "satisfied"}'],
    ['a stop without a reason', '{"move": "stop", "message": "Bye", "stop": "none"}'],
    ['nothing to say', '{"move": "say", "message": " ", "stop": "none"}'],
    ['another reason', '{"stop": "bored"}'],
    ['prose', 'I would like to cancel my order.'],
    ['two messages', '{"message": "a"} {"message": "b"}'],
  ])('%s is asked for again, and then is a failure of the infrastructure', async (_, text) => {
    const model = scriptedModel(text, text)
    const found = await held(() => 'ok', { user: modelUser({ model }) }, task())
    expect(model.requests).toHaveLength(2)
    expect(found).toMatchObject({ status: 'error', failure: { code: 'response-invalid', infrastructure: true } })
    expect(await modelUser({ model: scriptedModel(text, '{"message": "a"}') })([], scenario, signal)).toEqual({
      message: 'a',
    })
  })

  it('is shown its scenario and what was said as data: no agent can get out of it, or take the part of another', async () => {
    const promptOf = async (text: string) => {
      const model = scriptedModel('{"stop": "satisfied"}')
      const turns: readonly Turn[] = [
        { role: 'user', text: 'Hi' },
        { role: 'agent', text },
      ]
      await modelUser({ model, instructions: 'Speak German.' })(turns, scenario, signal)
      const { messages, metadata } = model.requests[0] ?? userRequest('nothing')
      return { messages, nonce: String(metadata['fence']) }
    }
    const usual = outsideFences(await promptOf('Hello'))
    expect(usual).toContain('Speak German.')
    for (const { name, text } of attacks) {
      const prompt = await promptOf(text)
      expect(outsideFences(prompt), name).toBe(usual)
      if (text.length < 1_000) expect(insideFences(prompt), name).toContain(text)
    }
  })
})

describe('an audit by a model', () => {
  const talk = {
    turns: [
      { role: 'user', text: 'Cancel order 7. My PIN is 1234.' },
      { role: 'agent', text: 'Which order?' },
    ],
    scenario,
    ended: 'satisfied',
  } as const
  const found = '{"faults": [{"turn": 1, "fault": "revealed", "why": "it tells the PIN"}]}'

  it('names the faults, with what it cost', async () => {
    const audit = modelAudit({ model: scriptedModel({ text: found, costUsd: 0.5 }) })
    expect(await audit(talk, signal)).toEqual({
      faults: [{ name: 'revealed', turn: 1, message: 'it tells the PIN' }],
      costUsd: 0.5,
    })
  })

  it('finds nothing in a message that is not there, and throws what it cannot read', async () => {
    expect(await modelAudit({ model: scriptedModel(found.replace('1', '9')) })(talk, signal)).toEqual({ faults: [] })
    const unread = modelAudit({ model: scriptedModel('The user is fine.', 'The user is fine.') })
    await expect(unread(talk, signal)).rejects.toSatisfy((thrown) => JuristError.is(thrown, 'response-invalid'))
  })

  it('receives the same instructions under every attack of an agent', async () => {
    const outside = async (text: string) => {
      const model = scriptedModel('{"faults": []}')
      await modelAudit({ model })(
        {
          ...talk,
          turns: [
            { role: 'user', text: 'Hi' },
            { role: 'agent', text },
          ],
        },
        signal,
      )
      const { messages, metadata } = model.requests[0] ?? userRequest('nothing')
      return outsideFences({ messages, nonce: String(metadata['fence']) })
    }
    const usual = await outside('Hello')
    for (const { name, text } of attacks) expect(await outside(text), name).toBe(usual)
  })

  it('waits for the verdict: a conversation only says that it can be audited', async () => {
    const model = scriptedModel(found)
    const invocation = await held(() => 'ok', { user: ['Hi'], audit: modelAudit({ model }), auditPassed: 0.5 }, task())
    expect(model.requests).toHaveLength(0)
    expect(invocation.user).toMatchObject({ faults: [], audited: false })
    const pending = (invocation as { readonly [heldConversation]?: unknown })[heldConversation] as {
      readonly ofPassed: number
      readonly audit: (signal: AbortSignal) => Promise<unknown>
    }
    expect(pending.ofPassed).toBe(0.5)
    expect(await pending.audit(signal)).toMatchObject({ audited: true, faults: [{ name: 'revealed' }] })
  })
})
