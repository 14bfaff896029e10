import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '@jurist/core'
import { logParserNames } from '@jurist/workspace/internal'
import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'
import { gradedTests } from '../../src/swebench/import-swebench.js'
import { readInstances } from '../../src/swebench/instances.js'
import { base, fixedSum, git, twoInstances } from './swebench-instances.js'

const plainInstance = {
  ...{
    instance_id: 'a',
    repo: 'acme/sums',
    base_commit: '0123456789',
    problem_statement: 'p',
    patch: '',
    test_patch: '',
  },
  ...{ FAIL_TO_PASS: [], PASS_TO_PASS: [] },
}

const importing: readonly string[] = ['import', 'swebench', 'instances.jsonl', '--repositories', 'clones']

const parquet = (rows: readonly object[]): Readonly<Record<string, unknown>> => ({
  'an array': rows,
  'the rows of a viewer': { features: [], rows: rows.map((row, at) => ({ row_idx: at, row, truncated_cells: [] })) },
  'columns of arrays': columns(rows, (cells) => cells),
  'columns of objects': columns(rows, (cells) => Object.fromEntries(cells.entries())),
})

function columns(rows: readonly object[], column: (cells: readonly unknown[]) => unknown): object {
  const names = Object.keys(rows[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, column(rows.map((row) => Reflect.get(row, name)))]))
}

describe('a parquet file as JSON', () => {
  const rows = [plainInstance, { ...plainInstance, instance_id: 'b', FAIL_TO_PASS: '["t"]' }]
  test.each(Object.entries(parquet(rows)))('may be %s', (_, value) => {
    const read = readInstances([{ value: value as Json, place: '' }])
    if ('problems' in read) throw new Error(read.problems.join())
    expect(read.instances.map(({ instance_id, FAIL_TO_PASS }) => [instance_id, FAIL_TO_PASS])).toEqual([
      ['a', []],
      ['b', ['t']],
    ])
  })

  test('whose cells are cut is refused', () => {
    const value = { rows: [{ row: plainInstance, truncated_cells: ['patch'] }] } as unknown as Json
    const problems = ['rows[0]: patch is cut. Get the whole row']
    expect(readInstances([{ value, place: '' }])).toEqual({ problems })
  })
})

