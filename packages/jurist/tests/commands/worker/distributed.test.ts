import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres, password } from '../../../../../tests/postgres/server.js'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const postgres = fileURLToPath(new URL('../../../../distributed/dist/postgres/index.js', import.meta.url))

/** Each call of the agent leaves a line. Item `f` waits while there is a file `slow`. */
const config = `import { completed, defineConfig, fileContent, fileExists, jury } from 'jurist'
import { appendFileSync, existsSync } from 'node:fs'
const agent = async ({ workspace, metadata, record, signal }) => {
  appendFileSync('calls', metadata.itemId + '\\n')
  record({ type: 'custom', name: 'wrote', data: { path: 'note.txt' } })
  await workspace.write('note.txt', 'note of ' + metadata.itemId + '\\n')
  while (metadata.itemId === 'f' && existsSync('slow') && !signal.aborted) await new Promise((done) => setTimeout(done, 20))
  return completed({ output: metadata.itemId, costUsd: 0.01 })
}
const note = jury({ judges: { there: fileExists('note.txt'), early: fileContent('note.txt', { matches: 'note of [a-d]' }) } })
export default defineConfig({
  experiments: {
    demo: { dataset: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, task: 'Do ' + id })), agent, jury: note, concurrency: 2 },
    both: { dataset: [{ id: 'a', task: 'Do a' }, { id: 'e', task: 'Do e' }], agent, jury: note, variants: { one: {}, two: {} } },
  },
})
`

const calls = (...made: readonly Project[]) =>
  made.flatMap(({ directory }) => {
    try {
      return readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n')
    } catch {
      return []
    }
  })

/** Waits until the last item has begun and the others are stored: a worker may store five before it leases the sixth. */
async function onlyLastIsLeft(run: ReturnType<Project['start']>, worker: Project): Promise<void> {
  await run.said('[5/6]')
  while (!calls(worker).includes('f')) await setTimeout(20)
}

/** Some projects that are alike, as on several machines, and a database. */
async function machines(count: number, files: Readonly<Record<string, string>> = {}) {
  const address = await newDatabase()
  const made = Array.from({ length: count }, () => project({ 'jurist.config.ts': config, ...files }))
  return {
    made,
    env: { JURIST_RESULTS: address },
    [Symbol.dispose]() {
      for (const one of made) one[Symbol.dispose]()
    },
  }
}

describe('jurist run --distributed', () => {
  test.skipIf(onPostgres)('needs a store with a queue', async () => {
    using made = project({ 'jurist.config.ts': config })
    for (const words of [['run', 'demo', '--distributed'], ['worker'], ['worker', 'list']]) {
      const { code, stderr } = await made.jurist(...words)
      expect(code).toBe(2)
      expect(stderr).toContain('Keep the results in PostgreSQL: --results postgres://user@host/database')
    }
  })

  test('names flags that need it, and those that exclude it', async () => {
    using made = project({ 'jurist.config.ts': config })
    const { code, stderr } = await made.jurist('run', 'demo', '--detach', '--labels', 'gpu', '--any-commit')
    expect(code).toBe(2)
    for (const flag of ['--detach', '--labels', '--any-commit'])
      expect(stderr).toContain(`${flag} needs --distributed.`)
    const other = await made.jurist('run', 'demo', '--distributed', '--watch', '--cache', '--order', 'item')
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('Use --watch or --distributed, not both.')
    expect(other.stderr).toContain('Give --cache to jurist worker.')
    expect(other.stderr).toContain('Remove --order.')
    const wrong = await made.jurist('worker', '--labels', 'g p u')
    expect(wrong.stderr).toContain('--labels takes labels with commas between them, such as docker,gpu (got "g p u").')
    const unwritable = await made.jurist('worker', '--alive-file', 'absent/alive')
    expect([unwritable.code, unwritable.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^--alive-file absent\/alive cannot be written: .* Name a file in a directory that exists\.$/m,
      ),
    ])
  })
})

