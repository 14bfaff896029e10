import { evaluateAgent, runFacts } from '@jurist/bridges/agent'
import { contextFromAiSdk, evaluateAiSdk, observeAiSdk } from '@jurist/bridges/ai-sdk'
import {
  type Agent,
  type AgentTask,
  abstain,
  allMustPass,
  average,
  cascade,
  categorical,
  consensus,
  error,
  fail,
  type Invocation,
  type Judge,
  type Judgment,
  type JudgmentContext,
  type Jury,
  jury,
  juryOf,
  majority,
  median,
  numerical,
  pass,
  plurality,
  runJudge,
  scored,
  type Verdict,
  type Vote,
  weightedAverage,
} from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { judged, selfHealing } from '@jurist/experiment'
import { expect } from 'vitest'
import { row } from './row.js'

const context = aContext()
const yes: Judge = () => true
const no: Judge = () => false
const statusOf = async (one: Jury) => (await one.vote(context)).aggregated.status
const task = { prompt: 'Say Paris', workspace: context.workspace, signal: new AbortController().signal } as AgentTask
const says = (...texts: readonly string[]): Agent => {
  let calls = 0
  return async () => ({ status: 'completed', output: { type: 'text', text: texts[calls++] ?? '' } })
}
const paris: Judge = ({ agentOutput }) => agentOutput?.type === 'text' && agentOutput.text === 'Paris'

