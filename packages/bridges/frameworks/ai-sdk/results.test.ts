import { createOpenAICompatible as compatible6 } from '@ai-sdk/openai-compatible'
import { runFacts } from '@jurist/bridges/agent'
import { type AiSdkResult, aiSdkAgent, contextFromAiSdk, evaluateAiSdk, observeAiSdk } from '@jurist/bridges/ai-sdk'
import { asText, type JournalEvent } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { agentContract } from '@jurist/experiment/testing'
import * as ai6 from 'ai'
import * as ai7 from 'ai-7'
import { createOpenAICompatible as compatible7 } from 'ai-sdk-openai-compatible-3'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contextBridgeContract, type ScriptedTurn, scriptedServer, scriptedUsage } from '../../testing/index.js'

// The warnings are looked at; they need not be printed as well.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** Both majors, behind the few functions that are used here. */
const majors = [
  { name: 'ai 6', ai: ai6, compatible: compatible6 },
  { name: 'ai 7', ai: ai7 as unknown as typeof ai6, compatible: compatible7 as unknown as typeof compatible6 },
] as const

type Major = (typeof majors)[number]
interface Setting {
  readonly turns: readonly ScriptedTurn[]
  readonly more?: object
  readonly signal?: AbortSignal
}

/** A real result of `generateText` over a scripted server. */
async function generated({ ai, compatible }: Major, { turns, more, signal }: Setting): Promise<AiSdkResult> {
  await using server = await scriptedServer(({ index }) => turns[index] ?? { text: 'Done' })
  const model = compatible({ name: 'local', baseURL: `${server.url}/v1` })('scripted-model')
  const weather = {
    description: 'Tells the weather',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }: { city: string }) => {
      if (city === 'Atlantis') throw new TypeError('no such city')
      return { city, degrees: 21 }
    },
  }
  return await ai.generateText({
    model,
    prompt: 'How is the weather?',
    tools: { weather: ai.tool(weather) },
    stopWhen: ai.stepCountIs(5),
    maxRetries: 0,
    abortSignal: signal,
    ...more,
  } as never)
}

const ask = (city: unknown) => ({ tools: [{ name: 'weather', input: { city } as never }] })
const goal = 'Tell the weather'

