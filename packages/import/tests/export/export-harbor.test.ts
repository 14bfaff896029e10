import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../../jurist/tests/project.js'
import { containerProgram } from '../harbor/container-program.js'

const works = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const harborTasks = fileURLToPath(new URL('../harbor-tasks', import.meta.url))

const check = '[ "$(cat out.txt)" = "$WORD" ]\n'
const tests = {
  type: 'tests-pass',
  command: ['bash', 'tests/check.sh', 'two words'],
  overlay: { paths: ['tests'] },
  env: { WORD: "it's" },
  timeoutMs: 5_000,
  minTests: 0,
}

/** A dataset with an item for each of the judges. */
function dataset(judges: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const ids = Object.keys(judges)
  const items = ids.map((id) => ({ id, path: `items/${id}` }))
  return Object.fromEntries([
    ['dataset/dataset.json', JSON.stringify({ schemaVersion: 1, name: 'own data', version: '1', items })],
    ...ids.flatMap((id) => [
      [
        `dataset/items/${id}/item.json`,
        JSON.stringify({ task: `Write ${id}.`, tags: ['a'], timeoutMs: 90_000, judges: judges[id] }),
      ],
      [`dataset/items/${id}/before/kept.txt`, 'kept'],
      [`dataset/items/${id}/before/tests/check.sh`, 'exit 0\n'],
      [`dataset/items/${id}/reference/kept.txt`, 'kept'],
      [`dataset/items/${id}/reference/out.txt`, "it's\n"],
      [`dataset/items/${id}/reference/tests/check.sh`, check],
    ]),
  ])
}

/** The files below a directory, with their texts and whether they can be executed. */
function filesBelow(directory: string): Readonly<Record<string, readonly [text: string, runs: boolean]>> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(directory.length + 1), [readFileSync(path, 'utf8'), (statSync(path).mode & 0o100) !== 0]]
    }),
  )
}

const exported = (at: Project, ...argv: readonly string[]) =>
  at.jurist('export', '--format', 'harbor', '--dataset', 'dataset', '-o', 'tasks', ...argv)

