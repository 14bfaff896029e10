import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const count = 100

/** Agents that answer by a table of outcomes, after a delay of their own, so that trials end in another order than they start. */
const config = `
import { outputText } from 'jurist'
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const agent = (bad) => async ({ prompt }) => {
  const place = Number(prompt)
  await wait((place * 37) % 23)
  return { status: 'completed', output: (place * 7919) % ${count} < bad ? 'wrong' : 'right' }
}
const common = { dataset: 'rows.jsonl', jury: outputText({ equals: 'right' }) }
export default {
  experiments: {
    sums: { ...common, agent: agent(40), variants: { idle: {}, candidate: { agent: agent(10) } } },
    alike: { ...common, agent: agent(20), variants: { one: {}, other: {} } },
    good: { ...common, agent: agent(2) },
    bad: { ...common, agent: agent(60) },
    few: { ...common, dataset: 'few.jsonl', agent: agent(2) },
  },
}
`
const rows = (most: number) =>
  Array.from({ length: most }, (_, index) => JSON.stringify({ id: `q${index}`, task: String(index) })).join('\n')
const files = { 'jurist.config.mjs': config, 'rows.jsonl': rows(count), 'few.jsonl': rows(5) }

interface Run {
  readonly id: string
  readonly variant: string | null
  readonly status: string
  readonly stopReason: string | null
  readonly items: readonly { readonly itemId: string }[]
  readonly sequential: { readonly order: readonly string[] }
  readonly decided: { readonly after: number; readonly why: string; readonly ahead: readonly string[] }
  readonly passRateInterval: { readonly method: string }
}

let made: Project
beforeAll(() => {
  made = project(files)
})
afterAll(() => made[Symbol.dispose]())

const decidedRuns = async (place: Project, ...argv: readonly string[]) => {
  const { code, stdout, stderr } = await place.jurist('run', ...argv, '--until', 'decided', '--json')
  const document = JSON.parse(stdout || 'null')
  return { code, stderr, runs: (document?.results ?? []) as readonly Run[], comparisons: document?.comparisons ?? [] }
}

