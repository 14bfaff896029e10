import {
  abstain,
  error,
  fail,
  type JournalEvent,
  type Judge,
  type Judgment,
  jury,
  pass,
  type Verdict,
} from '@jurist/core'
import { expect, test } from 'vitest'
import { type DiagnosticRule, defaultRules, diagnose, type ExperimentInvocation } from '../../src/index.js'
import type { ExperimentResult, ItemResult, RunRecord } from '../../src/result/index.js'
import type { ItemFailure } from '../../src/result/records.js'
import { anItem, aResult } from '../../src/testing/index.js'

async function judgedItem(
  judges: Readonly<Record<string, Judgment>>,
  more: Partial<ItemResult> = {},
): Promise<ItemResult> {
  const seats: Record<string, Judge> = Object.fromEntries(
    Object.entries(judges).map(([name, said]) => [name, () => said]),
  )
  const verdict: Verdict = await jury({ judges: seats }).vote({})
  const { status } = verdict.aggregated
  const passed = status === 'pass' ? true : status === 'fail' ? false : null
  return anItem({ verdict, judged: status, passed, ...more })
}

const invocation = (more: Partial<ExperimentInvocation>): Partial<ItemResult> => ({
  detail: { kind: 'agent', invocation: { status: 'completed', ...more } },
})
const failure = (origin: ItemFailure['origin'], infrastructure = false): Partial<ItemResult> => ({
  judged: 'not-judged',
  passed: infrastructure ? null : false,
  agent: origin === 'setup' ? 'setup-error' : 'error',
  failure: { name: 'Error', message: 'it broke', origin, infrastructure },
})

const calls = (
  ...steps: readonly (readonly [name: string, input: string, failed?: boolean])[]
): readonly JournalEvent[] =>
  steps.flatMap(([name, input, failed = false], index): readonly JournalEvent[] => [
    { type: 'tool-call', id: String(index), name, input: { path: input, command: input } },
    { type: 'tool-result', id: String(index), failed, content: failed ? 'error: no' : `result ${index}` },
  ])

/** What the only finding of a single trial says. */
async function found(item: ItemResult, events: readonly JournalEvent[] = [], run: Partial<RunRecord> = {}) {
  const { findings, remediations } = await diagnose([aResult({ items: [item], ...run })], {
    journals: async () => events,
  })
  return {
    rule: findings[0]?.rule,
    category: findings[0]?.category,
    message: findings[0]?.message,
    findings,
    remediations,
  }
}

const command = fail('exit code 1', {
  checks: [{ name: 'command_execution', passed: false, message: 'exit code 1' }],
  metadata: { command: 'npm test', exitCode: 1 },
})
const plain = fail('not good')

test('a trial that was not judged is the fault of what failed', async () => {
  expect(await found(anItem(failure('agent')))).toMatchObject({ rule: 'agent-failed', category: 'execution' })
  expect(await found(anItem(failure('setup')))).toMatchObject({ rule: 'setup-failed', category: 'environment' })
  expect(await found(anItem(failure('hook')))).toMatchObject({ rule: 'setup-failed', category: 'environment' })
  expect(await found(anItem(failure('agent', true)))).toMatchObject({ rule: 'setup-failed', category: 'environment' })
  const broken = anItem({ ...failure('jury'), agent: 'completed', judged: 'error' })
  expect(await found(broken)).toMatchObject({ rule: 'judge-error', category: 'evaluation' })
  expect((await found(anItem({ judged: 'not-judged', passed: null }))).findings).toEqual([])
})

test('judges that break or abstain', async () => {
  expect(await found(await judgedItem({ a: error('no model') }))).toMatchObject({ rule: 'judge-error' })
  const model = { path: 'a', name: 'a', kind: 'model', weight: 1 }
  const description = { name: 'jury', fingerprint: 'x', judges: [model], tiers: null }
  const abstained = await judgedItem({ a: abstain('nothing') })
  expect(await found(abstained)).toMatchObject({ rule: 'judge-abstained', category: 'analysis' })
  expect(await found(abstained, [], { jury: description })).toMatchObject({ category: 'evaluation' })
})

test('a command or a comparison that failed, planned or not', async () => {
  expect(await found(await judgedItem({ tests: command }))).toMatchObject({
    rule: 'command-failed',
    category: 'execution',
  })
  const plan = (roadmap: string) => ({ roadmap, recommendedTools: [], knowledgeRead: [] })
  const planned = await judgedItem({ tests: command }, invocation({ plan: plan('Then run npm test.') }))
  expect(await found(planned)).toMatchObject({ category: 'execution' })
  const unplanned = await judgedItem({ tests: command }, invocation({ plan: plan('Write.') }))
  expect(await found(unplanned)).toMatchObject({ category: 'planning' })
  const differs = fail('differs', { metadata: { differences: [] } })
  expect(await found(await judgedItem({ same: differs }))).toMatchObject({
    rule: 'comparison-failed',
    category: 'execution',
  })
})