describe.skipIf(noPostgres !== undefined)('workers on one database (needs PostgreSQL)', () => {
  test('run each trial once; the run is like one of a single process', async () => {
    using at = await machines(3)
    const [first, second, submitter] = at.made as [Project, Project, Project]
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed', '--repeat', '3')
    await run.said('18 trials')
    const workers = [first, second].map((one) => one.startWith(at.env, 'worker', '-j', '2', '--exit-when-idle'))
    const { code, stdout, stderr } = await run.ended
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).toContain('12 of 18 decided')
    for (const worker of workers) {
      const ended = await worker.ended
      expect(ended.code).toBe(0)
      expect(ended.stdout).toContain('joins run')
      expect(ended.stdout).toMatch(/ pass in /)
    }
    expect(calls(first, second)).toHaveLength(18)
    expect(calls(submitter)).toEqual([])
    const shown = await submitter.juristWith(at.env, 'show', 'latest', 'e', '--diff')
    expect(shown.stdout).toContain('note of e')
    const journal = await submitter.juristWith(at.env, 'show', 'latest', 'e', '--journal')
    expect(journal.stdout).toContain('wrote')
    const idle = await submitter.juristWith(at.env, 'worker', 'list')
    expect(idle.stderr).toContain('No worker and no distributed run')
    expect(stdout + stderr + shown.stdout).not.toContain(password)
  })

  test('a worker that would run something else takes no trial, and everybody says why', async () => {
    using at = await machines(2)
    const [submitter, other] = at.made as [Project, Project]
    other.write({ 'jurist.config.ts': config.replace('[a-d]', '[a-e]') })
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed')
    const unfit = other.startWith(at.env, 'worker')
    await run.said('1 worker is waiting, but none can run these trials. This worker does not fit run')
    const seen = await submitter.juristWith(at.env, 'worker', 'list')
    expect(seen.stdout).toMatch(
      /no trial of \S+\. This worker does not fit run \S+: jury is \w{8}… in the run and \w{8}… here\./,
    )
    unfit.child.kill('SIGTERM')
    expect((await unfit.ended).code).toBe(0)
    expect(calls(other)).toEqual([])
    const fit = await submitter.juristWith(at.env, 'worker', '--exit-when-idle')
    expect(fit.code).toBe(0)
    expect((await run.ended).stdout).toContain('4 of 6 decided')
  })

  test('a run that needs a label waits for a worker that offers it', async () => {
    using at = await machines(2)
    const [submitter, other] = at.made as [Project, Project]
    const planned = await submitter.juristWith(
      at.env,
      'run',
      'demo',
      '--distributed',
      '--detach',
      '--labels',
      'docker,gpu',
    )
    expect(planned.code).toBe(0)
    const id = planned.stdout.trim()
    expect(planned.stderr).toContain(`6 trials are planned in`)
    const without = await other.juristWith(at.env, 'worker', '--labels', 'docker', '--exit-when-idle')
    expect(without.stdout).toContain(`takes no trial of run ${id}. It needs gpu: start the worker with --labels gpu.`)
    expect((await submitter.juristWith(at.env, 'list')).stdout).toContain('running')
    const following = submitter.startWith(at.env, 'run', 'demo', '--distributed', '--resume', id)
    await following.said('6 trials')
    const alive = ['--alive-file', 'alive']
    await other.juristWith(at.env, 'worker', '--labels', 'docker', '--labels', 'gpu', '--exit-when-idle', ...alive)
    expect(existsSync(join(other.directory, 'alive'))).toBe(true)
    const followed = await following.ended
    expect(followed.stdout).toContain('4 of 6 decided')
    expect(followed.stderr).not.toContain('nothing to resume')
    expect(calls(other)).toHaveLength(6)
  })

  test('the page names the trials that workers run', async () => {
    using at = await machines(2, { slow: '' })
    const [submitter, other] = at.made as [Project, Project]
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed')
    await run.said('6 trials')
    const worker = other.startWith(at.env, 'worker', '--exit-when-idle')
    await onlyLastIsLeft(run, other)
    const env = { ...at.env, XDG_STATE_HOME: join(submitter.directory, 'state') }
    const [{ id }] = JSON.parse((await submitter.juristWith(at.env, 'list', '--json')).stdout)
    const view = submitter.startWith(env, 'view')
    const url = await new Promise<URL>((resolve, reject) => {
      view.child.stdout?.once('data', (text) => resolve(new URL(String(text).trim())))
      void view.ended.then(({ stderr }) => reject(new Error(stderr)))
    })
    const headers = { 'x-jurist-token': url.searchParams.get('token') ?? '' }
    const answered = await fetch(new URL(`/api/runs/${id}/unfinished`, url), { headers })
    expect(await answered.json()).toEqual({
      trials: [{ itemId: 'f', repetition: 1, worker: expect.stringContaining(`-${worker.child.pid}-`) }],
    })
    const seen = await submitter.juristWith(at.env, 'worker', 'list', 'demo')
    expect(seen.stdout).toMatch(/f#1 \(\d/)
    view.child.kill('SIGINT')
    await view.ended
    rmSync(join(other.directory, 'slow'))
    expect((await run.ended).code).toBe(0)
    expect((await worker.ended).code).toBe(0)
  })

  test('SIGTERM gives trials back: another worker runs them, and no worker counts as lost', async () => {
    using at = await machines(3, { slow: '' })
    const [submitter, first, second] = at.made as [Project, Project, Project]
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed')
    const stopped = first.startWith(at.env, 'worker')
    await onlyLastIsLeft(run, first)
    stopped.child.kill('SIGTERM')
    const ended = await stopped.ended
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('f#1 ended without a result. The worker is stopped.')
    expect(ended.stderr).toContain('5 trials stored, 1 given back')
    second.write({ go: '' })
    rmSync(join(second.directory, 'slow'))
    await second.juristWith(at.env, 'worker', '--exit-when-idle')
    expect((await run.ended).code).toBe(0)
    const trial = JSON.parse((await submitter.juristWith(at.env, 'show', 'latest', 'f', '--json')).stdout)
    expect(JSON.stringify(trial)).not.toContain('worker-lost')
  })

  test('a worker that is killed loses its trial to another one', async () => {
    using at = await machines(3, { slow: '' })
    const [submitter, first, second] = at.made as [Project, Project, Project]
    const quick = `store: () => postgresStore(process.env.DATABASE, { heartbeatMs: 10_000 }),\n  experiments`
    const own = `import { postgresStore } from '${postgres}'\n${config.replace('experiments', quick)}`
    for (const one of at.made) one.write({ 'jurist.config.ts': own })
    const env = { DATABASE: at.env.JURIST_RESULTS }
    const run = submitter.startWith(env, 'run', 'demo', '--distributed')
    const killed = first.startWith(env, 'worker')
    await onlyLastIsLeft(run, first)
    killed.child.kill('SIGKILL')
    await killed.ended
    rmSync(join(second.directory, 'slow'))
    const other = await second.juristWith(env, 'worker', '--exit-when-idle')
    expect(other.stdout + other.stderr).toContain('f#1 starts, after 1 lost worker')
    expect((await run.ended).stdout).toContain('4 of 6 decided')
    const shown = await submitter.juristWith(env, 'show', 'latest', 'f')
    expect(shown.stdout).toMatch(/The worker \S+ was lost while it ran the trial/)
    expect(calls(first, second).filter((id) => id === 'f')).toHaveLength(2)
  })

  test('Ctrl-C ends the run on all workers; --resume completes it', async () => {
    using at = await machines(2, { slow: '' })
    const [submitter, other] = at.made as [Project, Project]
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed')
    const worker = other.startWith(at.env, 'worker')
    await onlyLastIsLeft(run, other)
    run.child.kill('SIGINT')
    const { code, stderr } = await run.ended
    expect(code).toBe(130)
    expect(stderr).toContain('5 of 6 trials are stored')
    rmSync(join(other.directory, 'slow'))
    const resumed = await submitter.juristWith(at.env, 'run', 'demo', '--distributed', '--resume')
    expect(resumed.stdout).toContain('4 of 6 decided')
    worker.child.kill('SIGINT')
    expect((await worker.ended).code).toBe(0)
    expect(calls(other).filter((id) => id === 'f')).toHaveLength(2)
  })

  test('with durations of an earlier run the longest trials start first', async () => {
    using at = await machines(2, { 'durations.json': JSON.stringify({ e: 90_000, c: 60_000, f: 10, a: 20 }) })
    const [submitter, other] = at.made as [Project, Project]
    const words = ['run', 'demo', '--distributed', '--detach', '--durations']
    expect((await submitter.juristWith(at.env, ...words, 'durations.json')).code).toBe(0)
    await other.juristWith(at.env, 'worker', '-j', '1', '--exit-when-idle')
    // The others take the median.
    expect(calls(other)).toEqual(['e', 'c', 'b', 'd', 'a', 'f'])
    const wrong = await submitter.juristWith(at.env, ...words, 'none.json')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('none.json cannot be read') })
    // What this run has measured is used by the next one, without a file.
    const next = await submitter.juristWith(at.env, 'run', 'demo', '--distributed', '--detach')
    expect(next.stdout + next.stderr).toMatch(/6 trials; the longest first, as run \S+ has measured them/)
  })

  test('a budget counts over all workers', async () => {
    using at = await machines(2)
    const [submitter, other] = at.made as [Project, Project]
    const run = submitter.startWith(at.env, 'run', 'demo', '--distributed', '--budget', '0.03', '--repeat', '10')
    await run.said('60 trials')
    await other.juristWith(at.env, 'worker', '-j', '1', '--exit-when-idle')
    const { stderr } = await run.ended
    expect(stderr).toMatch(/stopping: the budget .*is used up/)
    expect(calls(other)).toHaveLength(3)
  })

  test('a session of variants is distributed as a whole', async () => {
    using at = await machines(2)
    const [submitter, other] = at.made as [Project, Project]
    const run = submitter.startWith(at.env, 'run', 'both', '--distributed')
    await run.said('two run')
    await other.juristWith(at.env, 'worker', 'both', '--exit-when-idle')
    const { code, stdout } = await run.ended
    expect(code).toBe(0)
    expect(stdout).toContain('two')
    expect(calls(other).sort()).toEqual(['a', 'a', 'e', 'e'])
    expect((await submitter.juristWith(at.env, 'list', '--sessions')).stdout).toContain('completed')
  })
})