describe('jurist import swebench', () => {
  test('makes items that begin without history, and whose hidden tests tell right from wrong', async () => {
    using made = project()
    const { commit } = twoInstances(made)
    const { code, stdout, stderr } = await made.jurist(...importing, '--json')
    expect([code, stderr]).toEqual([0, ''])
    const imported = JSON.parse(stdout)
    expect(imported).toMatchObject({ items: ['acme__sums-1', 'acme__sums-2'], disabled: 0, missing: [] })
    expect(imported.notes).toEqual([{ of: null, note: 'hints_text: no agent is given hints (2 of 2 instances)' }])
    const place = join(made.directory, 'evals', 'dataset')
    const item = JSON.parse(readFileSync(join(place, 'items', 'acme__sums-1', 'item.json'), 'utf8'))
    expect(item.metadata.source).toEqual({
      instance_id: 'acme__sums-1',
      repo: 'acme/sums',
      base_commit: commit,
      version: '1.0',
      environment_setup_commit: commit,
    })
    expect(item.judges.tests).toMatchObject({
      type: 'swebench-grade',
      failToPass: ['adds texts'],
      passToPass: ['adds'],
      overlay: { paths: ['test/sum.test.js'] },
    })
    const repository = join(place, item.beforeRef.repoPath)
    expect(git(repository, 'log', '--all', '--format=%P %an', '--').trim().split('\n')).toHaveLength(3)
    expect(git(repository, 'log', '--format=%P', item.referenceRef.commitHash).trim()).toBe('')
    expect(git(repository, 'show', `${item.beforeRef.commitHash}:src/sum.js`)).toBe(base['src/sum.js'])
    expect(git(repository, 'show', `${item.referenceRef.commitHash}:src/sum.js`)).toBe(fixedSum)
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
    const established = await made.jurist('-C', 'evals', 'vet', 'establish', '--repeat', '1', '--json')
    const { items } = JSON.parse(established.stdout)
    expect(
      items.map((one: { itemId: string; solvable: boolean; trivial: boolean }) => [
        one.itemId,
        one.solvable,
        one.trivial,
      ]),
    ).toEqual([
      ['acme__sums-1', true, false],
      ['acme__sums-2', false, false],
    ])
    const again = await made.jurist(...importing)
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('evals exists already')])
    const other = await made.jurist(...importing, '--out', 'other')
    expect(other.code).toBe(0)
    const twin = JSON.parse(readFileSync(join(made.directory, 'other/dataset/items/acme__sums-1/item.json'), 'utf8'))
    expect(twin).toEqual(item)
  })

  test('keeps instances without a clone, disabled', async () => {
    using made = project()
    twoInstances(made)
    const { code, stdout } = await made.jurist('import', 'swebench', 'instances.jsonl')
    expect(code).toBe(0)
    expect(stdout).toContain('2 items, 2 of them disabled')
    expect(stdout).toContain('git clone --bare https://github.com/acme/sums CLONES/acme/sums.git')
    const manifest = JSON.parse(readFileSync(join(made.directory, 'evals/dataset/dataset.json'), 'utf8'))
    expect(manifest.items.map(({ status }: { readonly status: string }) => status)).toEqual(['disabled', 'disabled'])
    const validated = await made.jurist('-C', 'evals', 'validate')
    expect([validated.code, validated.stdout]).toEqual([0, expect.stringContaining('No problem found')])
    expect(validated.stderr).toMatch(/^notice: .*: 2 disabled items without files, which do not run\.$/m)
  })

  test('imports what it can of damaged clones, and --resume adds the rest', async () => {
    using made = project()
    const { commit, sum } = twoInstances(made)
    const clones = join(made.directory, 'clones', 'acme')
    for (const name of ['lost', 'broken']) cpSync(join(clones, 'sums'), join(clones, name), { recursive: true })
    const objectOf = (hash: string) => join(clones, 'lost', '.git', 'objects', hash.slice(0, 2), hash.slice(2))
    // A clone that has commits, and not the files of one, as a partial clone without its server.
    const blob = git(join(clones, 'lost'), 'rev-parse', `${commit}:src/top.js`).trim()
    rmSync(objectOf(blob))
    rmSync(join(clones, 'broken', '.git', 'objects', commit.slice(0, 2)), { recursive: true })
    writeFileSync(join(clones, 'broken', '.git', 'config'), '[core\n')
    const instances = [
      sum,
      { ...sum, instance_id: 'acme__lost-1', repo: 'acme/lost' },
      { ...sum, instance_id: 'acme__broken-1', repo: 'acme/broken' },
    ]
    made.write({ 'instances.jsonl': instances.map((one) => JSON.stringify(one)).join('\n') })
    const first = await made.jurist(...importing, '--json')
    expect([first.code, first.stderr]).toEqual([0, ''])
    const imported = JSON.parse(first.stdout)
    expect(imported).toMatchObject({ items: ['acme__sums-1'], there: [], disabled: 2, missing: ['acme/broken'] })
    expect(imported.notes.filter(({ of }: { readonly of: string | null }) => of !== null)).toEqual([
      { of: 'acme__lost-1', note: expect.stringMatching(/^its files cannot be made: .+/) },
    ])
    const manifest = join(made.directory, 'evals/dataset/dataset.json')
    const before = statSync(join(made.directory, 'evals/dataset/items/acme__sums-1/item.json')).mtimeMs
    writeFileSync(
      join(made.directory, 'evals/jurist.config.yaml'),
      `# mine\n${readFileSync(join(made.directory, 'evals/jurist.config.yaml'), 'utf8')}`,
    )

    for (const name of ['lost', 'broken']) {
      rmSync(join(clones, name), { recursive: true })
      cpSync(join(clones, 'sums'), join(clones, name), { recursive: true })
    }
    const second = await made.jurist(...importing, '--resume', '--json')
    expect([second.code, second.stderr]).toEqual([0, ''])
    expect(JSON.parse(second.stdout)).toMatchObject({
      ...{ items: ['acme__lost-1', 'acme__broken-1'], there: ['acme__sums-1'], disabled: 0, missing: [] },
    })
    expect(JSON.parse(readFileSync(manifest, 'utf8')).items).toEqual(
      instances.map(({ instance_id: id }) => ({ id, path: `items/${id}` })),
    )
    expect(statSync(join(made.directory, 'evals/dataset/items/acme__sums-1/item.json')).mtimeMs).toBe(before)
    expect(readFileSync(join(made.directory, 'evals/jurist.config.yaml'), 'utf8')).toMatch(/^# mine\n/)
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
    const third = await made.jurist(...importing, '--resume')
    expect([third.code, third.stdout]).toEqual([
      0,
      expect.stringContaining('Added to evals: 0 items, 0 of them disabled. 3 items were there.'),
    ])
    made.write({ 'other/notes.txt': '' })
    const other = await made.jurist(...importing, '--resume', '--out', 'other')
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('other holds no import of SWE-bench')])
  })

  test('lists instances whose commit is missing, or whose patches do not apply', async () => {
    using made = project()
    const { sum, top, patch } = twoInstances(made)
    const sumPatch = patch({ 'src/sum.js': fixedSum })
    const outside = patch({ 'src/sum.js': fixedSum }).replaceAll('src/sum.js', '../../outside.js')
    const inGit = patch({ 'hook.js': 'x\n' }).replaceAll('hook.js', '.git/hooks/post-checkout')
    const instances = [
      { ...sum, base_commit: '0123456789' },
      { ...top, patch: sumPatch.replace('a + b', 'b + a') },
      { ...top, instance_id: 'acme__sums-3', test_patch: outside },
      { ...top, instance_id: 'acme__sums-4', patch: inGit },
    ]
    made.write({ 'instances.json': JSON.stringify(instances) })
    const { code, stdout } = await made.jurist(...importing.with(2, 'instances.json'), '--json')
    expect(code).toBe(0)
    const imported = JSON.parse(stdout)
    expect([imported.items, imported.disabled]).toEqual([[], 4])
    const notes = imported.notes.filter(({ of }: { readonly of: string | null }) => of !== null)
    expect(notes).toEqual([
      { of: 'acme__sums-1', note: 'the clone has no commit 0123456789' },
      { of: 'acme__sums-2', note: expect.stringMatching(/^patch does not apply: error: patch failed: src\/sum\.js/) },
      { of: 'acme__sums-3', note: expect.stringMatching(/^test_patch does not apply: error: .*outside\.js/) },
      { of: 'acme__sums-4', note: expect.stringMatching(/^patch does not apply: error: .*\.git\/hooks/) },
    ])
    expect(existsSync(join(made.directory, 'evals', 'outside.js'))).toBe(false)
  })

  test('refuses a file with every problem in it, and writes nothing', async () => {
    using made = project()
    const { sum } = twoInstances(made)
    const lines = [
      sum,
      { ...sum, instance_id: '../x', repo: 'acme', base_commit: 'main' },
      { ...sum, FAIL_TO_PASS: 'adds', PASS_TO_PASS: [1], patch: null, problem_statement: ' ' },
      { org: 'acme', repo: 'sums', f2p_tests: {}, fix_patch: '' },
      sum,
      [],
    ]
    made.write({ 'instances.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') })
    const { code, stderr } = await made.jurist(...importing)
    expect(code).toBe(2)
    for (const problem of [
      'line 2: instance_id must be at most 120 letters',
      'line 2: repo must be an owner and a name',
      'line 2: base_commit must be the hash of a commit (got "main")',
      'line 3: FAIL_TO_PASS must be an array',
      'line 3: PASS_TO_PASS[0] must be a string (got 1)',
      'line 3: patch must be a patch',
      'line 3: problem_statement must be a string that is not blank',
      'line 4: is an instance of Multi-SWE-bench',
      'acme__sums-1 occurs more than once',
    ])
      expect(stderr).toContain(problem)
    expect(existsSync(join(made.directory, 'evals'))).toBe(false)
  })
})

