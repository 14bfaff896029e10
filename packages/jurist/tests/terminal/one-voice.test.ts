import { fail, type Judgment, jury, pass, type Verdict } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { outcomeCounts } from '@jurist/experiment/internal/results'
import { exportRows, githubSummary, jsonReport, junitReport, markdownReport } from '@jurist/experiment/report'
import {
  type ExperimentResult,
  type ItemResult,
  outcomeOf,
  reasonOf,
  type TrialOutcome,
} from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { viewer } from '@jurist/viewer'
import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/terminal/run-report.js'
import { terminalOf } from '../../src/terminal/terminal.js'
import { trialReport } from '../../src/terminal/trial-report.js'

const voted = (said: Judgment): Promise<Verdict> => jury({ judges: { tests: () => said } }).vote(aContext())

const failed = (message: string, origin: 'agent' | 'jury' | 'setup', infrastructure = false) => ({
  ...{ name: 'Error', message, origin, infrastructure },
})

/** A trial of every kind, what it is called, and why. */
async function kinds(): Promise<
  readonly (Partial<ItemResult> & { readonly is: TrialOutcome; readonly why: RegExp })[]
> {
  const check = { name: 'adds', passed: false, message: 'expected 3, got 2' }
  const late = fail('npm test ran out of time', { metadata: { status: 'timed-out' } })
  const broken = failed('the model is down (HTTP 529)', 'jury')
  return [
    { itemId: 'passes', verdict: await voted(pass('3 of 3 tests passed')), is: 'pass', why: /./ },
    {
      ...{ itemId: 'fails', judged: 'fail', passed: false, is: 'fail' },
      verdict: await voted(
        fail('1 of 3 tests failed', { checks: [check], metadata: { environmentProblem: 'pnpm: not\tfound' } }),
      ),
      why: /^tests: 1 of 3 tests failed \(adds: expected 3, got 2\)$/,
    },
    {
      ...{ itemId: 'agent-late', agent: 'timeout', judged: 'not-judged', passed: false, is: 'timeout' },
      ...{ failure: failed('the agent ran past 15m', 'agent'), why: /^the agent ran past 15m$/ },
    },
    {
      ...{ itemId: 'tests-late', judged: 'fail', passed: false, is: 'timeout', verdict: await voted(late) },
      why: /^tests: npm test ran out of time$/,
    },
    {
      ...{ itemId: 'agent-broke', agent: 'error', judged: 'not-judged', passed: false, is: 'error' },
      ...{ failure: failed('agent boom', 'agent'), why: /^agent boom$/ },
    },
    { itemId: 'judge-broke', judged: 'error', passed: null, is: 'undecided', failure: broken, why: /HTTP 529/ },
    {
      ...{ itemId: 'no-network', agent: 'error', judged: 'not-judged', passed: null, is: 'undecided' },
      ...{ failure: failed('no route to host', 'agent', true), why: /^no route to host$/ },
    },
    { itemId: 'abstained', judged: 'abstain', passed: null, is: 'undecided', why: /^abstain$/ },
    { itemId: 'stopped', agent: 'cancelled', judged: 'not-judged', passed: null, is: 'undecided', why: /^cancelled$/ },
    { itemId: 'unjudged', judged: 'not-judged', passed: null, is: 'undecided', why: /^not judged$/ },
  ]
}

let result: ExperimentResult
let expected: readonly { readonly itemId: string; readonly outcome: TrialOutcome; readonly reason: string }[] = []
beforeAll(async () => {
  const list = await kinds()
  const items = list.map(({ is, why, ...overrides }, index) =>
    anItem({ costUsd: 0.0123, durationMs: 820 * (index + 1), ...overrides }),
  )
  // Three trials were skipped.
  result = aResult({ items, planned: items.length + 3, status: 'stopped', stopReason: 'budget' })
  expected = items.map((item) => ({ itemId: item.itemId, outcome: outcomeOf(item), reason: reasonOf(item) }))
  for (const [index, { is, why }] of list.entries()) {
    expect(expected[index]?.outcome).toBe(is)
    expect(expected[index]?.reason).toMatch(why)
  }
})

const figures = {
  machineCount: '1 fail may be the machine',
  machine: 'pnpm: not found (jurist show ',
  failed: '1 failed, 2 timed out, 1 agent error',
  undecided: '5 undecided: judge error 1, error 1, abstain 1, cancelled 1, not-judged 1; 3 not run',
  passed: '20.0 %',
  ofAll: '7.7 %',
  interval: '95 %: 3.6 to 62.4 %, Wilson',
}

const missed = () => expected.filter(({ outcome }) => outcome !== 'pass')
const figuresIn = (text: string) => {
  for (const figure of Object.values(figures)) expect(text).toContain(figure)
}

test('judges that have no column in a terminal are counted, and a file has them all', () => {
  const scores = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`judge-${index}`, 1]))
  const many = aResult({ items: [anItem({ scores })] })
  const stream = { isTTY: true, columns: 100, write: () => true }
  const at = (stdout: typeof stream | { write: () => true }) =>
    runReport(many, terminalOf({ stdout, stderr: stream, env: { LANG: 'C.UTF-8' } }))
  expect(at(stream)).toContain(`  16 more judges: jurist show ${many.id} --judges`)
  expect(at(stream)).not.toContain('judge-8')
  expect(at({ write: () => true })).toContain('judge-23')
  expect(at({ write: () => true })).not.toContain('more judges')
})

