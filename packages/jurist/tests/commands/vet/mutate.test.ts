import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'
import { onPostgres, testOnce } from '../../project-results.js'

const files = {
  'jurist.config.yaml': `experiments:
  ages:
    dataset: dataset
    jury: { type: command-succeeds, command: node age.test.mjs }
`,
  'dataset/dataset.json':
    '{ "schemaVersion": 1, "name": "ages", "version": "1.0.0", "description": "", "items": [{ "id": "a", "path": "a" }] }',
  'dataset/a/item.json': '{ "developerTask": "Adults are 18." }',
  'dataset/a/before/age.mjs': 'export const isAdult = (age) => age > 21\n',
  'dataset/a/before/age.test.mjs':
    "import assert from 'node:assert'\nimport { isAdult } from './age.mjs'\nassert(isAdult(30))\nassert(!isAdult(17))\n",
  'dataset/a/reference/age.mjs': 'export const isAdult = (age) => age >= 18\n',
}
const boundary = ['vet', 'mutate', '--operators', 'boundary'] as const

describe.concurrent('jurist vet mutate', () => {
  test('reports survivors and ends with 0, and with 1 where --survival allows fewer', async () => {
    using made = project(files)
    const { code, stdout } = await made.jurist(...boundary, '--stryker', 'stryker.json')
    expect(code).toBe(0)
    expect(stdout).toContain('1 of 1 mutant survived')
    const source = files['dataset/a/reference/age.mjs']
    expect(JSON.parse(readFileSync(join(made.directory, 'stryker.json'), 'utf8'))).toMatchObject({
      schemaVersion: '2',
      files: { 'a/age.mjs': { source, mutants: [{ status: 'Survived', mutatorName: 'boundary' }] } },
    })
    const [run] = JSON.parse((await made.jurist('list', '--json')).stdout)
    expect((await made.jurist('show', run.id)).stdout).toMatch(/^ {2}a#2 boundary age.mjs:1 >= → > +✓ pass/m)
    const strict = await made.jurist(...boundary, '--survival', '0.5')
    expect(strict.code).toBe(1)
    expect(strict.stderr).toMatch(/^jurist: mistakes pass \(exit code 1\)$/m)
  })

  testOnce('the card of vet names the place of a survivor, and the command that shows it', async () => {
    using made = project(files)
    const { stdout } = await made.jurist('vet', '--quick', '-o', 'card.md')
    const [, run = ''] = /Show it: jurist show (\S+) a#2\n/.exec(stdout) ?? []
    expect(stdout).toContain('Survivors\n  a: age.mjs:')
    expect(readFileSync(join(made.directory, 'card.md'), 'utf8')).toContain(`jurist show ${run} a#2`)
    const shown = await made.jurist('show', run, 'a#2')
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('a#2 ')])
  })

  testOnce('prints a test that notices a survivor, and ends with 1', async () => {
    using made = project(files)
    const { code, stdout } = await made.jurist(...boundary, '--prove', '-o', 'mutants.md', '-o', 'mutants.json')
    expect(code).toBe(1)
    const line = 'test("isAdult(18)", () => assert.deepEqual(isAdult(18), true))'
    expect(stdout).toContain('1 of 1 proven holes, in 1 item')
    expect(stdout).toContain(line)
    const read = (name: string) => readFileSync(join(made.directory, name), 'utf8')
    expect(read('mutants.md')).toContain(line)
    expect(JSON.parse(read('mutants.json'))).toMatchObject({
      kind: 'mutate',
      proven: [{ itemId: 'a', path: 'age.mjs', witness: { input: [18], expected: true, got: false } }],
    })
  })

  test('keeps its proofs: an interrupted run compares what is left, and a whole one nothing', async () => {
    using made = project(files)
    const go = join(made.directory, 'go')
    // Loads immediately in a test of the jury, and else only where there is a file.
    const waits = `import { existsSync } from 'node:fs'\nwhile (process.argv[1].endsWith('code.mjs') && !existsSync('${go}')) continue\n`
    made.write({ 'dataset/a/reference/age.mjs': `${waits}${files['dataset/a/reference/age.mjs']}` })
    const words = [...boundary, '--prove'] as const
    const begun = made.start(...words)
    await begun.said('prove run ')
    begun.child.kill('SIGINT')
    expect(await begun.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('--prove --resume') })
    made.write({ go: '' })
    const resumed = await made.jurist(...words, '--resume', '--json')
    const report = JSON.parse(resumed.stdout)
    expect([resumed.code, report.complete, report.proven.length]).toEqual([1, true, 1])
    expect(resumed.stderr).toContain('2 of them stored already\nprove run')
    expect(resumed.stderr).toMatch(/: 1 survivor\nprove \[1\/1\]$/m)
    const results = join(made.directory, onPostgres ? 'fetched' : 'results')
    await using store = await made.results.store()
    const kept = async () => {
      rmSync(join(made.directory, 'fetched'), { recursive: true, force: true })
      await store.fetchFiles?.(report.runId, results)
      return readFileSync(join(results, 'ages', report.runId, 'proofs.jsonl'), 'utf8')
    }
    const lines = await kept()
    const again = await made.jurist(...words, '--resume', report.runId, '--json')
    expect(JSON.parse(again.stdout)).toEqual({ ...report, durationMs: expect.any(Number) })
    expect(again.stderr).not.toContain('prove run')
    expect(await kept()).toBe(lines)
    expect((await made.jurist('show', report.runId, 'a#2')).stdout).toContain(report.proven[0].test.trimEnd())
  })

  test('resumes with the options it began with, and names those that differ', async () => {
    using made = project({ ...files, 'dataset/a/before/age.test.mjs': 'setTimeout(() => undefined, 60_000)\n' })
    const begun = made.start('vet', 'mutate', '--per-item', '3')
    await begun.said('mutate ages run ')
    begun.child.kill('SIGINT')
    expect((await begun.ended).stderr).toContain('Resume with: jurist vet mutate --per-item 3 --resume')
    const { code, stderr } = await made.jurist('vet', 'mutate', '--per-item', '2', '--resume')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('\n  perItem: 3 then, 2 now\n  mutants: changed since then\nRestore them,'),
    ])
  })

  testOnce.each([
    [['--stryker', 'a.txt'], 'must end in .json'],
    [['--operators', 'boundry'], 'Did you mean "boundary"?'],
    [['--survival', '2'], '--survival'],
    [['--prove-seconds', '3'], '--prove-seconds needs --prove'],
  ])('%j is wrong usage', async (words, message) => {
    using made = project(files)
    const { code, stderr } = await made.jurist('vet', 'mutate', ...words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