row('`Jury`, `vote(context)`, "a jury is a judge"', async () => {
  const one: Jury = jury({ judges: { yes } })
  expect((await one.vote(context)).aggregated.status).toBe('pass')
  expect((await runJudge(one, context)).status).toBe('pass')
})
row('`SimpleJury.builder()` `.judge(j)` `.judge(j, w)` `.votingStrategy(v)` `.build()`', async () => {
  const vote = weightedAverage({ threshold: 0.7 })
  expect(await statusOf(jury({ judges: { a: no, b: { judge: yes, weight: 3 } }, vote }))).toBe('pass')
})
row('`.parallel(boolean)`, `.executor(e)`', async () => {
  let running = 0
  const alone: Judge = async () => {
    running += 1
    await null
    return running-- === 1
  }
  expect(await statusOf(jury({ judges: { a: alone, b: alone, c: alone }, concurrency: 1 }))).toBe('pass')
})
row('`Juries.fromJudges(v, a, b)`', async () => {
  expect(await statusOf(juryOf(majority(), yes, yes, no))).toBe('pass')
})
row('`Juries.combine(a, b, v)`, `Juries.allOf(v, a, b)`, meta-jury', async () => {
  const [a, b] = [jury({ judges: { yes } }), jury({ judges: { no } })]
  expect(await statusOf(jury({ judges: { a, b }, vote: consensus() }))).toBe('fail')
})
row('`Juries.builder().addJudge(name, j)`', async () => {
  const { individual } = await jury({ judges: { first: yes, second: no } }).vote(context)
  expect(Object.keys(individual)).toEqual(['first', 'second'])
})
row(
  '`VotingStrategy`, `MajorityVotingStrategy`, `ConsensusStrategy`, `AverageVotingStrategy`, `WeightedAverageStrategy`, `MedianVotingStrategy`',
  async () => {
    const votes: readonly (readonly [Vote, string])[] = [
      [majority(), 'pass'],
      [consensus(), 'fail'],
      [average({ threshold: 0.6 }), 'pass'],
      [weightedAverage({ threshold: 0.7 }), 'fail'],
      [median(), 'pass'],
    ]
    for (const [vote, status] of votes)
      expect(await statusOf(jury({ judges: { a: yes, b: yes, c: no }, vote }))).toBe(status)
  },
)
row('`VotingStrategies.weightedAverage(Map)`, `.allMustPass()`', async () => {
  const judges = { a: { judge: yes, weight: 9 }, b: { judge: no, weight: 1 } }
  expect(await statusOf(jury({ judges, vote: weightedAverage({ threshold: 0.9 }) }))).toBe('pass')
  expect(await statusOf(jury({ judges, vote: allMustPass() }))).toBe('fail')
})
row('a vote over categories (none)', async () => {
  const label =
    (value: string): Judge =>
    () =>
      pass(value, { score: categorical(value, ['left', 'right']) })
  const judges = { a: label('left'), b: label('left'), c: label('right') }
  expect(await statusOf(jury({ judges, vote: plurality({ passes: ['left'] }) }))).toBe('pass')
})
row('`TiePolicy.PASS` / `FAIL` / `ABSTAIN`', async () => {
  for (const onTie of ['pass', 'fail', 'abstain'] as const)
    expect(await statusOf(jury({ judges: { yes, no }, vote: majority({ onTie }) }))).toBe(onTie)
})
row('`ErrorPolicy.TREAT_AS_FAIL` / `TREAT_AS_ABSTAIN` / `IGNORE`', async () => {
  const judges = { yes, broken: () => error('away') }
  for (const [onError, status] of [
    ['fail', 'fail'],
    ['abstain', 'pass'],
    ['ignore', 'pass'],
    ['propagate-if-decisive', 'error'],
  ] as const)
    expect(await statusOf(jury({ judges, vote: consensus({ onError }) }))).toBe(status)
  expect(await statusOf(jury({ judges, vote: consensus() }))).toBe('error')
})
row('`Verdict`, `aggregated()`, `individual()`, `individualByName()`, `weights()`, `subVerdicts()`', async () => {
  const inner = jury({ judges: { yes } })
  const verdict: Verdict = await jury({ judges: { inner, b: { judge: no, weight: 2 } } }).vote(context)
  expect(verdict).toMatchObject({ aggregated: { status: 'fail' }, individual: { b: { status: 'fail' } } })
  expect(verdict).toMatchObject({ weights: { b: 2 }, subVerdicts: { inner: { aggregated: { status: 'pass' } } } })
})
row('`CascadedJury.builder().tier(name, jury, policy).build()`', async () => {
  const tiers: Jury = cascade([
    { name: 'rules', jury: jury({ judges: { yes } }), policy: 'reject-on-any-fail' },
    { name: 'last', jury: jury({ judges: { no } }), policy: 'final' },
  ])
  expect((await tiers.vote(context)).tiers?.map((tier) => tier.name)).toEqual(['rules', 'last'])
})
row('`TierPolicy.REJECT_ON_ANY_FAIL` / `ACCEPT_ON_ALL_PASS` / `FINAL_TIER`', async () => {
  const last = (judge: Judge) => ({ name: 'last', jury: judge, policy: 'final' }) as const
  const first = (judge: Judge, policy: 'reject-on-any-fail' | 'accept-on-all-pass' | 'accept-when-decided') =>
    ({ name: 'first', jury: judge, policy }) as const
  expect(await statusOf(cascade([first(no, 'reject-on-any-fail'), last(yes)]))).toBe('fail')
  expect(await statusOf(cascade([first(yes, 'accept-on-all-pass'), last(no)]))).toBe('pass')
  expect(await statusOf(cascade([first(no, 'accept-on-all-pass'), last(yes)]))).toBe('pass')
  expect(await statusOf(cascade([first(no, 'accept-when-decided'), last(yes)]))).toBe('fail')
  expect(await statusOf(cascade([first(() => abstain('unsure'), 'accept-when-decided'), last(yes)]))).toBe('pass')
})
row('`JudgeAdvisor.builder().judge()`, `.advisors()`, `response.getJudgment()`', async () => {
  const invocation = await judged(says('Paris'), jury({ judges: { paris } }))(task)
  expect(invocation.passed).toBe(true)
  expect((await evaluateAgent(says('Rome'), paris, { goal: 'Say Paris', workspace: task.workspace })).status).toBe(
    'fail',
  )
})
row('self-healing loop, retry until the judge passes', async () => {
  const invocation = await selfHealing(says('Rome', 'Paris'), jury({ judges: { paris } }), { maxAttempts: 3 })(task)
  expect([invocation.passed, invocation.verdicts.length]).toEqual([true, 2])
})
row('`AgentClient`, `.goal()`, `.workingDirectory()`, `.call()`, `AgentClientResponse`', async () => {
  const agent: Agent = async ({ prompt, workspace }: AgentTask) => {
    expect([prompt, workspace]).toEqual([task.prompt, task.workspace])
    return { status: 'completed' }
  }
  const invocation: Invocation = await agent(task)
  expect(invocation.status).toBe('completed')
})
row('`JudgmentContextBuilder`, `Evaluator`, `SpringAiMetadataKeys`, `AgentClientMetadataKeys`', async () => {
  const result = { text: 'Paris', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 1 } }
  const made: JudgmentContext = contextFromAiSdk(result, { goal: 'Say Paris' })
  expect(runFacts(made.metadata)?.usage).toMatchObject({ inputTokens: 3 })
  expect((await observeAiSdk(async () => result, { goal: 'Say Paris' })).context.status).toBe('success')
  const judgment: Judgment = await evaluateAiSdk(async () => result, paris, { goal: 'Say Paris' })
  expect(judgment.status).toBe('pass')
})
row('`ChatResponse`, `Result<T>`, `AiService`, `AIAgent` (framework results)', () => {
  expect(contextFromAiSdk({ text: 'Paris', finishReason: 'stop' }, { goal: 'g' }).agentOutput).toMatchObject({
    text: 'Paris',
  })
})
row('modules core, ai-core, llm, rag / exec, file / spring-ai, langchain4j, koog, agent-client', async () => {
  const doors = [
    ...[import('@jurist/core'), import('@jurist/core/llm'), import('@jurist/core/rag')],
    ...[import('@jurist/workspace/commands'), import('@jurist/workspace/files')],
    ...[import('@jurist/bridges/ai-sdk'), import('@jurist/bridges/langchain'), import('@jurist/bridges/agent')],
  ]
  for (const door of await Promise.all<object>(doors)) expect(Object.keys(door).length).toBeGreaterThan(2)
})
row('`Juries.builder()`, `VotingStrategies` (002)', async () => {
  const score =
    (value: number): Judge =>
    () =>
      scored(value, { passingAt: 0.5 })
  const { aggregated } = await jury({ judges: { a: score(0.25), b: score(0.75) }, vote: average() }).vote(context)
  expect(aggregated).toMatchObject({ status: 'pass', score: numerical(0.5) })
  expect(fail('no').status).toBe('fail')
})
