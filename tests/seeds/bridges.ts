import { acpAgent } from '@jurist/bridges/acp'
import { agentModel, contextFromInvocation, evaluateAgent, runFacts } from '@jurist/bridges/agent'
import { type AiSdkResult, aiSdkModel, contextFromAiSdk, evaluateAiSdk, observeAiSdk } from '@jurist/bridges/ai-sdk'
import { claudeAgent } from '@jurist/bridges/claude-agent'
import { codexAgent } from '@jurist/bridges/codex'
import { commandAgent, commands } from '@jurist/bridges/command'
import {
  contextFromLangChain,
  evaluateLangChain,
  type LangChainResult,
  observeLangChain,
} from '@jurist/bridges/langchain'
import { contextFromMastra, evaluateMastra } from '@jurist/bridges/mastra'
import { contextFromOpenAiAgents, evaluateOpenAiAgents } from '@jurist/bridges/openai-agents'
import { type OtelTracer, recordVerdict, tracedAgent, tracedJudge, tracedJury, tracedModel } from '@jurist/bridges/otel'
import { type Agent, type AgentTask, jury, outputText, runJudge } from '@jurist/core'
import { correctness } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { fakeCommands } from '@jurist/workspace/testing'
import { expect } from 'vitest'
import { row } from './row.js'

const goal = 'Name the capital of France'
const paris = outputText({ contains: 'Paris' })
const agent: Agent = async () => ({ status: 'completed', output: { type: 'text', text: 'Paris' } })
const workspace = memoryWorkspace({})
const aiSdk: AiSdkResult = { text: 'Paris', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 1 } }
const usageMetadata = { input_tokens: 3, output_tokens: 1, total_tokens: 4 }
const answer = { type: 'ai', content: 'Paris', ...{ usage_metadata: usageMetadata } }
const langChain: LangChainResult = answer
const mastra = { text: 'Paris', finishReason: 'stop', steps: [], totalUsage: { inputTokens: 3, outputTokens: 1 } }
const openAiAgents = { finalOutput: 'Paris', newItems: [], rawResponses: [] }

