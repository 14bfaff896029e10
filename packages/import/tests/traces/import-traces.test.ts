import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'

const toolsJury = `juries:
  tools:
    type: tool-calls
    expected: [{ name: read_file }, { name: write_file }]
    order: in-order
  answer:
    type: output-text
    contains: README.md is there
`

const agent = { name: 'terminus-2', version: '2.0', model_name: 'gpt-5.4' }
const call = (id: string, name: string, content: string) => ({
  tool_calls: [{ tool_call_id: id, function_name: name, arguments: { path: 'README.md' } }],
  observation: { results: [{ source_call_id: id, content }] },
})
const steps = [
  { step_id: 1, timestamp: '2026-11-20T10:00:00Z', source: 'user', message: 'Add a README.' },
  {
    ...{ step_id: 2, timestamp: '2026-11-20T10:00:03Z', source: 'agent', message: 'I look first.' },
    ...call('c1', 'read_file', 'no such file'),
    metrics: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 50, cost_usd: 0.01 },
  },
  { step_id: 3, source: 'agent', message: '', ...call('c2', 'write_file', 'ok'), colour: 'red' },
  {
    ...{ step_id: 4, source: 'agent', message: 'Done: README.md is there.' },
    metrics: { prompt_tokens: 150, completion_tokens: 10 },
  },
]
const trajectory = (more: object = {}) =>
  JSON.stringify({ schema_version: 'ATIF-v1.6', session_id: 's', agent, steps, ...more })

const judged = async (place: ReturnType<typeof project>, jury: string) => {
  const ran = await place.jurist('rejudge', 'latest', '--jury', jury, '--json')
  return JSON.parse(ran.stdout).result
}

