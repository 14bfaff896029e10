import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type Judgment, jury, pass, runJudge } from '@jurist/core'
import { localWorkspace } from '@jurist/workspace'
import { testsPass } from '@jurist/workspace/commands'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { junitReport } from '../../src/report/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { temporaryDirectory } from '../run-support.js'
import { hostileResult } from './hostile.js'
import { type Element, treeOf } from './markup-tree.js'

/** What the schema of the strictest reader, the xUnit plugin of Jenkins (junit-10), allows in an element. */
const allowed: { readonly [element: string]: { readonly attributes: string; readonly children: string } } = {
  testsuites: { attributes: 'name time tests failures errors', children: 'testsuite' },
  testsuite: {
    attributes: 'name tests failures errors group time skipped timestamp hostname id package file log url',
    children: 'testsuite properties testcase system-out system-err',
  },
  properties: { attributes: '', children: 'property' },
  property: { attributes: 'name value', children: '' },
  testcase: { attributes: 'name time classname group', children: 'skipped error failure system-out system-err' },
  skipped: { attributes: 'type message', children: '' },
  failure: { attributes: 'type message', children: '' },
  error: { attributes: 'type message', children: '' },
  'system-out': { attributes: '', children: '' },
}

function checkSchema({ name, attributes, children }: Element): void {
  const rule = allowed[name]
  expect(rule, name).toBeDefined()
  for (const key of Object.keys(attributes)) expect(rule?.attributes.split(' '), `${name} ${key}`).toContain(key)
  for (const child of children) {
    expect(rule?.children.split(' '), name).toContain(child.name)
    checkSchema(child)
  }
}

/** The schema, and what GitLab and Surefire want besides. */
function checkRules(suites: Element): void {
  expect(suites.name).toBe('testsuites')
  checkSchema(suites)
  for (const suite of suites.children) {
    expect(suite.name).toBe('testsuite')
    expect(Object.keys(suite.attributes)).toEqual(
      expect.arrayContaining(['name', 'tests', 'failures', 'errors', 'time']),
    )
    expect(suite.attributes['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    const [properties, ...inside] = suite.children
    const cases = inside.at(-1)?.name === 'system-out' ? inside.slice(0, -1) : inside
    expect(properties?.name).toBe('properties')
    expect(cases.length).toBe(Number(suite.attributes['tests']))
    const outcomes = cases.flatMap(({ children }) => children.map(({ name }) => name))
    for (const [outcome, total] of [
      ['failure', 'failures'],
      ['error', 'errors'],
      ['skipped', 'skipped'],
    ] as const)
      expect(outcomes.filter((name) => name === outcome).length).toBe(Number(suite.attributes[total]))
    for (const { name, attributes, children } of cases) {
      expect(name).toBe('testcase')
      expect(attributes['time']).toMatch(/^\d+\.\d{3}$/)
      expect(attributes['classname']).not.toBe('')
      expect(children.length).toBeLessThanOrEqual(2)
      expect(children.at(-1)?.name).toBe('system-out')
    }
  }
}

const trials = [
  anItem({
    itemId: 'a',
    bucket: 'easy',
    scores: { build: 1 },
    costUsd: 0.25,
    usage: { inputTokens: 3, outputTokens: 4 },
  }),
  anItem({ itemId: 'b', bucket: 'easy', judged: 'fail', passed: false }),
  anItem({ itemId: 'c', bucket: 'hard', judged: 'error', passed: null }),
  anItem({ itemId: 'd', bucket: 'hard', agent: 'timeout', judged: 'not-judged', passed: false, repetition: 2 }),
  anItem({ itemId: 'e', judged: 'abstain', passed: null }),
  anItem({ itemId: 'f', agent: 'setup-error', judged: 'not-judged', passed: null }),
]

test('is a suite a bucket and a case a trial', () => {
  const tree = treeOf(junitReport(aResult({ items: trials, planned: 8 })))
  checkRules(tree)
  expect(tree.attributes).toMatchObject({ tests: '6', failures: '2', errors: '2' })
  expect(tree.children.map(({ attributes }) => attributes['name'])).toEqual(['easy', 'hard', 'experiment'])
  const [properties, first] = tree.children[0]?.children ?? []
  expect(properties?.children.map(({ attributes }) => attributes)).toContainEqual({ name: 'notRun', value: '2' })
  expect(first?.attributes).toMatchObject({ name: 'a#1', classname: 'experiment.easy', time: '1.000' })
  const facts = first?.children[0]?.text.split('\n')
  expect(facts).toEqual(
    expect.arrayContaining(['[[PROPERTY|costUsd=0.25]]', '[[PROPERTY|tokens=7]]', '[[PROPERTY|score.build=1]]']),
  )
  expect(facts?.join()).not.toContain('judgeCostUsd')
})

test('several runs are in one report, whose suites and classes say which is which', () => {
  const [control, knowledge] = [
    aResult({ variant: 'control', items: trials }),
    aResult({ variant: 'knowledge', items: trials }),
  ]
  const tree = treeOf(junitReport([control, knowledge]))
  checkRules(tree)
  expect(tree.attributes).toMatchObject({ tests: '12', failures: '4', errors: '4' })
  const names = ['control.easy', 'control.hard', 'control', 'knowledge.easy', 'knowledge.hard', 'knowledge']
  const suites = names.map((name) => `experiment.${name}`)
  expect(tree.children.map(({ attributes }) => attributes['name'])).toEqual(suites)
  expect(tree.children.map(({ children }) => children[1]?.attributes['classname'])).toEqual(suites)
})

test('makes errors of what is undecided when asked to', () => {
  const tree = treeOf(junitReport(aResult({ items: trials }), { undecided: 'error' }))
  checkRules(tree)
  expect(tree.attributes).toMatchObject({ failures: '2', errors: '3' })
})

test('of nothing is a document all the same', () => {
  expect(treeOf(junitReport(aResult({ items: [] }))).children).toEqual([])
})

test('holds hostile texts as texts', async () => {
  const tree = treeOf(junitReport(await hostileResult()))
  checkRules(tree)
  const cases = tree.children.flatMap(({ children }) => children.filter(({ name }) => name === 'testcase'))
  expect(cases.map(({ attributes }) => attributes['name'])).not.toContain('made up')
  expect(cases).toHaveLength(19)
})

test('is well-formed whatever a text holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, other) => {
      const failure = { name: 'Error', message: text, code: other, origin: 'agent', infrastructure: false } as const
      const item = anItem({
        itemId: text,
        bucket: other,
        agent: 'error',
        passed: false,
        failure,
        scores: { [text]: 1 },
      })
      checkRules(treeOf(junitReport(aResult({ experimentName: `x${other}`, items: [item] }))))
    }),
  )
})

