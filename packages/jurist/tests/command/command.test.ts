import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configOf, project, yamlConfigOf } from '../project.js'
import { onPostgres, testOnce } from '../project-results.js'

const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

describe.concurrent('the command', () => {
  testOnce('--version prints the version of the package', async () => {
    using empty = project()
    expect(await empty.jurist('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  testOnce('--help lists what this version has, and no reserved name', async () => {
    using empty = project()
    const { code, stdout } = await empty.jurist('--help')
    expect(code).toBe(0)
    for (const name of ['init', 'run', 'list', 'show', 'judge', 'validate']) expect(stdout).toContain(`  ${name} `)
  })

  testOnce.each(['run', 'judge', 'export'])('help of %s shows its flags and examples', async (name) => {
    using empty = project()
    const { code, stdout } = await empty.jurist(name, '--help')
    expect(code).toBe(0)
    expect(stdout.split('Examples:')[1]?.trim().split('\n').length).toBeGreaterThanOrEqual(2)
    expect(stdout).toMatch(/^Global options:\n {2}-C, --cwd <dir> [\s\S]*-c, --config <file> [\s\S]*--json /m)
  })

  testOnce.each([
    ['npm/11.19.1 node/v20.20.2 linux x64', 'npx jurist'],
    ['pnpm/10.34.9 npm/? node/v20.20.2 linux x64', 'pnpm exec jurist'],
    ['', 'jurist'],
  ])('started by "%s", it proposes commands that begin with: %s', async (agent, words) => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    const jurist = (...argv: readonly string[]) => made.juristWith({ npm_config_user_agent: agent }, ...argv)
    expect((await jurist('rnu')).stderr).toContain(` All commands: ${words} --help\n`)
    expect((await jurist('show', 'latest')).stderr).toMatch(new RegExp(`^No run in .* Make one: ${words} run\n`))
    expect((await jurist('-C', '.', 'run')).stdout).toContain(`  Look closer:  ${words} -C . show 2`)
    expect((await jurist('-C', '.', 'show', 'nope')).stderr).toContain(` All: ${words} -C . list\n`)
    expect((await jurist('list', '--results=none')).stderr).toContain(` Make one: ${words} --results none run\n`)
    expect((await jurist('run', '--results', '.', '--resume', 'a.tgz')).stderr).toContain(
      ` Extract it first: ${words} --results . store bundle --extract a.tgz\n`,
    )
    expect((await jurist('show', '--help')).stdout).toContain('\n  jurist show latest')
  })

  testOnce('an unknown command and flag are refused with the nearest', async () => {
    using empty = project()
    const { code, stderr } = await empty.jurist('rnu')
    expect(code).toBe(2)
    expect(stderr).toContain('Unknown command "rnu". Did you mean "run"? All commands: jurist --help')
    const flag = await empty.jurist('run', '--repaet', '2')
    expect(flag.code).toBe(2)
    expect(flag.stderr).toContain('--repeat')
  })
})

describe.concurrent('init', () => {
  testOnce.each(['minimal', 'agent', 'jury', 'yaml'])('makes a %s project that runs immediately', async (template) => {
    using made = project()
    expect((await made.jurist('init', 'demo', '--template', template)).code).toBe(0)
    const dry = await made.jurist('run', '-C', 'demo', '--dry-run')
    expect(dry).toMatchObject({ code: 0 })
    expect(existsSync(join(made.directory, 'demo/results'))).toBe(false)
    const { code, stdout } = await made.jurist('run', '-C', 'demo')
    expect(code).toBe(0)
    expect(stdout).toMatch(template === 'agent' ? /agent +2\/2 +100\.0 %/ : /of \d decided +100\.0 %/)
  })

  testOnce('refuses to overwrite, and says what is there', async () => {
    using made = project({ 'jurist.config.ts': 'mine' })
    const { code, stderr } = await made.jurist('init')
    expect(code).toBe(2)
    expect(stderr).toContain('jurist.config.ts')
    expect(readdirSync(made.directory)).toEqual(['jurist.config.ts'])
    expect((await made.jurist('init', '--force')).code).toBe(0)
  })

  test('--resume says when there is nothing to go on with', async () => {
    using made = project()
    await made.jurist('init')
    expect((await made.jurist('run')).stderr).not.toContain('nothing is unfinished')
    const { code, stderr } = await made.jurist('run', '--resume')
    expect([code, stderr]).toEqual([0, expect.stringContaining('add-readme: nothing is unfinished')])
  })

  testOnce('YAML may name agents, votes and juries once and use them', async () => {
    const config = (agent: string) => `
agents: { echo: { command: [echo, "yes"] } }
votes: { careful: { type: consensus, onError: propagate } }
juries: { says: { judges: { yes: { type: output-text, contains: "yes" } }, vote: { use: careful } } }
experiments:
  demo:
    dataset: [{ id: one, task: Say yes. }]
    agent: { use: ${agent} }
    jury: { use: says }
    variants: { same: { agent: { use: echo } } }
`
    using made = project({ 'jurist.config.yaml': config('echo') })
    expect((await made.jurist('run')).stdout).toMatch(/1 of 1 decided +100\.0 %/)
    made.write({ 'jurist.config.yaml': config('ekko') })
    const { code, stderr } = await made.jurist('run')
    expect([code, stderr]).toEqual([2, expect.stringContaining('unknown agent "ekko". Did you mean "echo"?')])
  })

  testOnce('--schema writes a schema that allows the YAML of the template', async () => {
    using made = project()
    await made.jurist('init', '--template', 'yaml', '--schema')
    const schema = JSON.parse(readFileSync(join(made.directory, 'jurist.schema.json'), 'utf8'))
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['experiments', 'juries', 'thresholds']))
  })
})

