import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/**
 * Six items, two of them hard, three repetitions. Each call of the agent leaves a line. The agent waits at the item that
 * WAIT names until there is a file `go`; with a file `kill` the process dies as soon as its last trial is stored.
 */
const config = (rest = '') => `import { completed, defineConfig, trialOf } from 'jurist'
import { appendFileSync, existsSync, rmSync } from 'node:fs'
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
export default defineConfig({
  experiments: {
    fixes: {
      dataset: ids.map((id) => ({ id, task: 'Do ' + id, tags: 'cf'.includes(id) ? ['hard'] : [] })),
      agent: async (task) => {
        const { itemId, variant, repetition } = trialOf(task)
        if (itemId === process.env.WAIT && !existsSync('go')) {
          console.error('WAITING')
          await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
          return { status: 'cancelled' }
        }
        appendFileSync('calls', [variant, itemId, repetition].join(' ') + '\\n')
        return completed({ output: 'x', costUsd: 0.01 })
      },
      jury: () => true,
      repetitions: 3,
      concurrency: 1,
      ${rest}
    },
  },
  reporters: [(event) => {
    if (event.type !== 'item-end' || event.done < event.trials || !existsSync('kill')) return
    rmSync('kill')
    process.kill(process.pid, 'SIGKILL')
  }],
})
`
const variants = 'variants: { a: {}, b: {}, c: {} },'

const calls = (made: Project) => {
  const path = join(made.directory, 'calls')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}
const runsOf = (made: Project) => made.results.runs('fixes')

/** Interrupts a run where its agent waits. The words of the line that was printed. */
async function interrupted(made: Project, at: string, ...flags: readonly string[]): Promise<readonly string[]> {
  const { child, ended, said } = made.startWith({ WAIT: at }, 'run', ...flags)
  await said('WAITING')
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(130)
  const [, line = ''] = /Resume with: {2}jurist (.*)\n/.exec(stderr) ?? []
  made.write({ go: '' })
  return line.split(' ')
}

describe.concurrent('the line that is printed resumes exactly what was begun', () => {
  test('of one variant: 4 trials, not 18', async () => {
    using made = project({ 'jurist.config.ts': config(variants) })
    const line = await interrupted(made, 'f', '--variant', 'a', '--tag', 'hard', '--repeat', '2')
    expect(calls(made)).toEqual(['a c 1', 'a c 2'])
    const { code, stdout, stderr } = await made.jurist(...line)
    expect([code, calls(made)]).toEqual([0, ['a c 1', 'a c 2', 'a f 1', 'a f 2']])
    expect(stdout).toContain('4 of 4 decided')
    expect(stderr).toContain('continues with its stored plan: 4 trials (2 items, 2 times each)')
    expect(await runsOf(made)).toHaveLength(1)
  })

  test('of some variants, also those that had not begun', async () => {
    using made = project({ 'jurist.config.ts': config(variants) })
    const line = await interrupted(made, 'f', '--variant', 'a', '--variant', 'b', '--tag', 'hard', '--repeat', '1')
    expect((await made.jurist(...line)).code).toBe(0)
    expect(calls(made)).toEqual(['a c 1', 'a f 1', 'b c 1', 'b f 1'])
    // Nor does anything else run by --resume alone, or by naming the session.
    const again = await made.jurist('run', '--resume')
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('nothing is unfinished')])
    expect(calls(made)).toHaveLength(4)
  })

  test('with what it may cost and has to reach', async () => {
    using made = project({ 'jurist.config.ts': config() })
    const flags = ['--budget', '0.035', '--item-timeout', '5m', '--threshold', '90%', '--first', '5', '--repeat', '1']
    const line = await interrupted(made, 'c', ...flags)
    expect(line.join(' ')).toMatch(/^run fixes --resume \S+ --item-timeout 5m --budget 0.035 --threshold 90%$/)
    const { code, stderr } = await made.jurist(...line)
    // Two had cost 0.02; two more are within the budget.
    expect([code, calls(made).length]).toEqual([1, 4])
    expect(stderr).toContain('stopped early (budget): 1 trial was not run')
  })

  test('whatever else is said, unless it is to be widened', async () => {
    using made = project({ 'jurist.config.ts': config() })
    await interrupted(made, 'f', '--tag', 'hard', '--repeat', '1')
    const other = await made.jurist('run', '--resume', '--item', 'a', '--repeat', '5')
    expect([other.code, calls(made)]).toEqual([0, [' c 1', ' f 1']])
    expect(other.stderr).toContain('are ignored')
    const wider = await made.jurist('run', '--resume', '--widen', '--tag', 'hard', '--repeat', '2')
    expect([wider.code, calls(made).slice(2)]).toEqual([0, [' c 2', ' f 2']])
    expect(await runsOf(made)).toHaveLength(1)
    expect((await made.jurist('run', '--widen')).code).toBe(2)
    expect((await made.jurist('run', '--resume', '--dry-run')).code).toBe(2)
  })
})

