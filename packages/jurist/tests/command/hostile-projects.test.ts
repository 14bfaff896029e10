import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { project, yamlConfigOf } from '../project.js'
import { testOnce } from '../project-results.js'

const isolations = ['none', 'bubblewrap'] as const
const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )

/** Runs git as an agent, or as the author of a dataset. */
function gitIn(directory: string) {
  const me = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  return (...args: readonly string[]) => execFileSync('git', [...me, ...args], { cwd: directory, encoding: 'utf8' })
}

describe.each(isolations)('a repository whose config names programs (isolation %s)', (sandbox) => {
  const isMissing = sandbox === 'bubblewrap' && !hasBubblewrap

  test.skipIf(isMissing)('runs none of them where it is a dataset', async () => {
    using made = project({
      'jurist.config.yaml': `experiments:
  e:
    dataset: dataset
    agent: { command: ["true"] }
    jury: { type: file-exists, path: a.txt }
    sandbox: ${sandbox}
`,
      'dataset/dataset.json':
        '{ "schemaVersion": 1, "name": "d", "version": "1.0.0", "items": [{ "id": "one", "path": "one" }] }',
      'dataset/one/item.json': '{ "schemaVersion": 1, "id": "one", "slug": "one", "task": "x" }',
      'dataset/one/before/a.txt': 'a\n',
      'dataset/.gitattributes': '* filter=x\n',
    })
    const mark = join(made.directory, 'was-here')
    const git = gitIn(join(made.directory, 'dataset'))
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'x')
    git('config', 'filter.x.clean', `sh -c 'id > ${mark}; cat'`)
    made.write({ 'dataset/one/before/a.txt': 'another\n' })
    const { code, stderr } = await made.jurist('run')
    expect([code, stderr]).toEqual([0, expect.anything()])
    expect(existsSync(mark)).toBe(false)
    // The filter works: git itself runs it. `git status` need not, since the size alone tells it that the file changed.
    git('diff')
    expect(existsSync(mark)).toBe(true)
  })
})

test('nor where it is a project with a hook', async () => {
  using made = project({
    'jurist.config.yaml': 'juries:\n  done: { type: file-exists, path: README.md }\n',
    'a.txt': 'a\n',
  })
  const [home, mark] = [join(made.directory, 'home'), join(made.directory, 'was-here')]
  mkdirSync(home)
  const git = gitIn(made.directory)
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'x')
  const event = JSON.stringify({ session_id: 'S', cwd: made.directory, stop_hook_active: false })
  const tell = (moment: string) => made.juristReading(event, { HOME: home }, 'hook', moment, '--client', 'claude')
  await tell('start')
  made.write({ '.gitattributes': '* filter=x\n' })
  git('add', '.gitattributes')
  git('commit', '--quiet', '-m', 'x')
  git('config', 'filter.x.process', `sh -c 'id > ${mark}'`)
  made.write({ 'a.txt': 'another\n' })
  expect(JSON.parse((await tell('stop')).stdout)).toMatchObject({ decision: 'block' })
  expect(existsSync(mark)).toBe(false)
})

testOnce('stored files that are not read end nothing and hold nothing up', async () => {
  using made = project({ 'jurist.config.yaml': yamlConfigOf() })
  await made.jurist('run')
  await made.jurist('run')
  const [, older] = JSON.parse((await made.jurist('list', '--json')).stdout)
  const place = join(made.directory, 'results/demo', older.id)
  for (const name of ['run.json', 'items.jsonl']) {
    rmSync(join(place, name))
    execFileSync('mkfifo', [join(place, name)])
    expect((await made.jurist('list')).code).toBe(0)
    expect((await made.jurist('show', 'latest')).code).toBe(0)
  }
  const [newest] = JSON.parse((await made.jurist('list', '--json')).stdout)
  truncateSync(join(made.directory, 'results/demo', newest.id, 'items.jsonl'), 3 * 1024 ** 3)
  const shown = await made.jurist('show', 'latest')
  expect([shown.code, shown.stderr]).toEqual([2, expect.stringMatching(/larger than \d+ MB/)])
})