test.each([
  [
    'repeated-error',
    'execution',
    calls(['run', 'a', true], ['read', 'b', true], ['run', 'c', true], ['edit', 'd'], ['run', 'x']),
  ],
  ['loop', 'execution', calls(['edit', 'a'], ['run', 'b', true], ['run', 'c'], ['run', 'c'], ['run', 'c', true])],
  ['read-without-write', 'planning', calls(['read', 'a'], ['grep', 'b'])],
  ['edited-untested', 'execution', calls(['run', 'x'], ['edit', 'a'], ['read', 'a'])],
] as const)('what the journal shows: %s', async (rule, category, events) => {
  expect(await found(await judgedItem({ a: plain }), events)).toMatchObject({ rule, category })
})

test('knowledge that was not read, tools that were not used', async () => {
  const file = { path: 'style.md', bytes: 1, sha256: 'x' }
  const knowledge = { directory: 'k', gitCommit: null, dirty: false, takenAt: '', files: [file], exclude: [] }
  const item = await judgedItem({ a: plain })
  const tried = ['run', 'x'] as const
  const unread = await found(item, calls(['edit', 'a'], tried), { knowledge })
  expect(unread).toMatchObject({ rule: 'knowledge-unread', category: 'knowledge' })
  expect(
    (await found(item, calls(['read', 'knowledge/style.md'], ['edit', 'a'], tried), { knowledge })).rule,
  ).toBeNull()
  const plan = { roadmap: 'a', recommendedTools: ['lint', 'edit'], knowledgeRead: [] }
  const planned = await judgedItem({ a: plain }, invocation({ plan }))
  expect(await found(planned, calls(['edit', 'a'], tried))).toMatchObject({
    rule: 'tool-unused',
    category: 'tooling',
    message: 'Recommended and never used: lint.',
  })
})

test('without a journal the phases of the invocation tell', async () => {
  const phases = [{ name: 'work', toolUses: [{ id: '1', name: 'read', input: { path: 'a' } }] }]
  const { findings } = await diagnose([aResult({ items: [await judgedItem({ a: plain }, invocation({ phases }))] })])
  expect(findings[0]?.rule).toBe('read-without-write')
  // In a conversation, tools change a state that no file shows.
  const turns = [{ role: 'user', text: 'Please send it.' }] as const
  const talk = await judgedItem({ a: plain }, invocation({ phases, turns }))
  expect((await diagnose([aResult({ items: [talk] })])).findings[0]?.rule).not.toBe('read-without-write')
})

test('a criterion that fails everywhere, a jury that is split', async () => {
  const run = async (...said: readonly Readonly<Record<string, Judgment>>[]) =>
    aResult({ items: await Promise.all(said.map((judges, index) => judgedItem(judges, { repetition: index + 1 }))) })
  const unclear = await diagnose([await run({ tone: plain }), await run({ tone: plain })])
  expect(unclear.findings.map(({ rule }) => rule)).toEqual(['criterion-unclear', 'criterion-unclear'])
  expect(unclear).toMatchObject({ dominant: 'criteria', stability: 1, unresolved: [] })
  const split = await diagnose([await run({ tone: plain, form: pass('ok') }, { tone: pass('ok'), form: plain })])
  expect(split.findings.map(({ rule }) => rule)).toEqual(['jury-split', 'jury-split'])
  const same = await diagnose([await run({ tone: plain, form: pass('ok') }, { tone: plain, form: pass('ok') })])
  expect(same.findings.map(({ rule }) => rule)).toEqual(['criterion-unclear', 'criterion-unclear'])
})

test('each failed check is a separate input, each judgment counts once', async () => {
  const two = fail('two', {
    checks: [
      { name: 'one', passed: false, message: '' },
      { name: 'fine', passed: true, message: '' },
      { name: 'two', passed: false, message: '' },
    ],
  })
  const inner = await jury({ judges: { inner: jury({ judges: { leaf: () => two } }), other: () => pass('ok') } }).vote(
    {},
  )
  const { findings } = await found(anItem({ verdict: inner, judged: 'fail', passed: false }))
  expect(findings.map(({ path, check, category }) => [path, check, category])).toEqual([
    ['/inner/leaf', 'one', null],
    ['/inner/leaf', 'two', null],
  ])
})

const never: DiagnosticRule = { id: 'never', description: '', category: 'tooling', match: () => [] }