row('modules spring-ai, langchain4j, koog, agent-client', async () => {
  const doors = [
    ...[import('@jurist/bridges/ai-sdk'), import('@jurist/bridges/langchain'), import('@jurist/bridges/mastra')],
    ...[import('@jurist/bridges/openai-agents'), import('@jurist/bridges/agent'), import('@jurist/bridges/acp')],
    ...[import('@jurist/bridges/claude-agent'), import('@jurist/bridges/codex'), import('@jurist/bridges/command')],
  ]
  for (const door of await Promise.all<object>(doors)) expect(Object.keys(door).length).toBeGreaterThan(0)
})
row('`SpringAiJudgmentContextBuilder.from` / `.execute`', async () => {
  expect((await runJudge(paris, contextFromAiSdk(aiSdk, { goal }))).status).toBe('pass')
  const { context } = await observeAiSdk(() => Promise.reject(new Error('away')), { goal })
  expect([context.status, context.failure?.message]).toEqual(['failed', 'away'])
})
row('`SpringAiEvaluator.evaluate`, `SpringAiMetadataKeys`', async () => {
  const judge = ({ metadata }: { readonly metadata: Readonly<Record<string, unknown>> }) =>
    runFacts(metadata)?.usage?.inputTokens === 3 && metadata['ai-sdk.usage'] !== undefined && metadata['team'] === 'a'
  expect((await evaluateAiSdk(async () => aiSdk, judge, { goal, metadata: { team: 'a' } })).status).toBe('pass')
})
row('`SpringAiJudgeModel`, `ChatClient`, `ChatModel`, `ChatResponse`', async () => {
  const content = [{ type: 'text', text: 'Answer: YES' }]
  const usage = { inputTokens: { total: 3 }, outputTokens: { total: 1 } }
  const shape = { specificationVersion: 'v3', provider: 'own', modelId: 'm', supportedUrls: {} }
  const doGenerate = async () => ({ content, finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] })
  const model = aiSdkModel({ ...shape, doGenerate } as never)
  expect((await runJudge(correctness({ model }), aContext({ agentOutput: 'Paris' }))).status).toBe('pass')
  expect((aiSdk satisfies AiSdkResult).text).toBe('Paris')
})
row('`LangChain4jJudgmentContextBuilder`, `LangChain4jEvaluator`, `Result<T>`, `AiService`', async () => {
  expect((await runJudge(paris, contextFromLangChain(langChain, { goal }))).status).toBe('pass')
  expect((await observeLangChain(async (): Promise<LangChainResult> => langChain, { goal })).context.status).toBe(
    'success',
  )
  expect((await evaluateLangChain(async () => langChain, paris, { goal })).status).toBe('pass')
})
row('`langchain4j.tokenUsage` `.toolExecutions` `.sources` `.finishReason`', () => {
  const documents = [{ pageContent: 'Paris is the capital.', metadata: {} }]
  const { metadata } = contextFromLangChain(langChain, { goal, documents })
  for (const key of ['langchain.usage', 'langchain.toolExecutions', 'langchain.sources'])
    expect(metadata).toHaveProperty([key])
  expect(runFacts(metadata)).toMatchObject({
    usage: { inputTokens: 3 },
    sources: [{ text: documents[0]?.pageContent }],
  })
  const stopped: LangChainResult = { ...answer, ...{ response_metadata: { finish_reason: 'stop' } } }
  expect(contextFromLangChain(stopped, { goal }).metadata['langchain.finishReason']).toBe('stop')
})
row('`KoogJudgmentContextBuilder`, `KoogEvaluator`, `AIAgent`, `KoogMetadataKeys`', async () => {
  const made = contextFromMastra(mastra, { goal })
  expect([runFacts(made.metadata)?.usage?.inputTokens, 'mastra.usage' in made.metadata]).toEqual([3, true])
  expect((await evaluateMastra(async () => mastra, paris, { goal })).status).toBe('pass')
  expect(contextFromOpenAiAgents(openAiAgents as never, { goal }).agentOutput).toMatchObject({ text: 'Paris' })
  expect((await evaluateOpenAiAgents(async () => openAiAgents as never, paris, { goal })).status).toBe('pass')
})
row('`AgentClientJudgmentContextBuilder`, `AgentClientEvaluator`', async () => {
  const invocation = { status: 'completed', output: { type: 'text', text: 'Paris' } } as const
  expect((await runJudge(paris, contextFromInvocation(invocation, { goal }))).status).toBe('pass')
  expect((await evaluateAgent(agent, paris, { goal, workspace })).status).toBe('pass')
  expect(runFacts({})).toBeUndefined()
})
row('`AgentClientJudgeModel`', async () => {
  const says: Agent = async () => ({ status: 'completed', output: { type: 'text', text: 'Answer: YES' } })
  const model = agentModel(says, { workspace: async () => workspace })
  expect((await runJudge(correctness({ model }), aContext({ agentOutput: 'Paris' }))).status).toBe('pass')
})
row('observability by decorator', async () => {
  const spans: string[] = []
  const span = new Proxy({}, { get: (_, key) => (key === 'isRecording' ? () => true : () => span) })
  const startActiveSpan = (name: string, ...rest: readonly unknown[]) => {
    spans.push(name)
    return (rest.at(-1) as (one: object) => unknown)(span)
  }
  const startSpan = (name: string) => {
    spans.push(name)
    return span
  }
  const tracer = { startActiveSpan, startSpan } as unknown as OtelTracer
  const task = { prompt: goal, workspace, signal: new AbortController().signal } as AgentTask
  await tracedAgent(agent, 'agent', { tracer })(task)
  const model = tracedModel(scriptedModel('Answer: YES'), { tracer })
  await runJudge(tracedJudge(correctness({ model }), 'judge', { tracer }), aContext({ agentOutput: 'Paris' }))
  const verdict = await tracedJury(jury({ judges: { paris } }), 'jury', { tracer }).vote({ goal, agentOutput: 'Paris' })
  expect(spans.length).toBeGreaterThanOrEqual(4)
  expect(() => recordVerdict(verdict, { tracer })).not.toThrow()
})
row('`ClaudeSdkInvoker`; Codex, Gemini, Amp, Amazon Q, mini-SWE agent models', async () => {
  const played = fakeCommands(workspace, () => ({ exitCode: 0, stdout: 'Paris' }))
  const task = { prompt: goal, workspace: { ...workspace, run: played.run }, signal: new AbortController().signal }
  const invocation = await commandAgent({ command: ['my-agent', '{{prompt}}'] })(task as unknown as AgentTask)
  expect(invocation.output).toEqual({ type: 'text', text: 'Paris' })
  expect(Object.keys(commands)).toEqual(expect.arrayContaining(['gemini', 'amp', 'amazonQ', 'miniSwe']))
  for (const make of [claudeAgent, codexAgent, acpAgent]) expect(make).toBeTypeOf('function')
})
