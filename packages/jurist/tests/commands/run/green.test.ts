import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Ten items; MODE says how the agent and the judge go about them, `rest` is more of the experiment. */
const config = (
  thresholds = '{}',
  rest = '',
) => `import { abstain, completed, defineConfig, fail, jury, consensus } from 'jurist'
const mode = process.env.MODE
const number = ({ metadata }) => Number(metadata.itemId)
export default defineConfig({
  thresholds: ${thresholds},
  experiments: {
    demo: {
      dataset: Array.from({ length: 10 }, (_, index) => ({ id: String(index), task: 'x' })),
      itemTimeoutMs: mode === 'late' ? 50 : 600_000,
      concurrency: 1,
      retries: { attempts: 1 },
      agent: async (task) => {
        if (mode === 'throw') throw new Error('agent boom')
        if (mode === 'late') await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
        if (mode === 'gone' || (mode === 'some' && number(task) > 1))
          throw Object.assign(new Error('no such service'), { infrastructure: true })
        return completed('x')
      },
      jury: (context) => {
        if (mode === 'broken') throw new Error('the judge is broken')
        if (mode === 'half' && number(context) > 1) return abstain('cannot say')
        return mode === 'nine' && number(context) === 9 ? abstain('cannot say') : true
      },
      ${rest}
    },
  },
})
`
const run = (made: Project, MODE: string, ...flags: readonly string[]) => made.juristWith({ MODE }, 'run', ...flags)

describe.concurrent('no green when nothing ran', () => {
  test.each([
    ['throw', 'no agent completed (10 ended in an error); the first: agent boom'],
    ['late', 'no agent completed (10 ran out of time); the first: The agent did not end within 50 ms.'],
    ['gone', 'no agent completed (5 ended in an error); the first: no such service'],
    ['broken', 'nothing was decided: 10 undecided'],
  ])('%s ends with 1 and says why', async (mode, why) => {
    using made = project({ 'jurist.config.mjs': config() })
    const { code, stderr } = await run(made, mode)
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
    expect((await run(made, 'good')).code).toBe(0)
  })

  test('also when judges pass what no agent has done', async () => {
    using made = project({ 'jurist.config.mjs': config('{}', 'judgeFailedRuns: true,') })
    const { code, stdout, stderr } = await run(made, 'throw')
    expect([code, stderr]).toEqual([1, expect.stringContaining('no agent completed (10 ended in an error)')])
    expect(stdout).toContain('10 of 10 decided')
  })

  test('an outage stops the run, and says what to do', async () => {
    using made = project({ 'jurist.config.mjs': config() })
    const { code, stderr } = await run(made, 'some')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('stopped early (infrastructure): 3 trials were not run'),
    ])
    expect(stderr).toContain('The infrastructure failed in 5 trials in a row, last with: no such service.')
    expect(stderr).toContain('continue with --resume')
    const two = await run(made, 'some', '--max-infrastructure-failures', '2')
    expect(two.stderr).toContain('6 trials were not run')
    expect((await run(made, 'some', '--max-infrastructure-failures', '0')).stderr).not.toContain('not run')
    const bail = await run(made, 'gone', '--bail', '2')
    expect([bail.code, bail.stderr]).toEqual([
      1,
      expect.stringContaining('stopped early (bail): 8 trials were not run'),
    ])
    const resumed = await run(made, 'good', '--resume')
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('8 of 8 decided')])
  })
})

describe.concurrent('a threshold', () => {
  test('must hold with every undecided trial as failed', async () => {
    using made = project({ 'jurist.config.mjs': config('{ passRate: 0.8, scores: { judge: 0.8 } }') })
    const half = await run(made, 'half')
    expect(half.code).toBe(1)
    expect(half.stderr).toContain(
      'pass rate 100.0 % of decided trials, but 8 trials of 10 decided nothing. With these as failed it is 20.0 %, 80.0 % wanted',
    )
    expect(half.stderr).toContain('"thresholds.minimumDecided" sets how many decided trials are enough')
    expect((await run(made, 'nine')).code).toBe(0)
    expect((await run(made, 'half', '--threshold', '20%')).code).toBe(1)
    using other = project({ 'jurist.config.mjs': config('{ passRate: 0.8, minimumDecided: 2 }') })
    expect((await run(other, 'half')).code).toBe(0)
  })
})

test('fails that are judges that broke are counted as such', async () => {
  const jury =
    'jury: jury({ judges: { broken: () => { throw new Error("x") } }, vote: consensus({ onError: "fail" }) }),'
  using made = project({ 'jurist.config.mjs': config('{}', jury) })
  const { stdout } = await run(made, 'good')
  expect(stdout).toContain('10 failed (10 of them because judges broke, not by what the agent did)')
  const markdown = await made.jurist('show', 'latest', '--format', 'markdown')
  expect(markdown.stdout).toContain('because judges broke')
})

test('also where an earlier tier of a cascade failed the trial and had no say', async () => {
  const jury =
    'jury: cascade([{ name: "quick", jury: () => fail("not sure"), policy: "accept-on-all-pass" }, { name: "deep", ' +
    'jury: jury({ judges: { broken: () => { throw new Error("x") } }, vote: consensus({ onError: "fail" }) }), policy: "final" }]),'
  using made = project({ 'jurist.config.mjs': config('{}', jury).replace('import {', 'import { cascade,') })
  const { stdout } = await run(made, 'good')
  expect(stdout).toContain('10 failed (10 of them because judges broke, not by what the agent did)')
})

test('a variant with a reserved name is refused with the reason', async () => {
  using made = project({ 'jurist.config.mjs': config('{}', 'variants: { workspaces: {} },') })
  const { code, stderr } = await run(made, 'good')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('variants.workspaces: cannot name a variant: it is reserved'),
  ])
})

test('judges that break for one reason are one line, and a missed goal does not repeat the reason', async () => {
  using made = project({
    'jurist.config.mjs': `import { completed, consensus, jury } from 'jurist'
export default { experiments: { demo: {
  dataset: [{ id: 'one', task: 'x' }, { id: 'two', task: 'x' }],
  agent: () => completed('x'),
  jury: jury({ judges: { sound: stop, kind: stop }, vote: consensus() }),
} } }
function stop() { throw new Error('the model is away') }
`,
  })
  const { code, stdout, stderr } = await made.jurist('run')
  expect(code).toBe(1)
  expect(stdout).toContain('! sound, kind never judged: 2 of 2 ended in an error (the model is away)')
  expect(stdout).toContain('allowAbstain: [sound, kind]')
  expect(stderr).toContain('Missed: kind never judged: 2 of 2 ended in an error\n')
  // With the reason of the undecided trials.
  expect(`${stdout}${stderr}`.match(/the model is away/g)).toHaveLength(2)
})

test('a list tells what is undecided from what has not run', async () => {
  using made = project({ 'jurist.config.mjs': config() })
  await run(made, 'gone', '--bail', '2')
  const { stdout } = await made.jurist('list')
  expect(stdout).toMatch(/UNDECIDED +NOT RUN/)
  expect(stdout).toMatch(/0\/0 +– +2 +8 /)
})