describe('a run with every kind of outcome says the same', () => {
  test('in its page', async () => {
    const store = memoryStore()
    await store.save(result)
    const ask = async (path: string) =>
      (await viewer(store)(new Request(`http://localhost/api/runs/${result.id}${path}`))).json()
    const { rows, facets } = await ask('/items?limit=100')
    const outcomes = Object.fromEntries(
      facets.outcome.map(({ value, count }: { readonly value: string; readonly count: number }) => [value, count]),
    )
    expect(rows).toMatchObject(expected)
    expect(outcomes).toEqual({ pass: 1, fail: 1, timeout: 2, error: 1, undecided: 5 })
    expect(outcomes).toEqual(outcomeCounts(result.items))
    for (const { itemId, outcome } of expected) expect(await ask(`/items/${itemId}/1`)).toMatchObject({ outcome })
    const { run } = await ask('')
    expect(run).toMatchObject({
      passRate: 0.2,
      counts: { passes: 1, decided: 5, undecided: 5, notRun: 3, planned: 13 },
    })
  })

  test('in the terminal of the command', () => {
    const pipe = { write: () => true }
    const terminal = terminalOf({ stdout: pipe, stderr: pipe, env: { LANG: 'C.UTF-8' } })
    const text = runReport(result, terminal)
    for (const figure of Object.values(figures)) expect(text).toContain(figure)
    const marks = { pass: '✓', fail: '✗', timeout: 'T', error: 'E', undecided: '\\?' }
    for (const { itemId, outcome } of expected)
      expect(text).toMatch(new RegExp(`^  ${itemId} +${marks[outcome]} `, 'm'))
    for (const { itemId, outcome, reason } of missed()) expect(text).toContain(` ${itemId}#1  ${outcome}  ${reason}\n`)
    for (const [index, item] of result.items.entries()) {
      const { outcome = '', reason = '' } = expected[index] ?? {}
      const shown = trialReport(result, item, terminal)
      expect(shown).toMatch(new RegExp(`^  \\S ${outcome} `, 'm'))
      if (outcome !== 'pass') expect(shown).toContain(`  Reason   ${reason}\n`)
    }
  })

  test('in Markdown and the summary of GitHub', () => {
    const plain = (text: string) => text.replace(/\\/g, '').replaceAll('&amp;', '&')
    for (const text of [markdownReport([result]), githubSummary(result)].map(plain)) {
      figuresIn(text)
      for (const { itemId, outcome, reason } of missed())
        expect(text).toContain(`| ${itemId}#1 | ${outcome} | ${reason} |`)
    }
  })

  test('in tables', async () => {
    const rows = []
    for await (const row of exportRows([result], 'items')) rows.push(row)
    expect(rows.map(({ item_id: itemId, outcome, reason }) => ({ itemId, outcome, reason }))).toEqual(expected)
    const runs = []
    for await (const row of exportRows([result], 'runs')) runs.push(row)
    expect(runs).toMatchObject([{ passes: 1, fails: 4, undecided: 5, not_run: 3, pass_rate: 0.2 }])
  })

  test('in JUnit', () => {
    const xml = junitReport(result)
    const cases = [...xml.matchAll(/<testcase name="([^"]*)#1"[\s\S]*?<\/testcase>/g)]
    const said = cases.map(([text, itemId]) => ({
      itemId,
      outcome: /\[\[PROPERTY\|outcome=([\w-]+)\]\]/.exec(text)?.[1],
      reason: / message="([^"]*)"/.exec(text)?.[1],
      kind: /<(failure|error|skipped) /.exec(text)?.[1],
    }))
    expect(said.map(({ itemId, outcome }) => ({ itemId, outcome }))).toEqual(
      expected.map(({ itemId, outcome }) => ({ itemId, outcome })),
    )
    expect(said.map(({ reason }) => reason).slice(1)).toEqual(missed().map(({ reason }) => reason))
    const kindsBy = (outcome: TrialOutcome) => said.filter((one) => one.outcome === outcome).map(({ kind }) => kind)
    expect([...kindsBy('fail'), ...kindsBy('timeout')]).toEqual(['failure', 'failure', 'failure'])
    expect(kindsBy('error')).toEqual(['error'])
    // What broke is an error in JUnit though nothing was decided: a skipped case would be green.
    expect(kindsBy('undecided')).toEqual(['error', 'error', 'skipped', 'skipped', 'skipped'])
    expect(xml).toContain('tests="10" failures="3" errors="3"')
    expect(xml).toContain('name="notRun" value="3"')
  })

  test('in JSON, from which all of this follows again', () => {
    const read: ExperimentResult = JSON.parse(jsonReport(result))
    const again = read.items.map((item) => ({ itemId: item.itemId, outcome: outcomeOf(item), reason: reasonOf(item) }))
    expect(again).toEqual(expected)
    expect(read.counts).toEqual(result.counts)
  })
})
