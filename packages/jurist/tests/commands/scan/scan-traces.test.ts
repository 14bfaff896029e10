import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'
import { claudeSession, codexSession } from './traces.js'

describe('jurist scan --trace', () => {
  const files = {
    'traces/one.jsonl': claudeSession('git log --all --oneline', 'All tests pass.'),
    'traces/two.jsonl': codexSession('cat /proc/1/environ'),
    'traces/three.jsonl': claudeSession('npm test', 'It is repaired.'),
    'traces/notes.jsonl': '{"not":"a trace"}\n',
  }

  test('scans sessions of several formats, and stores nothing', async () => {
    using made = project(files)
    const { code, stdout, stderr } = await made.jurist('scan', '--trace', 'traces', '--all')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('traces   3 traces, 2 with findings')
    expect(stdout).toMatch(/one#1 +suspect git-future +step \d+ +git log --all --oneline/)
    expect(stdout).toMatch(/one#1 +note claimed-not-run +answer +All tests pass\./)
    expect(stdout).toMatch(/two#1 +suspect process-read +step \d+ +cat \/proc\/1\/environ/)
    expect(stdout).toContain('nothing says where the project comes from (3 trials)')
    // No jury judged them.
    expect(stdout).not.toContain('pass rate')
    expect(JSON.parse((await made.jurist('list', '--json')).stdout)).toEqual([])
  })

  test('scans one file, with chosen rules, as JSON', async () => {
    using made = project(files)
    const { stdout } = await made.jurist('scan', '--trace', 'traces/one.jsonl', '--rule', 'git-future', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      traces: [{ itemId: 'one', passed: null, coverage: 'scanned', findings: [{ rule: 'git-future' }] }],
    })
  })

  test('refuses files that are not traces, and flags that need a run', async () => {
    using made = project(files)
    mkdirSync(join(made.directory, 'empty'))
    for (const [words, message] of [
      [['traces/notes.jsonl'], 'There is no trace in traces/notes.jsonl. Traces are trajectories of ATIF'],
      [['empty'], 'empty has no file that ends in .json or .jsonl'],
      [['missing'], 'missing does not exist'],
      [['traces', '--fail-on', 'suspects'], '--trace scans traces instead of a run'],
    ] as const) {
      const { code, stderr } = await made.jurist('scan', '--trace', ...words)
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    }
    expect((await made.jurist('scan', 'latest', '--trace', 'traces')).code).toBe(2)
  })
})
