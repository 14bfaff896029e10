import { agentModel } from '@jurist/bridges/agent'
import { contextFromLangChain } from '@jurist/bridges/langchain'
import { type Agent, fail, type Judge, pass, runJudge } from '@jurist/core'
import {
  agentJudge,
  type Classify,
  correctness,
  criteria,
  gEval,
  type JudgeModel,
  type JudgeModelRequest,
  type JudgeModelResponse,
  labels,
  llmJudge,
  matched,
  modelJudge,
  pairwise,
  passFail,
  promptTemplate,
  rubric,
} from '@jurist/core/llm'
import { contextualRelevance, faithfulness, hallucination, ragFacts } from '@jurist/core/rag'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { expect } from 'vitest'
import { row } from './row.js'

const context = aContext({ goal: 'Name the capital of France', agentOutput: 'Paris', expectedOutput: 'Paris' })
const yes = () => scriptedModel(() => 'It does.\nAnswer: YES')
const statusOf = async (judge: Judge) => (await runJudge(judge, context)).status

row('`LLMJudge`, `buildPrompt`, `parseResponse`', async () => {
  const model = scriptedModel('8')
  const judge = llmJudge({
    name: 'quality',
    model,
    buildPrompt: ({ goal }) => `Rate from 0 to 10: ${goal}`,
    parseResponse: (text) => (Number(text) >= 7 ? pass(text) : fail(text)),
  })
  expect(await statusOf(judge)).toBe('pass')
  expect(model.requests).toHaveLength(1)
})
row('`ChatClient`, `ChatClient.Builder`', async () => {
  const model: JudgeModel = async () => ({ text: 'Answer: YES' })
  expect(await statusOf(correctness({ model }))).toBe('pass')
})
row('`JudgePromptTemplate` (classpath, file, string)', async () => {
  const template = promptTemplate('own', 'Is {{output}} right? PASS or FAIL')
  const model = scriptedModel('PASS')
  expect(await statusOf(modelJudge({ name: 'own', prompt: template, model, classify: passFail() }))).toBe('pass')
  expect(JSON.stringify(model.requests)).toContain('Is ')
  const file = new URL('row.ts', import.meta.url).pathname
  expect(() => promptTemplate('from a file', { file })).not.toThrow()
})
row('`JudgeModel`, `JudgeModelRequest`, `JudgeModelResponse`', async () => {
  const model: JudgeModel = async ({ messages }: JudgeModelRequest): Promise<JudgeModelResponse> => ({
    text: messages.length > 0 ? 'Answer: YES' : 'Answer: NO',
  })
  expect(await statusOf(correctness({ model }))).toBe('pass')
})
row('`SpringAiJudgeModel`, `AgentClientJudgeModel`', async () => {
  const agent: Agent = async () => ({ status: 'completed', output: { type: 'text', text: 'Answer: YES' } })
  const model = agentModel(agent, { workspace: async () => memoryWorkspace({}) })
  expect(await statusOf(correctness({ model }))).toBe('pass')
  const reviewer: Agent = async () => ({ status: 'completed', output: { type: 'text', text: 'PASS: true' } })
  expect(await statusOf(agentJudge({ agent: reviewer, criteria: 'it is right' }))).toBe('pass')
})
row('`JudgmentClassifier`, `LabelJudgmentClassifier.passFail()`', async () => {
  const classifiers: readonly (readonly [Classify, string])[] = [
    [passFail(), 'PASS'],
    [labels({ pass: ['GOOD'], fail: ['BAD'] }), 'GOOD'],
    [matched(/\[\[(\w)\]\]/, { A: 'pass', B: 'fail' }), 'So [[A]]'],
  ]
  for (const [classify, answer] of classifiers) {
    const model = scriptedModel(() => answer)
    expect(
      await statusOf(modelJudge({ name: 'own', prompt: promptTemplate('which', 'Which?'), model, classify })),
    ).toBe('pass')
  }
})
row('`ModelBackedJudge` builder', async () => {
  const judge = modelJudge({
    name: 'own',
    prompt: promptTemplate('is-it', 'Is it?'),
    model: scriptedModel('FAIL'),
    classify: passFail(),
  })
  expect(await statusOf(judge)).toBe('fail')
})
row('`CorrectnessJudge(client)`, with threshold `0.8`', async () => {
  expect(await statusOf(correctness({ model: yes() }))).toBe('pass')
  expect(await statusOf(correctness({ model: scriptedModel('Score: 7'), threshold: 0.8 }))).toBe('fail')
})
row('`GEvalJudge(client, criteria)`', async () => {
  const judge = gEval({ model: scriptedModel('1. Read it.', 'Good.\nScore: 9'), criteria: 'Is it right?' })
  expect(await statusOf(judge)).toBe('pass')
  expect(criteria.name).toBe('criteria')
})
row('`SimpleCriteriaJudge(client, criterion)`, `strictness`', async () => {
  const model = scriptedModel('Answer: YES', 'Answer: NO', 'Answer: YES')
  expect(await statusOf(criteria({ model, criterion: 'it is short', strictness: 3 }))).toBe('pass')
  expect(model.requests).toHaveLength(3)
})
row('`PairwiseJudge`', async () => {
  const first = scriptedModel(() => 'Answer: A')
  expect(await statusOf(pairwise({ model: first }))).toBe('abstain')
  expect(first.requests).toHaveLength(2)
})
row('`AgentJudge.builder().agentClient().goal().build()`', async () => {
  const agent: Agent = async () => ({ status: 'completed', output: { type: 'text', text: 'PASS: false' } })
  expect(await statusOf(agentJudge({ agent, criteria: 'it is right' }))).toBe('fail')
  expect(criteria.name).toBe('criteria')
})
row('`CodeQualityJudge`, `QualityJudge` (examples)', async () => {
  const model = scriptedModel(() => 'clear: 9')
  const judges = [
    rubric({ model, criteria: [{ name: 'clear', description: 'easy to read' }] }),
    llmJudge({ name: 'own', model, buildPrompt: () => 'Is it?', parseResponse: () => pass('it is') }),
  ]
  for (const judge of judges) expect(['pass', 'abstain']).toContain(await statusOf(judge))
})
row('`RagContext`, keys `rag.question` `rag.context` `rag.answer`', () => {
  const metadata = { 'rag.question': 'q', 'rag.context': 'c', 'rag.answer': 'a' }
  expect(ragFacts(aContext({ metadata }))).toEqual({ question: 'q', context: 'c', answer: 'a' })
})
row('key `langchain4j.sources`', () => {
  expect(ragFacts(aContext({ referenceData: ['from a source'] })).context).toContain('from a source')
  const documents = [{ pageContent: 'from a source', metadata: {} }]
  const made = contextFromLangChain({ type: 'ai', content: 'Paris' }, { goal: 'Which?', documents })
  expect(made.referenceData?.join(' ')).toContain('from a source')
})
row('`FaithfulnessJudge`, `ContextualRelevanceJudge`, `HallucinationJudge`', async () => {
  const rag = aContext({ goal: 'Which?', agentOutput: 'Paris', referenceData: ['Paris is the capital.'] })
  const judges = [
    faithfulness({ model: yes(), mode: 'single' }),
    contextualRelevance({ model: yes() }),
    hallucination({ model: yes() }),
  ]
  for (const judge of judges) expect((await runJudge(judge, rag)).status).toBe('pass')
  expect((await runJudge(faithfulness({ model: yes(), mode: 'single' }), context)).status).toBe('abstain')
})
