import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../../../../bridges/testing/index.js'
import { project } from '../../project.js'
import { testOnce } from '../../project-results.js'

const config = (judge: string, more = '') => `experiments:
  sums:
    dataset: dataset
    jury: ${judge}
${more}`

const files = {
  'dataset/dataset.json':
    '{ "schemaVersion": 1, "name": "sums", "version": "1.0.0", "description": "", "items": [{ "id": "a", "path": "a" }] }',
  'dataset/a/item.json': '{ "developerTask": "Make `a` the right word." }',
  'dataset/a/before/src/a.js': 'export const a = "wrong"\n',
  'dataset/a/before/tests/a.test.js': "test('a', () => {})\n",
  'dataset/a/reference/src/a.js': 'export const a = "right"\n',
}
/** Passes what no longer has tests, and the right answer. */
const lax = '{ type: command-succeeds, command: "test ! -e tests/a.test.js || grep -q right src/a.js" }'
const strict = '{ type: file-content, path: src/a.js, contains: right }'

describe.concurrent('jurist vet probe', () => {
  test('names what got through, what it did and how to stop it, and ends with 1', async () => {
    using made = project({ ...files, 'jurist.config.yaml': config(lax) })
    const { code, stdout, stderr } = await made.jurist(
      'vet',
      'probe',
      '-o',
      'probe.html',
      '-o',
      'probe.md',
      '-o',
      'probe.json',
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/^jurist: a probe got through \(exit code 1\)$/m)
    expect(stdout).toMatch(/1 probe of \d+ tried got through, on 1 of 1 item: delete-tests$/m)
    expect(stdout).toMatch(/delete-tests +tests +1 of 1 +1\/1/)
    expect(stdout).toContain('Remedy: Lay your own tests over the workspace')
    expect(stdout).toContain('removed tests/a.test.js')
    const read = (name: string) => readFileSync(join(made.directory, name), 'utf8')
    expect(JSON.parse(read('probe.json'))).toMatchObject({ kind: 'probe', conclusion: 'holes' })
    expect(read('probe.md')).toContain('## delete-tests got through')
    expect(read('probe.html')).toMatch(/^<!doctype html>/)
    const shown = await made.jurist('list', '--json')
    const [run] = JSON.parse(shown.stdout)
    expect(run).toMatchObject({ experimentName: 'sums', kind: 'probe' })
    const table = await made.jurist('show', run.id)
    expect(table.stdout).toMatch(/^ {2}a#1 reference +✓ pass/m)
    expect(table.stdout).toMatch(/^ {2}a#4 delete-tests +✓ pass/m)
    expect(table.stdout).not.toContain('pass@k')
    expect((await made.jurist('show', run.id, 'a#4')).stdout).toMatch(/^a#4 delete-tests {3}sums {3}run /)
    expect((await made.jurist('show', 'latest')).code).toBe(2)
  })

  testOnce('ends with 0 where nothing gets through, and where all that does is accepted', async () => {
    using held = project({ ...files, 'jurist.config.yaml': config(strict) })
    const { code, stdout } = await held.jurist('vet', 'probe', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ conclusion: 'held', reference: { passed: 1 }, idle: { passed: [] } })
    const vet = '    vet: { accepted: [{ probe: delete-tests, reason: The tests are examples. }] }\n'
    using accepted = project({ ...files, 'jurist.config.yaml': config(lax, vet) })
    const own = await accepted.jurist('vet', 'probe', '--probe', 'delete-tests')
    expect([own.code, own.stdout]).toEqual([
      0,
      expect.stringContaining('Accepted: delete-tests, on 1 item: The tests are'),
    ])
    using allowed = project({ ...files, 'jurist.config.yaml': config(lax) })
    expect((await allowed.jurist('vet', 'probe', '--probe', 'delete-tests', '--allow', 'delete-tests')).code).toBe(0)
  })

  testOnce('ends with 3 where the right answer does not pass', async () => {
    using made = project({ ...files, 'jurist.config.yaml': config('{ type: file-exists, path: never }') })
    const { code, stdout } = await made.jurist('vet', 'probe', '--probe', 'claim')
    expect(code).toBe(3)
    expect(stdout).toContain('The right answer does not pass on a')
  })

  testOnce.each([
    [['vet', 'probe', '--probe', 'delet-tests'], 'Did you mean "delete-tests"?'],
    [['vet', 'probe', 'sum'], 'Did you mean "sums"?'],
    [['vet', 'probe', '--item', 'b'], 'No item "b"'],
    [['vet', 'probe', '-o', 'probe.txt'], 'must end in .html, .md, .json'],
    [['vet', 'probe', '--resume', '20260101T000000000Z-aaaaaa'], 'There is no run'],
  ])('jurist %j is wrong usage', async (argv, message) => {
    using made = project({ ...files, 'jurist.config.yaml': config(strict) })
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('is interrupted cleanly, and resumed where it stopped', async () => {
    using made = project(files)
    const go = join(made.directory, 'go')
    const slow = `{ type: command-succeeds, command: "test -e tests/a.test.js || test -e ${go} || sleep 60; grep right src/a.js" }`
    made.write({ 'jurist.config.yaml': config(slow, '    concurrency: 1\n') })
    const argv = ['vet', 'probe', '--probe', 'shell-rc', '--probe', 'delete-tests', '--json']
    const { child, ended, said } = made.start(...argv)
    await said('[1/4]')
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining('--resume') })
    made.write({ go: '' })
    const again = await made.jurist(...argv, '--resume')
    const [run, ...others] = await made.results.runs('sums')
    expect(others).toEqual([])
    expect(JSON.parse(again.stdout)).toMatchObject({ runId: run, complete: true, conclusion: 'held' })
    expect((await made.jurist('vet', 'probe', '--probe', 'claim', '--resume', run ?? '')).code).toBe(2)
  })

  testOnce('says which models a jury asks and what they cost, and leaves them out when asked to', async () => {
    await using server = await scriptedServer(() => ({
      text: 'Answer: YES',
      usage: { inputTokens: 1_000, outputTokens: 10 },
    }))
    using made = project({
      'rows.jsonl': '{"id":"a","task":"How much is 1 + 1?","expected":"2"}',
      'jurist.config.yaml': `models:
  judge: { provider: openai-compatible, baseUrl: "${server.url}/v1", model: m, prices: { inputUsdPerMillion: 1000, outputUsdPerMillion: 2000, asOf: 2026-11-01 } }
experiments:
  sums:
    dataset: rows.jsonl
    agent: { command: [echo, "2"] }
    jury: { vote: { type: majority }, judges: { exact: { type: matches-expected }, polite: { type: criteria, model: judge, criterion: It is polite. } } }
`,
    })
    expect(await made.jurist('run')).toMatchObject({ code: 0 })
    const { stderr } = await made.jurist('vet', 'probe', '--probe', 'claim')
    expect(stderr).toMatch(
      /^The jury asks judge in every trial, which cost \$0\.\d+ a trial in the latest run\. --free/m,
    )
    const asked = server.requests.length
    const free = await made.jurist('vet', 'probe', '--probe', 'claim', '--free')
    expect([free.code, server.requests.length]).toEqual([0, asked])
    expect(free.stdout).toContain('Left out of the jury, since they cost money: criteria')
  })

  testOnce('lists its probes', async () => {
    using made = project()
    const { code, stdout } = await made.jurist('vet', 'probe', '--list')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^exit-on-load +process +standard +Ends the process/m)
  })
})