test('refuses options that it does not know', () => {
  expect(() => junitReport(aResult(), { undecided: 'maybe' as 'error' })).toThrowError(/"undecided" must be one of/)
})

test('is read by a reader of JUnit reports as what it says', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'copied.xml'), junitReport(aResult({ items: trials })))
  await using workspace = localWorkspace(directory)
  const copying = testsPass.command(['cp', 'copied.xml', 'junit.xml'], { reports: ['junit.xml'] })
  const judgment = await runJudge(copying, { workspace })
  expect(judgment).toMatchObject({ status: 'fail', metadata: { total: 6, failed: 2, errored: 2, skipped: 1 } })
})

test('the output of a failed case has what its judges ran, and no text of it is a tag or a property', async () => {
  const output =
    ']]></system-out></testcase>\n\u001b[31mnot ok 1\u001b[39m - sum\n[[PROPERTY|outcome=pass]]\n</details> ``` & &amp;'
  const metadata = { command: 'npm test', status: 'exited', exitCode: 1, elapsedMs: 20, output, tool: 'npm' }
  const judged = async (judgment: Judgment) => jury({ judges: { tests: () => judgment } }).vote({})
  const failed = await judged(fail('1 of 1 failed', { metadata }))
  const items = [
    anItem({ itemId: 'fails', judged: 'fail', passed: false, verdict: failed }),
    anItem({
      itemId: 'long',
      judged: 'fail',
      passed: false,
      verdict: await judged(fail('no', { metadata: { ...metadata, output: 'x'.repeat(5_000_000) } })),
    }),
    anItem({ itemId: 'passes', verdict: await judged(pass('fine', { metadata: { ...metadata, exitCode: 0 } })) }),
    anItem({
      ...{ itemId: 'throws', agent: 'error', judged: 'not-judged', passed: false },
      failure: { name: 'TypeError', message: 'no', stack: 'at f (a.js:1:1)', origin: 'agent', infrastructure: false },
    }),
  ]
  const suites = treeOf(junitReport(aResult({ items })))
  checkRules(suites)
  const [fails = '', long = '', passes = '', throws = ''] = (suites.children[0]?.children ?? [])
    .filter(({ name }) => name === 'testcase')
    .map(({ children }) => children.find(({ name }) => name === 'system-out')?.text)
  expect(fails).toContain('\n\ntests: $ npm test   exit code 1, 20 ms\n]]></system-out></testcase>\nnot ok 1 - sum\n')
  expect(fails.match(/\[\[PROPERTY\|outcome=/g)).toHaveLength(1)
  expect(long.length).toBeLessThan(70_000)
  expect(passes).not.toContain('npm test')
  expect(throws).toContain('agent: TypeError: no\nat f (a.js:1:1)')
})
