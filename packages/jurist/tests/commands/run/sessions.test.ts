import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configOf, type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

/** Waits at the second item of `control` until there is a file `go`; notes each trial that it has done. */
const waiting = `async (task) => {
  const { appendFileSync, existsSync } = await import('node:fs')
  const { trialOf } = await import('jurist')
  const { variant, itemId } = trialOf(task)
  if (variant === 'control' && itemId === 'two' && !existsSync('go')) {
    console.error('WAITING')
    await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    return { status: 'cancelled' }
  }
  appendFileSync('calls', variant + ' ' + itemId + '\\n')
  return { status: 'completed', output: { type: 'text', text: 'yes' } }
}`
const variants = 'variants: { control: {}, knowledge: {} },'
const slow = () => project({ 'jurist.config.ts': configOf({ agent: waiting, rest: `concurrency: 1, ${variants}` }) })

/** Interrupts a session at its second trial. Returns what it said. */
async function interrupted(made: Project, ...flags: readonly string[]): Promise<string> {
  const { child, ended, said } = made.start('run', ...flags)
  await said('WAITING')
  child.kill('SIGINT')
  const { code, stderr } = await ended
  expect(code).toBe(130)
  made.write({ go: '' })
  return stderr
}

const sessionsOf = async (made: Project) => (await made.jurist('list', '--sessions')).stdout
const runsOf = (made: Project) => made.results.runs('demo')

describe.concurrent('a session that was interrupted', () => {
  test('goes on as a whole by the line that was printed', async () => {
    using made = slow()
    const said = await interrupted(made)
    const [, line = ''] =
      /1 of 2 trials of control are stored, knowledge has not started\. {2}Resume with: {2}jurist (run demo --session \S+ --resume)\n/.exec(
        said,
      ) ?? []
    expect(line).not.toBe('')
    expect((await made.jurist(...line.split(' '))).code).toBe(0)
    expect(readFileSync(join(made.directory, 'calls'), 'utf8')).toBe(
      'control one\ncontrol two\nknowledge one\nknowledge two\n',
    )
    expect(await sessionsOf(made)).toMatch(/demo .*completed/)
    expect(await runsOf(made)).toHaveLength(2)
  })

  test('records a run of it that is resumed by itself, and is completed when all runs are', async () => {
    using made = slow()
    expect(await interrupted(made, '--variant', 'control')).toContain('run demo --variant control --session ')
    const [id = ''] = await runsOf(made)
    const other = await made.jurist('run', '--resume', id, '--variant', 'knowledge')
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining(`${id} is a run of the variant control, not of knowledge. Remove --variant.`),
    ])
    const named = await made.jurist('run', '--resume', id, '--order', 'item')
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('resumes one run. Remove --order')])
    expect((await made.jurist('run', '--resume', id)).code).toBe(0)
    const [session] = JSON.parse((await made.jurist('list', '--sessions', '--json')).stdout)
    expect(session).toMatchObject({ variants: [{ variant: 'control', status: 'completed', trials: 2 }] })
    // It was begun with this variant only.
    expect(await sessionsOf(made)).toMatch(/demo .*completed/)
    const rest = await made.jurist('run', '--session', session.session, '--resume')
    expect([rest.code, rest.stderr]).toEqual([0, expect.stringContaining('nothing is unfinished')])
    const wider = await made.jurist('run', '--session', session.session, '--resume', '--widen')
    expect([wider.code, (await runsOf(made)).length]).toEqual([0, 2])
  })
})

describe.concurrent('--resume', () => {
  test('says plainly why a run cannot be resumed, and how to start over', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    await made.jurist('run')
    const [id = ''] = await runsOf(made)
    made.write({ 'jurist.config.ts': configOf({ rest: 'itemTimeoutMs: 9000,' }) })
    const { code, stderr } = await made.jurist('run', '-i', 'one', '--resume', id, '--widen')
    expect(code).toBe(2)
    expect(stderr).toContain('  the selection leaves out: two\n')
    expect(stderr).toMatch(/ {2}itemTimeoutMs: .* then, 9000 now\n/)
    expect(stderr).toContain('Restore them, or start over: jurist run demo\n')
  })

  test('--retry-errors runs again what decided nothing, in every variant', async () => {
    const agent = `async () => {
      const { existsSync } = await import('node:fs')
      if (!existsSync('go')) throw Object.assign(new Error('not to be had'), { code: 'ECONNRESET' })
      return { status: 'completed', output: { type: 'text', text: 'yes' } }
    }`
    const rest = `retries: { attempts: 1 }, ${variants}`
    using made = project({ 'jurist.config.ts': configOf({ agent, rest }) })
    expect((await made.jurist('run')).code).toBe(1)
    made.write({ go: '' })
    expect((await made.jurist('run', '--resume')).stderr).toContain('nothing is unfinished')
    const { code, stdout } = await made.jurist('run', '--resume', '--retry-errors')
    expect(code).toBe(0)
    expect(stdout.match(/2\/2 +100\.0 %/g)).toHaveLength(2)
    expect(await runsOf(made)).toHaveLength(2)
  })

  test.skipIf(onPostgres)('takes the path of a run, from the directory of -C', async () => {
    using made = project({ 'sub/jurist.config.ts': configOf({}), 'elsewhere/keep': '' })
    await made.jurist('run', '-C', 'sub')
    const [id = ''] = readdirSync(join(made.directory, 'sub/results/demo'))
    const inside = await made.jurist('-C', 'sub', 'run', '--resume', `results/demo/${id}`)
    expect([inside.code, inside.stdout]).toEqual([0, expect.stringContaining(`run ${id}`)])
    const other = ['--results', '../elsewhere', 'run', '--resume', `results/demo/${id}`]
    const { code, stdout } = await made.jurist('-C', 'sub', ...other)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`run ${id}`)])
    expect(stdout).toMatch(/Look closer: {2}jurist -C sub --results \S+sub\/results show/)
    expect(readdirSync(join(made.directory, 'elsewhere'))).toEqual(['keep'])
    const bundle = await made.jurist('-C', 'sub', 'run', '--resume', 'some.tgz')
    expect([bundle.code, bundle.stderr]).toEqual([2, expect.stringContaining('is a bundle and cannot be resumed')])
  })
})