describe.concurrent('exit codes of run', () => {
  testOnce('0: done, and good enough', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    const { code, stdout } = await made.jurist('run', '--threshold', '100%')
    expect(code).toBe(0)
    expect(stdout).toContain('2 of 2 decided  100.0 %')
  })

  testOnce('1: a threshold missed, a line for each', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: '{ judges: { no: () => false } }' }) })
    const { code, stderr } = await made.jurist('run', '--threshold', '0.8', '--score', 'no=.5', '--max-cost', '0.001')
    expect(code).toBe(1)
    expect(stderr).toContain('pass rate of decided trials 0.0 %, 80.0 % wanted')
    expect(stderr).toContain('mean score of no 0.0 %, 50.0 % wanted')
    expect(stderr).toMatch(/cost unknown.* at most \$0\.001 wanted/)
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('exit code 1')
  })

  testOnce('1: nothing decided is never good enough', async () => {
    const judges = "{ judges: { unsure: () => abstain('nothing to look at') } }"
    using made = project({ 'jurist.config.ts': configOf({ jury: judges }) })
    const { code, stderr, stdout } = await made.jurist('run')
    expect(code).toBe(1)
    expect(stderr).toContain('nothing was decided: 2 undecided')
    expect(stdout).toContain('abstain 2')
  })

  testOnce('1: also where a config wants nothing decided', async () => {
    const judges = "{ judges: { unsure: () => abstain('nothing to look at') } }"
    const config = configOf({ jury: judges }).replace(/\}\)\n$/, '  thresholds: { minimumDecided: 0 },\n})\n')
    using made = project({ 'jurist.config.ts': config })
    const { code, stderr } = await made.jurist('run')
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing was decided: 2 undecided')])
  })

  testOnce('1: a budget or a bail ended it, and how many trials are missing', async () => {
    using made = project({ 'jurist.config.ts': configOf({ jury: '{ judges: { no: () => false } }' }) })
    const { code, stderr } = await made.jurist('run', '--bail', '-j', '1')
    expect([code, stderr]).toEqual([1, expect.stringContaining('stopped early (bail): 1 trial was not run')])
  })

  test('130: interrupted; --resume runs every trial exactly once', async () => {
    const agent = `async ({ metadata, signal }) => {
      const { appendFileSync, existsSync } = await import('node:fs')
      if (metadata.itemId === 'two' && !existsSync('go')) {
        console.error('WAITING')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return { status: 'cancelled' }
      }
      appendFileSync('calls', metadata.itemId + '\\n')
      return { status: 'completed', output: { type: 'text', text: 'yes' } }
    }`
    using made = project({ 'jurist.config.ts': configOf({ agent, rest: 'concurrency: 1,' }) })
    const { child, ended, said } = made.start('run')
    await said('WAITING')
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    const [, resume = ''] = /Resume with: {2}jurist (run demo --resume \S+)/.exec(stderr) ?? []
    expect(resume).not.toBe('')
    expect(stderr).toContain('1 of 2 trials are stored.')
    made.write({ go: '' })
    const resumed = await made.jurist(...resume.split(' '))
    expect(resumed.code).toBe(0)
    expect(resumed.stdout).toContain('2 of 2 decided')
    expect(readFileSync(join(made.directory, 'calls'), 'utf8')).toBe('one\ntwo\n')
  })
})