for (const major of majors) {
  const real = (...turns: readonly ScriptedTurn[]) => generated(major, { turns })

  contextBridgeContract({ describe, test }, `${major.name}, real results`, {
    prefix: 'ai-sdk',
    contextFrom: contextFromAiSdk,
    evaluate: evaluateAiSdk,
    samples: {
      ok: await real({ text: 'Sunny' }),
      truncated: await real({ text: 'Sun', stop: 'length' }),
      refused: await real({ text: 'No', stop: 'content_filter' }),
      // Its own word for an ending that a stream alone has.
      failed: { ...(await real({ text: 'Sun' })), steps: [{ finishReason: 'error' }] },
      unknown: await real({ text: 'Sunny', stop: 'brand-new' }),
      tools: await real(ask('Berlin'), { text: 'Sunny' }),
      empty: await real({ text: '' }),
    },
  })

  describe(`${major.name}: what is read of a real result`, () => {
    test('usage is the sum of the steps, tools are joined', async () => {
      const result = await real(ask('Berlin'), ask('Atlantis'), ask(7), { text: 'Sunny' })
      const context = contextFromAiSdk(result, { goal })
      expect(context.status).toBe('success')
      expect(asText(context.agentOutput)).toBe('Sunny')
      const facts = runFacts(context.metadata)
      expect(facts).toMatchObject({
        model: 'scripted-model',
        provider: 'local.chat',
        responseId: 'chatcmpl-scripted-3',
        finishReason: 'stop',
        turns: 4,
      })
      expect(facts?.usage).toMatchObject({
        inputTokens: 4 * scriptedUsage.inputTokens,
        outputTokens: 4 * scriptedUsage.outputTokens,
        cacheReadTokens: 4 * scriptedUsage.cacheReadTokens,
        reasoningTokens: 4 * scriptedUsage.reasoningTokens,
      })
      expect(context.toolSteps?.[0]).toMatchObject({
        name: 'weather',
        input: { city: 'Berlin' },
        status: 'completed',
        turn: 0,
      })
      expect(facts?.toolExecutions).toMatchObject([
        {
          id: 'call_0_0',
          name: 'weather',
          step: 0,
          input: { city: 'Berlin' },
          output: { city: 'Berlin', degrees: 21 },
          status: 'completed',
        },
        {
          id: 'call_1_0',
          name: 'weather',
          step: 1,
          status: 'failed',
          failure: { name: 'TypeError', message: 'no such city' },
        },
        { id: 'call_2_0', name: 'weather', step: 2, status: 'invalid' },
      ])
    })

    test('data that was asked for is the output', async () => {
      const output = major.ai.Output.object({ schema: z.object({ degrees: z.number() }) })
      const result = await generated(major, { turns: [{ text: '{"degrees":21}' }], more: { output, tools: {} } })
      expect(contextFromAiSdk(result, { goal }).agentOutput).toEqual({ type: 'structured', data: { degrees: 21 } })
    })

    test('unsupported settings are warnings', async () => {
      const result = await generated(major, { turns: [{ text: 'ok' }], more: { topK: 3 } })
      const { warnings } = runFacts(contextFromAiSdk(result, { goal }).metadata) ?? {}
      expect(warnings?.some((warning) => /^unsupported: topK/.test(warning))).toBe(true)
    })
  })

  describe(`${major.name}: what becomes of a run`, () => {
    test('a failed call is a failed run, an abort is cancelled, a limit a timeout', async () => {
      const failing = await observeAiSdk((signal) => generated(major, { turns: [{ status: 503 }], signal }), { goal })
      expect(failing.context).toMatchObject({ status: 'failed', failure: { code: 'http-503', infrastructure: true } })
      expect(failing).not.toHaveProperty('result')
      const slow = (signal: AbortSignal) => generated(major, { turns: [{ text: 'late', delayMs: 5_000 }], signal })
      expect((await observeAiSdk(slow, { goal, timeoutMs: 50 })).context.status).toBe('timeout')
      const stop = AbortSignal.timeout(50)
      const controller = new AbortController()
      stop.addEventListener('abort', () => controller.abort(new Error('enough')))
      expect((await observeAiSdk(slow, { goal, signal: controller.signal })).context.status).toBe('cancelled')
    })

    test('the awaited fields of a stream are a result', async () => {
      await using server = await scriptedServer(() => ({ text: 'Sunny' }))
      const model = major.compatible({ name: 'local', baseURL: `${server.url}/v1`, includeUsage: true })('m')
      const stream = major.ai.streamText({ model, prompt: 'How is the weather?' } as never)
      const [text, steps, response] = await Promise.all([stream.text, stream.steps, stream.response])
      const context = contextFromAiSdk({ text, steps, response } as AiSdkResult, { goal })
      expect([context.status, asText(context.agentOutput)]).toEqual(['success', 'Sunny'])
      expect(runFacts(context.metadata)?.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
    })
  })

  agentContract({ describe, test }, `${major.name}, as an agent`, {
    agent: aiSdkAgent(({ signal }) =>
      generated(major, { turns: [ask('Berlin'), { text: 'Sunny', delayMs: 20 }], signal }),
    ),
    task: async () => ({ prompt: 'Weather?', workspace: memoryWorkspace(), signal: new AbortController().signal }),
  })

  describe(`${major.name}: an agent`, () => {
    test('is invoked, with usage, cost, a phase and a journal', async () => {
      await using server = await scriptedServer(({ index }) => (index === 0 ? ask('Berlin') : { text: 'Sunny' }))
      const weather = major.ai.tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'sun' })
      const model = major.compatible({ name: 'local', baseURL: `${server.url}/v1`, apiKey: 'k' })('m')
      const loop = new major.ai.ToolLoopAgent({ model, tools: { weather } } as never)
      const agent = aiSdkAgent(({ prompt, signal }) => loop.generate({ prompt, abortSignal: signal } as never), {
        prices: { m: { inputPerMillion: 1_000_000, outputPerMillion: 0 } },
      })
      const journal: JournalEvent[] = []
      const { signal } = new AbortController()
      const invocation = await agent({
        prompt: 'Weather?',
        workspace: memoryWorkspace(),
        signal,
        record: (event) => journal.push(event),
      })
      expect(invocation).toMatchObject({
        status: 'completed',
        output: { type: 'text', text: 'Sunny' },
        usage: { inputTokens: 200 },
        costUsd: 200,
        phases: [
          {
            name: 'run',
            prompt: 'Weather?',
            text: 'Sunny',
            turns: 2,
            toolUses: [{ id: 'call_0_0', name: 'weather' }],
            toolResults: [{ toolUseId: 'call_0_0', content: 'sun', failed: false }],
          },
        ],
        metadata: { bridge: 'ai-sdk', 'ai-sdk.costBasis': 'table' },
      })
      expect(journal.map(({ type }) => type)).toEqual([
        'state',
        'prompt',
        'model-call',
        'tool-call',
        'tool-result',
        'model-call',
        'text',
        'state',
      ])
    })
  })
}