describe.concurrent('--resume never begins a run', () => {
  test('where there is no run, or all have ended', async () => {
    using made = project({ 'jurist.config.ts': config() })
    const first = await made.jurist('run', '--resume')
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('Start a new run: jurist run fixes\n')])
    expect(await runsOf(made)).toEqual([])
    await made.jurist('run', '--first', '1', '--repeat', '1')
    const again = await made.jurist('run', '--resume', '--json')
    expect(again.code).toBe(0)
    expect(JSON.parse(again.stdout)).toMatchObject({ results: [], misses: [] })
    expect([calls(made).length, (await runsOf(made)).length]).toEqual([1, 1])
    using session = project({ 'jurist.config.ts': config(variants) })
    const none = await session.jurist('run', '--resume')
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('nothing is unfinished')])
    const unknown = await session.jurist('run', '--resume', '--session', 'monday')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('No session "monday" of fixes')])
    expect(calls(session)).toEqual([])
  })

  test.each([
    ['', []],
    [variants, []],
    [variants, ['--variant', 'b']],
  ])('after a kill between the last trial and the end (%s %s)', async (rest, flags) => {
    using made = project({ 'jurist.config.ts': config(rest), kill: '' })
    const killed = await made.jurist('run', '--first', '2', '--repeat', '1', ...flags)
    expect(killed.code).toBe(null)
    const before = [calls(made), await runsOf(made)]
    const { code, stderr } = await made.jurist('run', '--resume', ...flags)
    expect([code, stderr]).toEqual([0, expect.stringContaining('every trial is stored already')])
    // The variants that had not begun are run; nothing that was stored is.
    const rested = rest === '' || flags.length > 0 ? [] : ['b a 1', 'b b 1', 'c a 1', 'c b 1']
    expect(calls(made)).toEqual([...(before[0] ?? []), ...rested])
    expect((await runsOf(made)).slice(0, 1)).toEqual(before[1])
    const last = await made.jurist('run', '--resume', ...flags)
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining('nothing is unfinished')])
  })

  test.each([
    ['', []],
    [variants, []],
    [variants, ['--variant', 'a']],
  ])('while another process has the run, even a stopped one (%s %s)', async (rest, flags) => {
    using made = project({ 'jurist.config.ts': config(rest) })
    const { child, said, ended } = made.startWith({ WAIT: 'b' }, 'run', '--repeat', '1', ...flags)
    await said('WAITING')
    child.kill('SIGSTOP')
    const { code, stderr } = await made.jurist('run', '--resume', ...flags)
    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`is being written by .*pid ${child.pid}`))
    expect(stderr).toContain('Wait for it, or resume when it has ended.')
    expect([calls(made).length, (await runsOf(made)).length]).toEqual([1, 1])
    child.kill('SIGKILL')
    await ended
    made.write({ go: '' })
    expect((await made.jurist('run', '--resume', ...flags)).code).toBe(0)
    expect(new Set(calls(made)).size).toBe(calls(made).length)
  })
})
