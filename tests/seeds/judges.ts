import {
  type AgentOutput,
  abstain,
  allOf,
  anyOf,
  assertions,
  asText,
  boolean,
  type Check,
  categorical,
  effectiveScore,
  error,
  fail,
  fileContent,
  fileExists,
  infoOf,
  inOneCopy,
  type Judge,
  type JudgeInfo,
  type Judgment,
  type JudgmentContext,
  judgmentContext,
  jury,
  multimodalOutput,
  named,
  normalize,
  not,
  numerical,
  outputText,
  pass,
  runJudge,
  type Score,
  scored,
  structuredOutput,
  supersetOf,
  textOutput,
  withInfo,
} from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { coveragePreserved } from '@jurist/workspace/coverage'
import { expect } from 'vitest'
import { row } from './row.js'

const context = aContext({ workspace: memoryWorkspace({ 'README.md': '# Hello\n' }), agentOutput: 'Paris' })
const yes: Judge = () => true
const no: Judge = () => false
const statusOf = async (judge: Judge, where: JudgmentContext = context) => (await runJudge(judge, where)).status

row('`Judge`, `judge(context)`, lambda `ctx -> ...`, `this::method`', async () => {
  const judges: readonly Judge[] = [yes, ({ goal }) => goal === 'do the task', () => pass('it is so')]
  for (const judge of judges) expect(await statusOf(judge)).toBe('pass')
})
row('`judgeAsync`, `CompletableFuture`', async () => {
  const running = runJudge(async () => true, context)
  expect(running).toBeInstanceOf(Promise)
  expect((await running).status).toBe('pass')
})
row('`JudgeWithMetadata`, `JudgeMetadata`', () => {
  const info: JudgeInfo = { name: 'yes', kind: 'deterministic', description: 'says yes' }
  expect(infoOf(withInfo(yes, info))).toEqual(info)
})
row('`DETERMINISTIC`, `LLM_POWERED` (judge type)', () => {
  for (const kind of ['deterministic', 'model', 'hybrid', 'agent'] as const)
    expect(infoOf(withInfo(yes, { name: 'yes', kind, description: '' })).kind).toBe(kind)
})
row('`NamedJudge`, `Judges.named(j, name, description)`', async () => {
  expect(infoOf(named(yes, 'always', 'says yes'))).toMatchObject({ name: 'always', description: 'says yes' })
  expect(Object.keys((await jury({ judges: { key: yes } }).vote(context)).individual)).toEqual(['key'])
})
row('`Judges`, `Judges.and`, `Judges.allOf`', async () => {
  expect(await statusOf(allOf(yes, no))).toBe('fail')
  expect(await statusOf(anyOf(yes, no))).toBe('pass')
  expect(await statusOf(not(no))).toBe('pass')
  expect(await statusOf(inOneCopy(yes, yes))).toBe('pass')
})
row(
  '`JudgmentContext` and `goal`, `workspace`, `agentOutput`, `expectedOutput`, `referenceData`, `startedAt`, `metadata`',
  () => {
    const made: JudgmentContext = judgmentContext({
      ...{ goal: 'g', workspace: memoryWorkspace({}), agentOutput: 'a', expectedOutput: 'b', referenceData: ['c'] },
      ...{ startedAt: '2026-01-01T00:00:00.000Z', metadata: { key: 1 } },
    })
    const fields = ['goal', 'workspace', 'agentOutput', 'expectedOutput', 'referenceData', 'startedAt', 'metadata']
    for (const field of fields) expect(made).toHaveProperty(field)
  },
)
row('`executionTime`, `Duration.ofSeconds` / `ofMinutes`', () => {
  expect(aContext({ executionMs: 2_000 }).executionMs).toBe(2_000)
})
row('context status, error', () => {
  const failed = aContext({ status: 'failed', failure: { name: 'Error', message: 'boom' } })
  expect([failed.status, failed.failure?.message]).toEqual(['failed', 'boom'])
})
row('metadata key `expectedDir`', async () => {
  const reference = memoryWorkspace({ LICENSE: 'MIT' })
  expect(await statusOf(supersetOf(), aContext({ reference }))).toBe('fail')
  expect(await statusOf(supersetOf({ reference: memoryWorkspace({ 'README.md': '# Hello\n' }) }))).toBe('pass')
})
row('metadata key `baselineCoverage`, `CoverageMetrics`', async () => {
  expect(await statusOf(coveragePreserved(), aContext({ metadata: { baselineCoverage: 80 } }))).not.toBe('abstain')
  expect(await statusOf(coveragePreserved())).toBe('abstain')
})
row('`AgentOutput`, `TextOutput`, `StructuredOutput`, `MultimodalOutput`, `asText()`', () => {
  const outputs: readonly AgentOutput[] = [
    textOutput('42'),
    structuredOutput(42),
    multimodalOutput([{ type: 'text', text: '42' }]),
  ]
  expect(outputs.map(asText)).toEqual(['42', '42', '42'])
})
row('`Judgment`, `status()`, `score()`, `reasoning()`, `checks()`, `metadata()`', async () => {
  const judgment: Judgment = await runJudge(fileExists('README.md'), context)
  expect(judgment).toMatchObject({ status: 'pass', score: boolean(true), reasoning: 'README.md exists', metadata: {} })
  expect(judgment.checks).toHaveLength(1)
})
row('`elapsed()` (Duration)', async () => {
  expect((await runJudge(yes, context)).elapsedMs).toBeGreaterThanOrEqual(0)
})
row('`Judgment.pass(reason)`, `fail`, `abstain`, `error`', () => {
  const made = [pass('a'), fail('b'), abstain('c'), error('d')]
  expect(made.map(({ status, reasoning }) => `${status} ${reasoning}`)).toEqual([
    'pass a',
    'fail b',
    'abstain c',
    'error d',
  ])
})
row('predicates `pass()`, `fail()`, `abstain()`', async () => {
  const judgment = await runJudge(yes, context)
  expect(judgment.status === 'pass').toBe(true)
})
row('`Judgment.builder()` `.score()` `.status()` `.reasoning()` `.build()`', () => {
  expect(scored(0.7, { passingAt: 0.8, reasoning: 'nearly' })).toMatchObject({ status: 'fail', reasoning: 'nearly' })
  expect(pass('good', { score: 0.9 }).score).toEqual(numerical(0.9))
})
row('`JudgmentStatus` `PASS` `FAIL` `ABSTAIN` `ERROR`', async () => {
  const judges: readonly Judge[] = [yes, no, () => abstain('-'), () => error('-')]
  expect(await Promise.all(judges.map((judge) => statusOf(judge)))).toEqual(['pass', 'fail', 'abstain', 'error'])
})
row('`Check`', () => {
  const check: Check = { name: 'one', passed: true, message: 'as expected' }
  expect(pass('', { checks: [check] }).checks).toEqual([check])
})
row('`Score`, `value()`, `type()`, `ScoreType`', () => {
  const score: Score = numerical(3, { min: 1, max: 5 })
  expect([score.type, score.value]).toEqual(['numerical', 3])
})
row('`BooleanScore`, `NumericalScore`, `CategoricalScore`', () => {
  const scores = [boolean(true), numerical(0.5), categorical('good', ['bad', 'good'])]
  expect(scores.map(({ type }) => type)).toEqual(['boolean', 'numerical', 'categorical'])
})
row('`numerical.normalized()`, `Scores`', () => {
  expect(normalize(numerical(3, { min: 1, max: 5 }))).toBe(0.5)
  expect(effectiveScore(fail('no', { score: 0.2 }))).toBe(0.2)
})
row('`FileExistsJudge(path)`', async () => {
  expect(await statusOf(fileExists('README.md'))).toBe('pass')
  expect(await statusOf(fileExists('LICENSE'))).toBe('fail')
})
row('`FileContentJudge(path, text)`, `MatchMode.EXACT` / `CONTAINS` / `REGEX`, predicate form', async () => {
  const rules = [
    { equals: '# Hello\n' },
    { contains: 'Hello' },
    { matches: /^# \w+/ },
    { satisfies: (text: string) => text !== '' },
  ] as const
  for (const rule of rules) expect(await statusOf(fileContent('README.md', rule))).toBe('pass')
  expect(await statusOf(fileContent('README.md', { equals: 'Hello' }))).toBe('fail')
})
row('checks `file_exists`, `file_readable`, `content_match`', async () => {
  const { checks } = await runJudge(fileContent('README.md', { contains: 'Hello' }), context)
  expect(checks.map(({ name }) => name)).toEqual(['file_exists', 'file_readable', 'content_match'])
})
row('`SupersetDiffJudge()`, `SupersetDiffJudge(Set.of(...))`', async () => {
  const where = { ...context, reference: memoryWorkspace({ 'README.md': '# Hello\n', 'target/a.class': '' }) }
  expect(await statusOf(supersetOf(), where)).toBe('fail')
  expect(await statusOf(supersetOf({ ignore: ['target/'] }), where)).toBe('pass')
})
row('`AssertJJudge.create`, `assertThat`, `contains`, `hasLineCount`, `SoftAssertions`', async () => {
  const judge = assertions(async ({ expect: soft, check, context: { workspace } }) => {
    const text = await workspace.read('README.md')
    soft(text).toContain('Hello')
    soft(text).toContain('Bye')
    check('one line', () => expect(text.trim().split('\n')).toHaveLength(1))
  })
  const { status, checks } = await runJudge(judge, context)
  expect([status, checks.map(({ passed }) => passed)]).toEqual(['fail', [true, false, true]])
  expect(await statusOf(outputText({ contains: 'Paris' }))).toBe('pass')
})