describe('jurist export --format harbor', () => {
  test('writes an item as a task', async () => {
    using at = project(dataset({ 'the item': { tests } }))
    const { code, stdout } = await exported(at, '--setup', 'make deps')
    expect([code, stdout]).toEqual([0, '1 task in tasks\n'])
    const files = filesBelow(join(at.directory, 'tasks/the-item'))
    expect(Object.keys(files).sort()).toEqual([
      'environment/Dockerfile',
      'environment/workspace/kept.txt',
      'environment/workspace/tests/check.sh',
      'instruction.md',
      'solution/files/out.txt',
      'solution/solve.sh',
      'task.toml',
      'tests/files/tests/check.sh',
      'tests/test.sh',
    ])
    expect(files['instruction.md']?.[0]).toBe('Write the item.\n')
    expect(files['tests/files/tests/check.sh']?.[0]).toBe(check)
    expect([files['tests/test.sh']?.[1], files['solution/solve.sh']?.[1]]).toEqual([true, true])
    expect(files['environment/Dockerfile']?.[0]).toBe(
      'FROM debian:bookworm-slim\nWORKDIR /app\nCOPY workspace/ /app/\nRUN make deps\n',
    )
    expect(files['task.toml']?.[0]).toContain('name = "own-data/the-item"')
    expect(files['task.toml']?.[0]).toContain('[agent]\ntimeout_sec = 90\n')
    expect(files['task.toml']?.[0]).toContain('[verifier]\ntimeout_sec = 5\n')
  })

  test.skipIf(!works)('and back: instruction, tests and solution are kept, and the solution passes', async () => {
    using at = project(dataset({ first: { tests }, second: { type: 'command-succeeds', command: 'test -s out.txt' } }))
    await exported(at)
    const before = filesBelow(join(at.directory, 'tasks'))
    const made = await at.juristWith(containerProgram(at), 'import', 'harbor', 'tasks')
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('2 items of 2 tasks')])
    const { stdout } = await at.juristWith(
      containerProgram(at),
      '-c',
      'evals/jurist.config.yaml',
      'vet',
      'establish',
      '--repeat',
      '1',
    )
    for (const id of ['first', 'second']) expect(stdout).toMatch(new RegExp(`${id} +passed 1/1 +passed 0/1`))
    const again = await at.jurist('-c', 'evals/jurist.config.yaml', 'export', '--format', 'harbor', '-o', 'more')
    expect(again.code).toBe(0)
    expect(filesBelow(join(at.directory, 'more'))).toEqual(before)
  })

  test('gives back tasks that were imported as they were', async () => {
    using at = project()
    await at.juristWith(containerProgram(at), 'import', 'harbor', harborTasks, '--skip-solution')
    await at.jurist('export', '--format', 'harbor', '--dataset', 'evals/dataset', '-o', 'tasks')
    expect(filesBelow(join(at.directory, 'tasks'))).toEqual(filesBelow(harborTasks))
    writeFileSync(join(at.directory, 'evals/dataset/items/greeting/task.md'), 'Say hello.\n')
    await at.jurist('export', '--format', 'harbor', '--dataset', 'evals/dataset', '-o', 'changed')
    expect(readFileSync(join(at.directory, 'changed/greeting/instruction.md'), 'utf8')).toBe('Say hello.\n')
  })

  test('writes a commit with what it removes', async () => {
    using at = project()
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', at.directory, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], {
        encoding: 'utf8',
      }).trim()
    const commit = (message: string) => {
      git('add', '--all')
      git('commit', '--quiet', '--message', message)
      return git('rev-parse', 'HEAD')
    }
    git('init', '--quiet')
    at.write({ 'old file.txt': 'old', 'a.txt': '1', 'tests/t.sh': '' })
    const parent = commit('One')
    git('rm', '--quiet', 'old file.txt')
    at.write({ 'a.txt': '2', 'tests/t.sh': 'true' })
    const hash = commit('Two')
    const refs = {
      beforeRef: { repoPath: `file://${at.directory}`, commitHash: parent },
      referenceRef: { repoPath: `file://${at.directory}`, commitHash: hash },
    }
    const judges = { tests: { type: 'tests-pass', tool: 'npm', arguments: ['unit'], overlay: { paths: ['tests'] } } }
    at.write({
      'dataset/dataset.json': JSON.stringify({
        ...{ schemaVersion: 1, name: 'x', version: '1' },
        items: [{ id: 'c', path: 'items/c' }],
      }),
      'dataset/items/c/item.json': JSON.stringify({ task: 'Do it.', judges, ...refs }),
    })
    const { code, stderr } = await exported(at, '--image', 'org/own:1')
    expect(stderr).toBe('')
    const files = filesBelow(join(at.directory, 'tasks/c'))
    expect([code, files['solution/files/a.txt']?.[0]]).toEqual([0, '2'])
    expect(files['solution/solve.sh']?.[0]).toContain("rm -f './old file.txt'\n")
    expect(files['tests/test.sh']?.[0]).toContain('\nnpm run unit\n')
    expect(files['tests/files/tests/t.sh']?.[0]).toBe('true')
    expect(files['environment/Dockerfile']?.[0]).toContain('FROM org/own:1\n')
    expect(Object.keys(files).filter((path) => path.includes('.git'))).toEqual([])
  })

  test('leaves out what no script can judge, and says why', async () => {
    const outside = { ...tests, overlay: { paths: ['../../../../items/b/reference/out.txt'] } }
    using at = project(
      dataset({
        good: { tests: { ...tests, expect: 'lock' } },
        model: { type: 'file-exists', path: 'a' },
        two: [tests, tests],
        outside,
      }),
    )
    const { code, stdout } = await exported(at)
    expect(code).toBe(0)
    expect(stdout).toContain('1 task in tasks')
    expect(stdout).toContain('left out: model is judged by file-exists')
    expect(stdout).toContain('left out: two has 2 judges of its own')
    expect(stdout).toMatch(/left out: outside its judge tests-pass: .*\.\./)
    expect(stdout).toContain('1 item: "expect" of the judge is not exported')
    expect(readdirSync(join(at.directory, 'tasks'))).toEqual(['good'])
  })

  test('that has nothing to write writes nothing', async () => {
    using at = project(dataset({ one: { type: 'file-exists', path: 'a' } }))
    const { code, stderr } = await exported(at)
    expect([code, stderr]).toEqual([2, expect.stringContaining('No item can be exported')])
    expect(existsSync(join(at.directory, 'tasks'))).toBe(false)
    at.write({ 'tasks/mine.txt': '' })
    const again = await exported(at)
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('tasks exists already')])
  })

  test.each([
    [['export', '--format', 'harbor'], 'Name the directory to make with --output'],
    [['export', 'latest', '--format', 'harbor', '-o', 'x'], 'A dataset is exported, not a run'],
    [['export', '--format', 'harbor', '-o', 'x', '--table', 'items'], '--table selects of runs'],
    [['export', 'latest', '--dataset', 'x'], '--dataset needs --format harbor'],
    [['export', '--format', 'harbor', '-o', 'x', '--dataset', 'nowhere'], 'nowhere is missing'],
  ])('%j says: %s', async (argv, message) => {
    using at = project()
    const { code, stderr } = await at.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