test("rules of one's own come in order; the first that finds decides; one that throws finds nothing", async () => {
  const own: DiagnosticRule = {
    id: 'own',
    description: 'mine',
    category: 'tooling',
    match: ({ item, path, check }) => [
      {
        itemId: item.itemId,
        repetition: item.repetition,
        path,
        check,
        category: 'tooling',
        rule: 'own',
        message: 'mine',
      },
    ],
    remedy: () => ({ target: 'x', action: 'add', summary: 's', detail: 'd', confidence: 'low' }),
  }
  const throwing: DiagnosticRule = {
    ...never,
    id: 'bad',
    match() {
      throw new Error('oops')
    },
  }
  const items = [await judgedItem({ tests: command, other: command })]
  const diagnosis = await diagnose([aResult({ items })], { rules: [never, throwing, own, ...defaultRules] })
  expect(diagnosis.findings.map(({ rule }) => rule)).toEqual(['own', 'own'])
  expect(diagnosis.remediations).toEqual([
    expect.objectContaining({ target: 'x', sources: ['item-1#1/tests', 'item-1#1/other'] }),
  ])
  expect(diagnosis.warnings).toEqual([
    expect.stringContaining('Only 1 of'),
    expect.stringContaining('The rule bad threw'),
  ])
})

test('a model is asked once, for what no rule resolves', async () => {
  const asked: unknown[] = []
  const items = [
    await judgedItem({ tests: command }),
    await judgedItem({ odd: plain }, { itemId: 'b' }),
    await judgedItem({ odd: pass('x'), strange: plain }, { itemId: 'c' }),
  ]
  const remedy = {
    target: 'prompt',
    action: 'change',
    summary: 's',
    detail: 'd',
    confidence: 'low',
    sources: ['b#1/odd'],
  } as const
  const diagnosis = await diagnose([aResult({ items })], {
    rules: defaultRules.filter(({ id }) => id === 'command-failed'),
    explain: async (unresolved) => {
      asked.push(unresolved.map(({ itemId, path }) => `${itemId}${path}`))
      return [remedy]
    },
  })
  expect(asked).toEqual([['b/odd', 'c/strange']])
  expect(diagnosis.unresolved.map(({ itemId }) => itemId)).toEqual(['c'])
  expect(diagnosis.remediations).toContainEqual(remedy)
  const quiet = await diagnose([aResult({ items: [await judgedItem({ tests: command })] })], {
    explain: async () => expect.unreachable('asked for nothing'),
  })
  expect(quiet.unresolved).toEqual([])
  const failing = await diagnose([aResult({ items })], {
    rules: [],
    explain: () => Promise.reject(new Error('no model')),
  })
  expect(failing.warnings.at(-1)).toContain('no model')
})

test('distribution, dominance, stability over runs', async () => {
  const run = async (passes: boolean): Promise<ExperimentResult> =>
    aResult({
      items: [
        await judgedItem({ tests: command }, { itemId: 'always' }),
        passes ? anItem({ itemId: 'flaky' }) : await judgedItem({ tests: command }, { itemId: 'flaky' }),
        anItem({ itemId: 'fine' }),
      ],
    })
  const diagnosis = await diagnose([await run(true), await run(false), await run(true)])
  expect(diagnosis.perItem).toEqual({
    always: { dominant: ['execution', 'execution', 'execution'], outcomes: [false, false, false], stable: true },
    flaky: { dominant: [null, 'execution', null], outcomes: [true, false, true], stable: false },
    fine: { dominant: [null, null, null], outcomes: [true, true, true], stable: true },
  })
  expect(diagnosis.stability).toBeCloseTo(2 / 3, 12)
  expect(diagnosis.distribution.execution).toEqual({ count: 4, fraction: 0.8 })
  expect(diagnosis.distribution.stochasticity).toEqual({ count: 1, fraction: 0.2 })
  expect(Object.keys(diagnosis.distribution)).toHaveLength(9)
  expect(diagnosis).toMatchObject({ dominant: 'execution', runs: 3, warnings: [] })
  expect(diagnosis.remediations.map(({ target, sources }) => [target, sources])).toEqual([
    ['agent', ['always#1/tests', 'flaky#1/tests']],
    ['experiment', ['flaky#1']],
  ])
})

test('of nothing says that nothing was judged', async () => {
  const diagnosis = await diagnose([])
  expect(diagnosis).toMatchObject({ runs: 0, findings: [], dominant: null, stability: null, remediations: [] })
  expect(diagnosis.warnings.at(-1)).toContain('Nothing was judged')
  await expect(diagnose([], { rules: 'all' as unknown as [] })).rejects.toMatchObject({ code: 'option-invalid' })
})
