import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { config, repository } from './repository.js'

const commandFile = fileURLToPath(new URL('../../../dist/command/main.js', import.meta.url))

test('finds the commit since which an item fails, in files of its own, and goes on from stored trials', async () => {
  const { made, git } = repository([1, 1, 1, 1, 1, 0, 0, 0, 0])
  using _made = made
  const before = git('status', '--porcelain')
  const { code, stdout, stderr } = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes')
  expect([code, stderr]).toEqual([0, expect.stringContaining('9 commits, 8 of them suspects')])
  const shares = [...stderr.matchAll(/^\d+ trials: \w{7} .+ %, no loss .+ %; 95 % on (\d+) commits? {2}[▁-█]{8}$/gm)]
  expect(shares.length).toBeGreaterThan(1)
  expect(Number(shares[0]?.[1])).toBeGreaterThan(1)
  expect(stdout).toMatch(/posterior: \w{7} .* %, no loss .* %; 95 % on 1 commit {2}▁▁▁▁█▁▁▁\n/)
  expect(stdout).toContain(`${git('rev-parse', 'bad~3').slice(0, 7)}  commit 5`)
  expect(stdout).toMatch(/before: 2\d of 2\d trials passed/)
  expect(stdout).toMatch(/from it on: 0 of 2\d trials passed/)
  expect(git('status', '--porcelain')).toBe(before)
  expect(['.bisect', 'results/.bisect'].filter((name) => existsSync(join(made.directory, name)))).toEqual([])
  const [, one = '', other = ''] = /Check it: {2}jurist compare (\S+) (\S+)/.exec(stdout) ?? []
  const check = await made.jurist('compare', one, other, '--json')
  expect(JSON.parse(check.stdout).items).toMatchObject([{ itemId: 'falls', change: 'regressed' }])
  const again = await made.jurist('bisect', '--good', 'good', '--bad', 'bad', '--yes', '--json')
  const document = JSON.parse(again.stdout)
  expect([again.code, document.status, document.trials]).toEqual([0, 'found', 0])
  expect(document.found).toEqual([git('rev-parse', 'bad~3')])
  expect(document.commits[5].runs).toContain(other)
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
  expect(['.bisect', 'results'].filter((name) => existsSync(join(made.directory, name)))).toEqual([])
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

test('a score decides what passes, and one that no trial has is named', async () => {
  const { made, git } = repository([1, 1, 0.4, 0.4])
  using _made = made
  made.write({
    'jurist.config.ts': config
      .replace('defineConfig, fileExists', 'defineConfig, jury, pass, numerical')
      .replace(
        "fileExists('note.txt')",
        "jury({ judges: { clear: ({ agentOutput }) => pass('', { score: numerical(Number(agentOutput.text)) }) } })",
      )
      .replace("output: 'done'", 'output: String(rate)'),
  })
  const words = ['bisect', '--good', 'good', '--bad', 'bad', '--item', 'falls', '--yes', '--json']
  const verdicts = await made.jurist(...words)
  expect(JSON.parse(verdicts.stdout).status).not.toBe('found')
  const { stdout } = await made.jurist(...words, '--score', 'clear=0.7')
  expect(JSON.parse(stdout).found).toEqual([git('rev-parse', 'bad~1')])
  const unknown = await made.jurist(...words, '--score', 'clean=0.7')
  expect([unknown.code, JSON.parse(unknown.stdout).why]).toEqual([
    1,
    expect.stringContaining('no trial has the score clean, but clear'),
  ])
})

test('reports ends that pass as often, and asks a person whether to go on', async () => {
  const { made } = repository([0.8, 0.8])
  using _made = made
  const words = ['bisect', '--good', 'good', '--bad', 'bad', '--item', 'falls']
  const limits = ['--concurrency', '40', '--posterior', '99.99%']
  const alone = await made.jurist(...words, ...limits, '--yes')
  expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('both ends pass about as often')])
  expect(alone.stdout).toMatch(/at good: \d+ of \d+ trials passed.*\n.*at bad: \d+ of \d+ trials passed/)
  expect(alone.stdout).toContain('Name other ends')
  const command = [process.execPath, commandFile, ...words, ...limits].map((word) => `'${word}'`).join(' ')
  // A terminal of its own, in which one key is pressed for each question.
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: made.directory,
    env: { ...process.env, TERM: 'xterm', CI: '' },
  })
  let shown = ''
  let asked = 0
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text
    const questions = shown.split('[y/N]').length - 1
    for (; asked < questions; asked += 1) child.stdin.write(asked === 0 ? 'y' : 'n')
  })
  const [code] = await once(child, 'close')
  expect([code, asked, shown]).toEqual([
    1,
    2,
    expect.stringMatching(/The search is not decided: both ends pass about as often. Go on\?/),
  ])
})

test('of more than 2,000 commits every 16th is tried first', async () => {
  const { made, git } = repository([1])
  using _made = made
  const [commits, broken] = [2_050, 1_234]
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const history = Array.from({ length: commits }, (_, place) => {
    const file = `export const rate = ${place + 1 < broken ? 1 : 0} // ${place}\n`
    const from = place === 0 ? 'from refs/heads/main^0\n' : ''
    return `commit refs/heads/main\ncommitter Ana <ana@example.org> 0 +0000\n${data(`commit ${place + 1}`)}${from}M 644 inline rate.mjs\n${data(file)}`
  })
  execFileSync('git', ['fast-import', '--quiet'], { cwd: made.directory, input: history.join('') })
  git('reset', '--quiet', '--hard', 'main')
  const words = ['bisect', '--good', 'good', '--item', 'falls', '--posterior', '80%', '--yes', '--json']
  const { stdout, stderr } = await made.jurist(...words)
  expect(stderr).toContain('2051 commits, 2050 of them suspects')
  const { found, commits: known } = JSON.parse(stdout)
  expect(found).toEqual([git('rev-parse', `main~${commits - broken}`)])
  const tried = known.flatMap(({ trials }: { readonly trials: number }, place: number) => (trials > 0 ? [place] : []))
  const between = tried.filter((place: number) => place % 16 !== 0 && place !== commits)
  expect(between.filter((place: number) => Math.abs(place - broken) > 16)).toEqual([])
  expect(between).toContain(broken)
  expect(tried.length).toBeLessThan(40)
})
