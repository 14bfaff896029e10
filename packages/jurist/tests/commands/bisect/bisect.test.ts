import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Each trial draws its own luck, so that the same trial always ends alike: a rate in `rate.mjs` decides how many pass. */
const config = `import { completed, defineConfig, fileExists } from 'jurist'
import { rate } from './rate.mjs'
let calls = 0
const lucky = (id) => { let hash = 7 + calls++; for (const one of id + calls) hash = (hash * 48271 + one.charCodeAt(0)) % 2147483647; return (hash * 16807 % 2147483647) / 2147483647 }
const agent = async ({ workspace, metadata }) => {
  if (metadata.itemId === 'stable' || lucky(metadata.itemId) < rate) await workspace.write('note.txt', 'note')
  return completed({ output: 'done', costUsd: 0.01 })
}
export default defineConfig({
  experiments: { demo: { dataset: [{ id: 'falls', task: 'Do it' }, { id: 'stable', task: 'Do it' }], agent, jury: fileExists('note.txt') } },
})
`

/** A repository with a commit for each rate; the first and the last have the tags `good` and `bad`. */
function repository(rates: readonly (number | string)[]): {
  readonly made: Project
  readonly git: (...args: string[]) => string
} {
  const made = project({ '.gitignore': 'results\nnode_modules\n', 'rate.mjs': '' })
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], {
      cwd: made.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  for (const [place, rate] of rates.entries()) {
    made.write({
      'rate.mjs': rate === 'broken' ? `throw new Error('half done')\n` : `export const rate = ${rate} // ${place}\n`,
    })
    git('add', '.gitignore', 'rate.mjs')
    git('commit', '--quiet', '-m', `commit ${place}`)
    if (place === 0) git('tag', 'good')
  }
  git('tag', 'bad')
  made.write({ 'jurist.config.ts': config })
  return { made, git }
}

test('finds the commit since which an item fails, in files of its own, and goes on from stored trials', async () => {
  const { made, git } = repository([1, 1, 1, 1, 1, 0, 0, 0, 0])
  using _made = made
  const before = git('status', '--porcelain')
  const { code, stdout, stderr } = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes')
  expect([code, stderr]).toEqual([0, expect.stringContaining('9 commits, 8 of them suspects')])
  expect(stdout).toContain(`${git('rev-parse', 'bad~3').slice(0, 7)}  commit 5`)
  expect(stdout).toMatch(/before: 2\d of 2\d trials passed/)
  expect(stdout).toMatch(/from it on: 0 of 2\d trials passed/)
  expect(git('status', '--porcelain')).toBe(before)
  expect(['.bisect', 'results/.bisect'].filter((name) => existsSync(join(made.directory, name)))).toEqual([])
  const again = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes', '--json')
  const document = JSON.parse(again.stdout)
  expect([again.code, document.status, document.trials]).toEqual([0, 'found', 0])
  expect(document.found).toEqual([git('rev-parse', 'bad~3')])
})

test('stored runs of a commit are used when they were measured alike, and none with --fresh', async () => {
  const { made, git } = repository([1, 1, 0, 0])
  using _made = made
  git('checkout', '--quiet', 'good')
  made.write({ '.gitignore': 'results\nnode_modules\njurist.config.ts\n' })
  git('commit', '--quiet', '-am', 'ignore the config')
  git('tag', 'start')
  git('cherry-pick', 'good..bad')
  git('tag', 'end')
  git('checkout', '--quiet', 'start')
  expect((await made.jurist('run', 'demo', '--repeat', '3')).code).toBe(0)
  git('checkout', '--quiet', 'main')
  const searched = async (...words: string[]) => {
    const args = ['bisect', '--good', 'start', '--bad', 'end', '--item', 'falls', '--yes', '--json', ...words]
    return JSON.parse((await made.jurist(...args)).stdout)
  }
  const first = await searched()
  expect(first).toMatchObject({ status: 'found', reused: 3 })
  made.write({
    'jurist.config.ts': config.replace("fileExists('note.txt')", "fileExists('note.txt'), itemTimeoutMs: 60_000"),
  })
  const other = await searched()
  expect(other.reused).toBe(first.trials)
  made.write({ 'jurist.config.ts': config })
  const own = first.trials + other.trials
  expect([(await searched('--fresh')).reused, (await searched()).reused]).toEqual([own, own + 3])
})

test('a prompt that files of the project hold is that of each commit, and limits hold from the first trial on', async () => {
  const { made, git } = repository([1, 1, 0, 0])
  using _made = made
  const asked = config
    .replace('async ({ workspace, metadata })', 'async ({ workspace, metadata, prompt })')
    .replace('lucky(metadata.itemId) < rate', "prompt.includes('rate 1')")
    .replace('agent, jury', "agent, prompt: 'rate ' + rate + ' {{task}}', jury")
  made.write({ 'jurist.config.ts': asked })
  const words = ['bisect', '--good', 'good', '--bad', 'bad', '--item', 'falls', '--yes', '--json']
  const limited = await made.jurist(...words, '--max-trials', '3')
  expect([limited.code, JSON.parse(limited.stdout).status, JSON.parse(limited.stdout).trials]).toEqual([
    1,
    'not-decided',
    3,
  ])
  const { stdout } = await made.jurist(...words)
  expect(JSON.parse(stdout).found).toEqual([git('rev-parse', 'bad~1')])
})

test('commits that cannot run are never blamed alone', async () => {
  const { made, git } = repository([1, 1, 'broken', 0, 0])
  using _made = made
  const { code, stdout, stderr } = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes', '--json')
  expect([code, stderr]).toEqual([0, expect.stringContaining('cannot be tried: ')])
  expect(JSON.parse(stdout).found).toEqual([git('rev-parse', 'bad~2'), git('rev-parse', 'bad~1')])
})

test('an end that cannot run ends the search, with the reason', async () => {
  const { made } = repository([1, 1, 'broken'])
  using _made = made
  made.write({ 'rate.mjs': 'export const rate = 1\n' })
  const { code, stdout } = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes')
  expect([code, stdout]).toEqual([1, expect.stringContaining('is an end and cannot be tried: ')])
})

test('what is wrong is named with what mends it, and nothing runs', async () => {
  const { made, git } = repository([1, 0])
  using _made = made
  const words = async (...args: string[]) => {
    const { code, stderr } = await made.jurist('bisect', ...args)
    return [code, stderr] as const
  }
  expect(await words()).toEqual([2, expect.stringContaining('--good v1.4')])
  expect(await words('--good', 'v9')).toEqual([
    2,
    expect.stringContaining('--good v9 is not a commit here. See the commits: git log'),
  ])
  expect(await words('--good', 'bad')).toEqual([2, expect.stringContaining('are the same commit')])
  expect(await words('--good', 'bad', '--bad', 'good')).toEqual([2, expect.stringContaining('git merge-base bad good')])
  expect(await words('--good', 'good', '--path', 'prompts')).toEqual([2, expect.stringContaining('touches prompts')])
  expect(await words('--good', 'good')).toEqual([2, expect.stringContaining('Add --yes')])
  expect(await words('--good', 'good', '--variant', 'x')).toEqual([2, expect.stringContaining('has no variants')])
  git('commit', '--quiet', '--allow-empty', '-m', 'later')
  made.write({ 'rate.mjs': 'export const rate = 0\n' })
  git('commit', '--quiet', '-am', 'lost already')
  git('tag', 'lost')
  git('commit', '--quiet', '--allow-empty', '-m', 'more')
  expect(await words('--good', 'lost', '--item', 'falls', '--yes')).toEqual([
    2,
    expect.stringContaining('Nothing to lose'),
  ])
})