describe('jurist import atif', () => {
  test('makes a run of Harbor trials that is judged by its tools, answer and tokens', async () => {
    using place = project({
      'jurist.config.yaml': toolsJury,
      'job/readme__Ab1/agent/trajectory.json': trajectory(),
      'job/readme__Cd2/agent/trajectory.json': trajectory({ steps: steps.slice(0, 2) }),
    })
    const imported = JSON.parse((await place.jurist('import', 'atif', 'job', '--json')).stdout)
    expect(imported).toMatchObject({ isNew: true, items: 1, trials: 2 })
    expect(imported.notes).toEqual(['steps[].colour: no counterpart, in the journal'])

    const again = JSON.parse((await place.jurist('import', 'atif', 'job', '--json')).stdout)
    expect(again).toMatchObject({ isNew: false, runId: imported.runId })

    const byTools = await judged(place, 'tools')
    expect(byTools.items.map((item: { itemId: string; passed: boolean }) => [item.itemId, item.passed])).toEqual([
      ['readme', true],
      ['readme', false],
    ])
    expect((await judged(place, 'answer')).counts).toMatchObject({ passes: 1, fails: 1 })
    expect(byTools.items[0]).toMatchObject({
      costUsd: 0.01,
      usage: { inputTokens: 250, outputTokens: 30, cacheReadTokens: 50 },
    })
    const shown = await place.jurist('show', imported.runId, '--item', 'readme', '--journal')
    expect(shown.stdout).toContain('{"colour":"red"}')
    expect((await place.jurist('export', imported.runId, '--table', 'items')).code).toBe(0)
  })

  test('takes copied context for history: neither its tokens nor its tools count', async () => {
    const copied = steps.slice(0, 3).map((step) => ({ ...step, is_copied_context: true }))
    const own = [...copied, { step_id: 4, source: 'user', message: 'Continue.' }, steps[3]]
    using place = project({
      'jurist.config.yaml': toolsJury,
      't.json': trajectory({ steps: own, final_metrics: { total_prompt_tokens: 250 } }),
    })
    const { notes } = JSON.parse((await place.jurist('import', 'atif', 't.json', '--json')).stdout)
    expect(notes).toContain('3 copied steps are history: their tokens and tool calls do not count')
    const [item] = (await judged(place, 'tools')).items
    expect(item).toMatchObject({ task: 'Continue.', passed: false, usage: { inputTokens: 150, outputTokens: 10 } })
    expect(
      item.detail.invocation.turns.map(
        ({ isHistory = false, role }: object & { role: string; isHistory?: boolean }) => [role, isHistory],
      ),
    ).toEqual([
      ...[
        ['user', true],
        ['agent', true],
        ['agent', true],
      ],
      ...[
        ['user', false],
        ['agent', false],
      ],
    ])
  })

  test('a trace without an answer fails judges of answers', async () => {
    using place = project({ 'jurist.config.yaml': toolsJury, 't.json': trajectory({ steps: steps.slice(0, 1) }) })
    await place.jurist('import', 'atif', 't.json')
    expect((await judged(place, 'answer')).counts).toMatchObject({ passes: 0, fails: 1 })
  })

  test('an exported trajectory is read back with the same steps, item, tokens and answer', async () => {
    const more = [
      { step_id: 0, source: 'system', message: 'Be brief.' },
      ...steps,
      { step_id: 5, source: 'user', message: 'More?' },
      { step_id: 6, source: 'agent', message: 'No.', llm_call_count: 0, reasoning_content: 'hm' },
    ]
    using place = project({ 'readme.json': trajectory({ steps: more }) })
    const steps0 = async (run: string) => {
      const ran = await place.jurist('export', run, '--format', 'atif', '-o', `${run}.json`)
      expect(ran.code).toBe(0)
      const {
        steps: written,
        final_metrics,
        extra,
      } = JSON.parse(readFileSync(join(place.directory, `${run}.json`), 'utf8'))
      return { written, final_metrics, item: extra.jurist.item }
    }
    await place.jurist('import', 'atif', 'readme.json')
    const first = await steps0('atif')
    expect(first.item).toBe('readme')
    expect(first.written.map(({ source }: { source: string }) => source)).toEqual([
      ...['system', 'user', 'agent', 'agent', 'agent', 'user', 'agent'],
    ])
    await place.jurist('import', 'atif', 'atif.json', '--name', 'again')
    expect(await steps0('again')).toEqual(first)
  })

  test('totals that are not the sums of the steps are named', async () => {
    const two = [1, 2].map((step_id) => ({
      ...{ step_id, source: 'agent', message: 'x' },
      metrics: { prompt_tokens: 10, completion_tokens: 1 },
    }))
    const summed = { total_prompt_tokens: 20, total_completion_tokens: 2 }
    using place = project({
      'a.json': trajectory({ steps: two, final_metrics: summed }),
      'b.json': trajectory({ steps: two, final_metrics: { ...summed, total_prompt_tokens: 15 } }),
    })
    const notes = async (file: string) =>
      JSON.parse((await place.jurist('import', 'atif', file, '--json', '--name', 'sums')).stdout).notes
    expect(await notes('a.json')).toEqual([])
    expect(await notes('b.json')).toEqual([
      'its steps add up to other tokens than its final_metrics: those of the steps count',
    ])
  })

  test('an input that is a text is an object in an exported trajectory, as ATIF wants, and a text again when it is read', async () => {
    const patch = '*** Begin Patch'
    const call = { tool_call_id: 'p', function_name: 'apply_patch', arguments: patch }
    const steps1 = [
      { step_id: 1, source: 'user', message: 'Mend it.' },
      { step_id: 2, source: 'agent', message: '', tool_calls: [call] },
    ]
    using place = project({ 'patch.json': trajectory({ steps: steps1 }) })
    await place.jurist('import', 'atif', 'patch.json')
    await place.jurist('export', 'atif', '--format', 'atif', '-o', 'out.json')
    const written = JSON.parse(readFileSync(join(place.directory, 'out.json'), 'utf8')).steps[1]
    expect(written.tool_calls[0].arguments).toEqual({ input: patch })
    const again = await place.jurist('import', 'atif', 'out.json', '--name', 'again')
    expect(again.stdout).not.toContain('Not taken over')
    const journal = (await place.jurist('show', 'again', '--item', 'patch', '--journal', '--json')).stdout
    const [{ events }] = JSON.parse(journal).journals ?? [JSON.parse(journal)]
    expect(events.filter(({ type }: { type: string }) => type === 'tool-call' || type === 'custom')).toMatchObject([
      { type: 'tool-call', name: 'apply_patch', input: patch },
    ])
  })

  const deep = `${'['.repeat(80)}${']'.repeat(80)}`
  test.each([
    ['not JSON', 'nonsense', ['it is not JSON']],
    ['another version', trajectory({ schema_version: 'ATIF-v2.0' }), ['schema_version must be ATIF-v1.0 to ATIF-v1.8']],
    [
      'several problems',
      trajectory({
        agent: {},
        steps: [
          { ...steps[1], metrics: { prompt_tokens: -1 } },
          { step_id: 'x', source: 'bot' },
        ],
      }),
      [
        'agent.name is missing',
        'steps[0].metrics.prompt_tokens must be at least 0',
        'steps[1].step_id must be a number',
        'steps[1].source must be system, user or agent',
      ],
    ],
    [
      'a result of another call',
      trajectory({ steps: [{ ...steps[1], observation: { results: [{ source_call_id: 'zz', content: 'x' }] } }] }),
      ['steps[0].observation.results[0].source_call_id names no call of the step'],
    ],
    ['NUL', trajectory({ notes: 'a\0b' }), ['notes contains NUL']],
    ['depth', trajectory({ extra: JSON.parse(`{"a":${deep}}`) }), ['is nested deeper than 64']],
  ])('refuses %s, and stores nothing', async (_, content, problems) => {
    using place = project({ 't.json': content })
    const ran = await place.jurist('import', 'atif', 't.json')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('t.json cannot be imported. Nothing was stored.')
    for (const problem of problems) expect(ran.stderr).toContain(problem)
    expect((await place.jurist('list')).stdout).not.toContain('atif')
  })

  test('refuses what is not there, flags of other formats, and a directory to make', async () => {
    using place = project({ 't.json': trajectory() })
    expect((await place.jurist('import', 'atif')).stderr).toContain('Name a file or a directory')
    expect((await place.jurist('import', 'atif', 'no')).stderr).toContain('no does not exist')
    expect((await place.jurist('import', 'atif', 't.json', '--max', '3')).stderr).toContain(
      'belongs to "jurist import git"',
    )
    expect((await place.jurist('import', 'atif', 't.json', '-o', 'x')).stderr).toContain('leave --out out')
  })
})