describe('jurist run --until decided', () => {
  test('stops variants at one place whatever the concurrency, and says what was found, saved and ran ahead', async () => {
    const stops = []
    for (const concurrency of ['1', '7']) {
      const { runs, comparisons } = await decidedRuns(made, 'sums', '-j', concurrency)
      const [idle, candidate] = runs
      expect(candidate).toMatchObject({ status: 'completed', stopReason: 'decided', decided: { why: 'improved' } })
      expect(idle?.decided.after).toBe(candidate?.decided.after)
      // Exactly the prefix of the seeded order counts.
      const counted = new Set(candidate?.sequential.order.slice(0, candidate.decided.after))
      expect(new Set(candidate?.items.map(({ itemId }) => itemId))).toEqual(counted)
      expect(candidate?.decided.ahead.some((id) => counted.has(id))).toBe(false)
      expect(candidate?.passRateInterval.method).toBe('sequential')
      const [{ sequential, conclusion, passRate }] = comparisons
      expect([conclusion, passRate.permutation.method]).toEqual(['improved', 'stagewise'])
      expect(sequential.evidence).toBeGreaterThanOrEqual(40)
      stops.push([candidate?.decided.after, sequential.evidence, passRate.permutation.pValue, passRate.interval])
    }
    expect(stops[1]).toEqual(stops[0])
    expect(Number(stops[0]?.[0])).toBeLessThan(70)
    const [before = '', after = ''] = (await made.results.runs('sums')).slice(-2)
    const compared = await made.jurist('compare', before, after, '--ignore-conditions')
    const shown = `${compared.stdout}${(await made.jurist('compare', after, before, '--ignore-conditions')).stdout}`
    expect(shown).toMatch(/Stopped early: decided after \d+ of 100 items: candidate is better than idle\./)
    expect(shown).toMatch(/items did not run: about .* saved/)
  })

  test('a run that is stopped or killed, and resumed, stops where one that was not does', async () => {
    const [, whole] = (await decidedRuns(made, 'sums', '-j', '3')).runs
    using other = project(files)
    const budget = await other.jurist('run', 'sums', '--until', 'decided', '-j', '3', '--bail', '3')
    expect([budget.code, budget.stdout]).toEqual([1, expect.stringContaining('Not decided yet after')])
    const resumed = await other.jurist('run', 'sums', '--resume', '-j', '5', '--bail', '1000', '--json')
    const [, candidate] = JSON.parse(resumed.stdout).results as readonly Run[]
    expect(candidate?.decided).toMatchObject({ after: whole?.decided.after, why: 'improved' })
    expect(candidate?.sequential.order).toEqual(whole?.sequential.order)
    using killed = project(files)
    const { child, ended, said } = killed.start('run', 'sums', '--until', 'decided', '-j', '4')
    await said('[9/200]')
    child.kill('SIGKILL')
    await ended
    const again = await killed.jurist('run', 'sums', '--resume', '--json')
    expect(JSON.parse(again.stdout).results[1].decided).toMatchObject({ after: whole?.decided.after, why: 'improved' })
  })

  test('variants without a difference run to the end, and nothing is claimed', async () => {
    const { code, runs, comparisons } = await decidedRuns(made, 'alike')
    expect(code).toBe(0)
    expect(runs.map(({ items, stopReason }) => [items.length, stopReason])).toEqual([
      [count, null],
      [count, null],
    ])
    expect(comparisons[0].conclusion).toBe('no-difference-detected')
  })

  test('a margin that is shown exits 0, and one that is not exits 1', async () => {
    const shown = await made.jurist('run', 'alike', '--until', 'decided', '--margin', '20')
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining('is not worse than one by more than 20.0 points'),
    ])
    expect(shown.stdout).toMatch(/ % +\S+ to \S+, stopped early/)
    expect(shown.stderr).toMatch(
      /20\.0 points: with 10 % better and 10 % worse that is shown in about \d+ % of 200 simulated runs/,
    )
    const not = await made.jurist('run', 'alike', '--until', 'decided', '--margin', '1')
    expect([not.code, not.stderr]).toEqual([1, expect.stringContaining('not worse by more than 1.0 points (--margin)')])
  })

  test.each([
    ['good', 0, 'met'],
    ['bad', 1, 'missed'],
  ])('a threshold: %s exits %i', async (name, code, why) => {
    const run = await made.jurist('run', name, '--until', 'decided', '--threshold', '80%')
    expect(run.code).toBe(code)
    expect(run.stdout).toMatch(new RegExp(`decided after \\d+ of 100 items: the threshold of 80.0 % is ${why}`))
    expect(run.stdout).toMatch(/\d+ to \d+ of them would pass \(95 %\)/)
    expect(run.stderr).toContain('100 items planned in seeded order (seed 1)')
  })

  test('a stored baseline: items that it lacks form no pair', async () => {
    await made.jurist('run', 'good', '--first', '60')
    const { runs } = await decidedRuns(made, 'bad', '--baseline', 'good', '--fail-on', 'significant')
    expect(runs[0]?.decided).toMatchObject({ why: 'regressed' })
    const gated = await made.jurist('run', 'bad', '--baseline', 'good', '--until', 'decided')
    expect([gated.code, gated.stderr]).toEqual([1, expect.stringContaining('significantly worse')])
    expect(gated.stderr).toContain('does not have 40 items of the plan')
    await made.jurist('run', 'few')
    const lacking = await made.jurist('run', 'bad', '--baseline', 'few', '--until', 'decided')
    expect([lacking.code, lacking.stderr]).toEqual([
      2,
      expect.stringContaining('nothing can be decided before pair 10'),
    ])
  })

  test('a plan cannot change', async () => {
    using other = project(files)
    await other.jurist('run', 'good', '--until', 'decided', '--threshold', '80%', '--bail')
    const changed = await other.jurist('run', 'good', '--resume', '--until', 'decided', '--threshold', '70%')
    expect([changed.code, changed.stderr]).toEqual([
      2,
      expect.stringContaining('until decided: threshold: 0.8 then, 0.7 now'),
    ])
    const widened = await other.jurist('run', 'good', '--resume', '--widen')
    expect([widened.code, widened.stderr]).toEqual([2, expect.stringContaining('its plan cannot change')])
  })

  test('runs that grow are compared as often as one likes, by items of one seed', async () => {
    const sample = async (name: string, ...argv: readonly string[]) => made.jurist('run', name, '--sample', ...argv)
    await sample('good', '20', '--seed', '7')
    await sample('bad', '20', '--seed', '7')
    const [good = '', bad = ''] = [(await made.results.runs('good')).at(-1), (await made.results.runs('bad')).at(-1)]
    const compared = (...argv: readonly string[]) => made.jurist('compare', good, bad, '--ignore-conditions', ...argv)
    const first = await compared('--sequential')
    expect(first.stdout).toMatch(/after 20 items.*\n.* Evidence .* to 1 \(a stop needs 20\)/)
    await made.jurist('run', 'bad', '--resume', bad, '--widen', '--sample', '60', '--seed', '7')
    await made.jurist('run', 'good', '--resume', good, '--widen', '--sample', '60', '--seed', '7')
    const second = await compared('--sequential', '--margin', '5')
    expect(second.stdout).toMatch(/Decided after 60 items: the candidate is worse than .*\n.*\n.*valid at any time/)
    const other = (await made.results.runs('few')).at(-1) ?? ''
    const unseeded = await made.jurist('compare', good, other, '--ignore-conditions', '--sequential')
    expect([unseeded.code, unseeded.stderr]).toEqual([2, expect.stringContaining('in the order of one seed')])
    expect((await compared('--margin', '5')).code).toBe(2)
  })

  test('merged shards are compared as one run is', async () => {
    const sums = ['run', 'sums', '--variant', 'idle', '--variant', 'candidate', '--sample', '40', '--seed', '1']
    await made.jurist(...sums, '--results', 'whole')
    for (const shard of ['1', '2'])
      await made.jurist(...sums, '--session', 'parts', '--shard', `${shard}/2`, '--results', `parts/${shard}`)
    await made.jurist('store', 'merge', 'parts/1', 'parts/2', '--results', 'merged')
    const [merged, whole] = await Promise.all(
      ['merged', 'whole'].map(async (results) => {
        const args = ['compare', 'sums@idle', 'sums@candidate', '--sequential', '--results', results, '--json']
        const { sequential, passRate } = JSON.parse((await made.jurist(...args)).stdout)
        return { sequential, passRate }
      }),
    )
    expect(merged?.sequential.items).toBe(40)
    expect(merged).toEqual(whole)
  })

  test('fewer than ten items run to the end with a warning', async () => {
    const few = await made.jurist('run', 'few', '--until', 'decided', '--threshold', '10%')
    expect(few.stderr).toContain('only 5 are planned')
  })

  test.each([
    [['good', '--until', 'decided'], 'needs something to decide: a baseline, two variants, or a threshold'],
    [['good', '--until', 'never'], 'decided'],
    [['good', '--margin', '5'], '--margin needs --until decided'],
    [['sums', '--until', 'decided', '--margin', '0'], 'from 0 to 100, exclusive'],
    [['sums', '--until', 'decided', '--margin', '100'], 'from 0 to 100, exclusive'],
    [['sums', '--until', 'decided', '--shard', '1/2', '--session', 's'], "A shard does not know the others' outcomes"],
    [['sums', '--until', 'decided', '--threshold', '80%'], 'decides one question'],
    [['sums', '--until', 'decided', '--sample', '20'], '--sample needs --seed'],
    [['sums', '--until', 'decided', '--order', 'variant'], 'item by item'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await made.jurist('run', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
