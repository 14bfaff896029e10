import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'

const agent = { name: 'terminus-2' }
const asked = { step_id: 1, source: 'user', message: 'Add a README.' }
const said = (message: string, tokens: number, more: object = {}) => ({
  ...{ step_id: 2, source: 'agent', message, metrics: { prompt_tokens: tokens, completion_tokens: 1 } },
  ...more,
})
const atif = (steps: readonly object[], more: object = {}) =>
  JSON.stringify({ schema_version: 'ATIF-v1.7', agent, steps, ...more })

const trialsOf = async (place: ReturnType<typeof project>, experiment: string) => {
  const [id = ''] = await place.results.runs(experiment)
  return (await place.results.trials(experiment, id)).map((line) => JSON.parse(line))
}

describe('a directory of traces', () => {
  const reference = { trajectory_path: 'trajectory.summary-1.json' }
  const files = {
    'job/config.json': '{"job_name":"j"}',
    'job/t__Ab1/result.json': '{"task_name":"t"}',
    'job/t__Ab1/agent/trajectory.summary-1.json': atif([asked, said('A summary.', 7)]),
    'job/t__Ab1/agent/trajectory.cont-1.json': atif([
      { ...asked, is_copied_context: true },
      { step_id: 2, source: 'user', message: 'The summary.', is_copied_context: true },
      said('Done.', 20),
    ]),
    'job/t__Ab1/agent/trajectory.json': atif(
      [
        asked,
        said('I begin.', 10, { observation: { results: [{ content: 'x', subagent_trajectory_ref: [reference] }] } }),
      ],
      { continued_trajectory_ref: 'trajectory.cont-1.json' },
    ),
  }

  test('of Harbor: other files and subagents are left out and named, and a continued trajectory is one', async () => {
    using place = project(files)
    const { stdout } = await place.jurist('import', 'atif', 'job')
    expect(stdout).toContain('Stored 1 trial of 1 item')
    expect(stdout).toContain('files that are not trajectories of ATIF (2): job/config.json, job/t__Ab1/result.json')
    expect(stdout).toContain('trajectories of subagents (1): job/t__Ab1/agent/trajectory.summary-1.json')
    expect(stdout).not.toContain('it continues in')
    expect(await trialsOf(place, 'atif')).toMatchObject([
      {
        itemId: 't',
        usage: { inputTokens: 30, outputTokens: 2 },
        detail: { invocation: { output: { text: 'Done.' } } },
      },
    ])
    const [{ detail }] = await trialsOf(place, 'atif')
    expect(detail.invocation.turns).toBeUndefined()
    const alone = await place.jurist('import', 'atif', 'job/t__Ab1/agent/trajectory.json', '--name', 'alone')
    expect(alone.stdout).toContain('it continues in trajectory.cont-1.json, which is not among the files')
  })

  test('whose files name each other in a circle, or themselves, ends', async () => {
    const next = (name: string) => atif([asked, said(name, 1)], { continued_trajectory_ref: `${name}.json` })
    using place = project({ 'job/a.json': next('b'), 'job/b.json': next('a'), 'job/c.json': next('c') })
    const { code, stdout } = await place.jurist('import', 'atif', 'job')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stored 1 trial')])
  })

  test('files that cannot be read are left out and named', async () => {
    using place = project({
      ...files,
      'job/x/trajectory.json': atif([{ step_id: 1, source: 'bot' }]),
      'job/y/trajectory.json': '{',
    })
    const { code, stdout } = await place.jurist('import', 'atif', 'job')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /files that cannot be read, such as: steps\[0\]\.source must be .* \(1\): job\/x\/trajectory\.json/,
    )
    expect(stdout).toContain('files that cannot be read, such as: it is not JSON (1): job/y/trajectory.json')
  })

  test('without a trace is refused with what it holds', async () => {
    using place = project({ 'job/config.json': '{}', 'logs/a.jsonl': '{"a":1}', 'logs/b.jsonl': '' })
    const none = await place.jurist('import', 'atif', 'job')
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining(
        'There is no trace to import: files that are not trajectories of ATIF (1): job/config.json.',
      ),
    ])
    expect((await place.jurist('import', 'session', 'logs')).stderr).toContain('logs/a.jsonl, logs/b.jsonl')
    expect((await place.jurist('import', 'session', 'logs/b.jsonl')).stderr).toContain('  it is empty\n')
  })

  test('a trace without times has no time of its agent', async () => {
    using place = project({ 'a.json': atif([asked, said('Done.', 1)]) })
    await place.jurist('import', 'atif', 'a.json')
    const { stdout } = await place.jurist('show', 'latest', '--json')
    expect(JSON.parse(stdout).agentMs).toBeNull()
    const [{ detail }] = await trialsOf(place, 'atif')
    expect(detail.invocation.elapsedMs).toBeUndefined()
  })

  test('an import that is stopped says so, and is continued by the same command', async () => {
    // One that has ended before it is stopped proves nothing.
    for (let [count, isStopped] = [500, false]; !isStopped; count *= 3) {
      const many = Array.from({ length: count }, (_, index) => [`t/${index}.json`, atif([asked, said('Done.', 1)])])
      using place = project(Object.fromEntries(many))
      const started = place.start('import', 'atif', 't')
      const stored = async () => (await place.results.runs('atif').catch(() => [])).length > 0
      while (!(await stored())) await new Promise((resolve) => setTimeout(resolve, 20))
      started.child.kill('SIGINT')
      const { code, stdout } = await started.ended
      isStopped = code !== 0
      if (!isStopped) continue
      expect([code, stdout]).toEqual([130, ''])
      const [id = ''] = await place.results.runs('atif')
      const again = await place.jurist('import', 'atif', 't')
      expect(again.stdout).toContain(`Stored ${count} trials of ${count} items as ${id}`)
      expect(await place.results.runs('atif')).toEqual([id])
    }
  })

  test('names of fields cannot control the terminal', async () => {
    using place = project({ 'a.json': atif([asked, said('Done.', 1)], { 'evil\u001b[2J\u202e': 1 }) })
    const { stdout } = await place.jurist('import', 'atif', 'a.json')
    expect(stdout).toContain('- evil: no counterpart, in the journal')
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
  })
})