test.each([
  [{ log_parser: 'parse_log_django' }, 'python -m pytest {files}', { parser: 'django' }],
  [{ repo: 'sympy/sympy' }, 'bin/test -C {files}', { command: ['bin/test', '-C', 'test/a.test.js'], parser: 'sympy' }],
  [{}, 'pytest {files}', { command: ['pytest', 'test/a.test.js', '-rA'], parser: 'pytest_v2' }],
  [{}, 'make && echo {files}', { command: "make && echo 'test/a.test.js'" }],
  [{}, 'npx jest {files}', { reports: 'jest-report.json' }],
  [{ eval_type: 'fail_only', log_parser: 'parse_log_marked' }, 'npm test', { failOnly: true, parser: 'marked' }],
  [{ repo: 'eslint/eslint' }, 'npm test', { failOnly: true }],
  [{ log_parser: 'parse_log_redis' }, 'make test', { command: ['make', 'test'], parser: 'redis' }],
  [{ repo: 'nlohmann/json' }, 'build/tests -r=xml', { command: ['build/tests', '-r=xml'], parser: 'doctest' }],
  [{ repo: 'Gin-Gonic/gin' }, 'go test -v ./...', { parser: 'gotest' }],
])('the judge of %j with %s', (fields, line, judge) => {
  const read = readInstances([{ value: { ...plainInstance, ...fields }, place: '' }])
  const [instance] = 'instances' in read ? read.instances : []
  if (instance === undefined) throw new Error(JSON.stringify(read))
  const trees = { before: 'a', reference: 'b', testFiles: ['test/a.test.js', 'test/a.json'], deleted: [] }
  const root = { paths: new Set<string>(), packageJson: undefined }
  const made = gradedTests(instance, { ...trees, root }, line, logParserNames)
  expect(made).toMatchObject({ judge: { ...judge, overlay: { paths: ['test/a.test.js', 'test/a.json'] } } })
})