describe.concurrent('two together', () => {
  const waiting = `() => {
    console.error('WAITING')
    return new Promise(() => {})
  }`

  test('a run that is being written is shown as such, and refused to a second writer; a second Ctrl-C exits immediately', async () => {
    using made = project({ 'jurist.config.ts': configOf({ agent: waiting }) })
    const { child, ended, said } = made.start('run')
    await said('WAITING')
    const shown = await made.jurist('show', 'latest')
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.stdout).toContain(onPostgres ? 'still running' : `still running (pid ${child.pid} on `)
    const [id = ''] = shown.stdout.match(/\d{8}T\d{9}Z-\w{6}/) ?? []
    const second = await made.jurist('run', '--resume', id)
    expect(second.code).toBe(2)
    expect(second.stderr).toContain(String(child.pid))
    child.kill('SIGINT')
    await said('press again')
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(130)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('jurist: interrupted (exit code 130)')
  })
})

describe.concurrent('--json', () => {
  const json = (text: string) => JSON.parse(text) as Record<string, unknown>

  test('is one document on stdout, whatever happens', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    expect(json((await made.jurist('run', '--dry-run', '--json')).stdout)).toHaveProperty('plans')
    expect(json((await made.jurist('run', '--json')).stdout)).toHaveProperty('results.0.counts.passes', 2)
    expect(json((await made.jurist('show', '--json')).stdout)).toHaveProperty('passCount', 2)
    expect(json((await made.jurist('show', 'latest', 'one', '--json')).stdout)).toHaveProperty('itemId', 'one')
    expect(json((await made.jurist('list', '--json')).stdout)).toHaveProperty('0.experimentName', 'demo')
    expect(json((await made.jurist('validate', '--json')).stdout)).toHaveProperty('errors', 0)
    const judged = await made.jurist('judge', '.', '--judge', '{"type":"file-exists","path":"nope"}', '--json')
    expect(judged.code).toBe(1)
    expect(json(judged.stdout)).toHaveProperty('aggregated.status', 'fail')
  })

  testOnce.each([
    ['rnu'],
    ['run', 'nope'],
    ['run', '-j', '0'],
    ['show', 'nope'],
    ['judge', 'nope', '--jury', 'x'],
    ['export', 'nope'],
    ['compare', 'nope', 'nope'],
    ['store', 'bundle'],
    ['calibrate', 'nope'],
  ])('after the error of %s %s', async (...argv) => {
    using made = project({ 'jurist.config.yaml': yamlConfigOf() })
    const { code, stdout } = await made.jurist(...argv, '--json')
    expect(code).toBe(2)
    expect(json(stdout)).toMatchObject({ error: { code: 'usage-invalid', message: expect.any(String) } })
  })
})

describe.concurrent('the store', () => {
  test.skipIf(onPostgres)('a file in the place of the results directory is refused before anything runs', async () => {
    using made = project({ 'jurist.config.ts': configOf({}), results: 'a file' })
    const { code, stderr } = await made.jurist('run')
    expect(code).toBe(2)
    expect(stderr).toContain('is a file, and results need a directory')
  })

  test.skipIf(process.getuid?.() === 0)('so is one that cannot be written (root may write anything)', async () => {
    using made = project({ 'jurist.config.ts': configOf({}), 'results/keep': '' })
    chmodSync(join(made.directory, 'results'), 0o500)
    const { code, stderr } = await made.jurist('run')
    chmodSync(join(made.directory, 'results'), 0o700)
    expect(code).toBe(2)
    expect(stderr).toContain('cannot be written')
  })

  test.skipIf(onPostgres)('a run of a newer version is refused with what to do', async () => {
    using made = project({ 'jurist.config.ts': configOf({}) })
    await made.jurist('run')
    const id = (await made.jurist('list', '--json')).stdout.match(/\d{8}T\d{9}Z-\w{6}/)?.[0] ?? ''
    const file = join('results', 'demo', id, 'run.json')
    const head = JSON.parse(readFileSync(join(made.directory, file), 'utf8'))
    made.write({ [file]: JSON.stringify({ ...head, schemaVersion: 2 }) })
    const { code, stderr } = await made.jurist('show', id)
    expect(code).toBe(2)
    expect(stderr).toMatch(/schema ?[vV]ersion 2/)
  })
})
