import { chmodSync, existsSync, readFileSync, readlinkSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDataset } from '@jurist/experiment'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Project, project } from '../../../jurist/tests/project.js'
import { containerProgram } from './container-program.js'

const tasks = fileURLToPath(new URL('../harbor-tasks', import.meta.url))
const ids = ['count-lines', 'greeting', 'repair-script', 'sorted-numbers', 'two-halves']
const works = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const jurist = (at: Project, ...argv: readonly string[]) => at.juristWith(containerProgram(at), ...argv)

/** The smallest task. */
const small = {
  'task/task.toml': 'schema_version = "1.4"\n',
  'task/instruction.md': 'Make /app/done.\n',
  'task/environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /app\n',
  'task/tests/test.sh': 'if [ -e done ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n',
}

/** What a verifier judged. */
interface Verified {
  readonly status: string
  readonly score?: { readonly value: number }
  readonly failure?: { readonly code: string; readonly message: string }
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[]
}

/** The part of a stored verdict that holds the judgment of the verifier. */
interface StoredVerdict {
  readonly subVerdicts: { readonly item: { readonly individual: { readonly verifier: Verified } } }
}

/** Lets an agent, a shell line, work on the imported tasks. Returns what their verifiers judged. */
async function verified(at: Project, agent: string): Promise<Readonly<Record<string, Verified>>> {
  const config = join(at.directory, 'evals', 'jurist.config.yaml')
  const command = `agent: { command: [bash, -c, ${JSON.stringify(agent)}], stdin: none }`
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(/agent: .*/, () => command),
  )
  const { stdout } = await jurist(at, '-c', 'evals/jurist.config.yaml', 'run', '--json')
  const { items } = JSON.parse(stdout).results[0]
  return Object.fromEntries(
    items.map((item: { readonly itemId: string; readonly verdict: StoredVerdict }) => [
      item.itemId,
      item.verdict.subVerdicts.item.individual.verifier,
    ]),
  )
}

const read = (at: Project, path: string) => readFileSync(join(at.directory, path), 'utf8')
const item = (at: Project, id: string) => JSON.parse(read(at, `evals/dataset/items/${id}/item.json`))

describe.skipIf(!works)('tasks of Harbor (skipped where bubblewrap does not work)', () => {
  test('become items that their solutions pass and nothing does', async () => {
    using at = project()
    const made = await jurist(at, 'import', 'harbor', tasks)
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('5 items of 5 tasks in evals/dataset')])
    const { code, stdout } = await jurist(at, '-c', 'evals/jurist.config.yaml', 'vet', 'establish', '--repeat', '1')
    for (const id of ids) expect(stdout).toMatch(new RegExp(`${id} +passed 1/1 +passed 0/1`))
    expect(code).toBe(0)
  })

  test('are judged by their rewards alone', async () => {
    using at = project()
    await jurist(at, 'import', 'harbor', tasks, '--skip-solution')
    const forged = 'mkdir -p logs/verifier && echo 1 > logs/verifier/reward.txt && ! ls /tests /solution /logs'
    const work =
      'echo left > /app/left.txt; echo many > count.txt; [ -e numbers.txt ] && sort -n numbers.txt > sorted.txt'
    const judged = await verified(at, `${work}; ${forged}`)
    const [count, repair] = [judged['count-lines'], judged['repair-script']]
    expect(judged['two-halves']).toMatchObject({ status: 'fail', score: { value: 0.5 } })
    // The verifier of this one ends with 3.
    expect(judged['sorted-numbers']).toMatchObject({ status: 'pass', score: { value: 1 }, metadata: { exitCode: 3 } })
    expect(judged['greeting']).toMatchObject({ status: 'fail', score: { value: 0 } })
    expect([count?.status, count?.failure?.code, count?.score]).toEqual(['error', 'reward-missing', undefined])
    expect(repair?.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['sum', false],
      ['clean', true],
    ])
    expect(repair?.score?.value).toBe(0.5)
  })

  test('and importing them twice changes nothing', async () => {
    using at = project()
    await jurist(at, 'import', 'harbor', tasks, '--skip-solution')
    const before = read(at, 'evals/dataset/items/greeting/item.json')
    const again = await jurist(at, 'import', 'harbor', tasks)
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('evals exists already')])
    expect(read(at, 'evals/dataset/items/greeting/item.json')).toBe(before)
    await jurist(at, 'import', 'harbor', tasks, '--skip-solution', '--out', 'other')
    expect(read(at, 'other/dataset/items/greeting/item.json')).toBe(before)
  })

  test('are not judged outside of containers', async () => {
    using at = project(small)
    await jurist(at, 'import', 'harbor', 'task')
    const config = read(at, 'evals/jurist.config.yaml')
    writeFileSync(join(at.directory, 'evals/jurist.config.yaml'), config.replace(/sandbox: .*/, 'sandbox: bubblewrap'))
    at.write({ 'evals/dataset/items/task/item.json': JSON.stringify({ ...item(at, 'task'), image: undefined }) })
    const { task } = await verified(at, 'touch done')
    expect(task).toMatchObject({ status: 'error', failure: { code: 'sandbox-unavailable' } })
    expect(task?.failure?.message).toContain('Install docker or podman')
  })

  test('that work elsewhere, have a history, or are not for Linux are named', async () => {
    using at = project({
      ...small,
      'other/task.toml': '',
      'other/instruction.md': 'Make it.',
      'other/environment/Dockerfile': 'FROM debian\nWORKDIR /srv\nCOPY repository/ .\n',
      'other/environment/repository/.git/HEAD': 'ref: refs/heads/main\n',
      'other/tests/test.sh': '',
      'windows/task.toml': '[environment]\nos = "Windows"\n',
      'windows/instruction.md': 'Make it.',
      'windows/tests/test.sh': '',
    })
    const { stdout } = await jurist(at, 'import', 'harbor', '.')
    expect(stdout).toContain('task: works in /app, and agents find the workspace at /srv')
    expect(stdout).toContain('other: repository/.git is left out of the workspaces')
    expect(stdout).toContain('windows: the item is disabled: environment.os is "windows"')
    expect(existsSync(join(at.directory, 'evals/dataset/items/other/harbor/environment/repository/.git/HEAD'))).toBe(
      true,
    )
    const { items } = JSON.parse(read(at, 'evals/dataset/dataset.json'))
    expect(items.map(({ status = 'active' }) => status)).toEqual(['active', 'active', 'disabled'])
  })

  test('have another hash when their tests change', async () => {
    using at = project(small)
    await jurist(at, 'import', 'harbor', 'task', '--out', 'one')
    at.write({ 'task/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n' })
    await jurist(at, 'import', 'harbor', 'task', '--out', 'two')
    const hashes = await Promise.all(
      ['one', 'two'].map(async (name) => (await openDataset(join(at.directory, name, 'dataset'))).item('task')),
    )
    expect(hashes[0]?.hash).not.toBe(hashes[1]?.hash)
  })

  test('whose solution fails have no reference', async () => {
    using at = project({ ...small, 'task/solution/solve.sh': 'echo no luck >&2; exit 4\n' })
    const { code, stdout } = await jurist(at, 'import', 'harbor', 'task')
    expect([code, stdout]).toEqual([0, expect.stringContaining('no reference: exit code 4: no luck')])
    expect(existsSync(join(at.directory, 'evals/dataset/items/task/reference'))).toBe(false)
  })
})

/** An image with bash and the tools of a shell, where containers are tried. */
const { JURIST_TEST_IMAGE: image, JURIST_TEST_CONTAINERS: program = 'podman', CONTAINERS_CONF: settings } = process.env
const ownContainers: Readonly<Record<string, string>> = settings === undefined ? {} : { CONTAINERS_CONF: settings }

const down = '#!/bin/sh\necho "the daemon is down" >&2\nexit 1\n'

describe('tasks of Harbor in containers', () => {
  test.skipIf(image === undefined)(
    'have the files of their image, and are judged in it (needs JURIST_TEST_IMAGE)',
    async () => {
      using at = project({
        ...small,
        'task/environment/Dockerfile': `FROM ${image}\nWORKDIR /srv/work\nRUN echo made > made.txt\n`,
        'task/tests/test.sh':
          '[ "$(cat done)" = made ] && reward=1 || reward=0\necho $reward > /logs/verifier/reward.txt\n',
        'task/solution/solve.sh': 'cp /srv/work/made.txt done\n',
      })
      const { code, stdout } = await at.juristWith(ownContainers, 'import', 'harbor', 'task', '--container', program)
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('Look at')])
      expect(read(at, 'evals/dataset/items/task/before/made.txt')).toBe('made\n')
      expect(item(at, 'task')).toMatchObject({
        image: expect.stringMatching(/^jurist-harbor\/task:[0-9a-f]{12}$/),
        judges: { verifier: { workdir: '/srv/work' } },
      })
      const config = ['-c', 'evals/jurist.config.yaml', 'vet', 'establish', '--repeat', '1']
      const established = await at.juristWith(ownContainers, ...config)
      expect(established.stdout).toMatch(/task +passed 1\/1 +passed 0\/1/)
      expect(established.stdout).toContain('isolation container')
    },
  )

  test('without an image are disabled, and it is said why', async () => {
    using at = project({ ...small, 'bin/docker': down })
    chmodSync(join(at.directory, 'bin/docker'), 0o755)
    const env = { PATH: `${at.directory}/bin:${process.env.PATH}` }
    const { code, stdout } = await at.juristWith(env, 'import', 'harbor', 'task', '--container', 'docker')
    expect([code, stdout]).toEqual([0, expect.stringContaining('docker build failed: the daemon is down')])
    const { items } = JSON.parse(read(at, 'evals/dataset/dataset.json'))
    expect(items).toEqual([{ id: 'task', path: 'items/task', status: 'disabled' }])
  })

  test('need a container program, and nothing is written without', async () => {
    using at = project({ ...small, 'bin/docker': down, 'bin/podman': down })
    for (const name of ['docker', 'podman']) chmodSync(join(at.directory, 'bin', name), 0o755)
    const env = { PATH: `${at.directory}/bin:${process.env.PATH}` }
    const { code, stderr } = await at.juristWith(env, 'import', 'harbor', 'task')
    expect([code, stderr]).toEqual([2, expect.stringContaining('install docker or podman, and start it')])
    expect(stderr).toContain('podman info failed: the daemon is down')
    expect(existsSync(join(at.directory, 'evals'))).toBe(false)
  })

  test('have an image with a name that is no option', async () => {
    using at = project({ ...small, 'task/task.toml': '[environment]\ndocker_image = "--privileged"\n' })
    const named = await jurist(at, 'import', 'harbor', 'task', '--container', 'docker')
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining('environment.docker_image: is not the name'),
    ])
  })
})

describe('a task.toml', () => {
  const toml = `schema_version = "1.3"
surprise = 1
[task]
name = "org/task"
keywords = [" shell ", "shell", "files"]
colour = "red"
[metadata]
difficulty = "hard"
when = 2026-01-02
[verifier]
timeout_sec = 30.5
env = { MODE = "strict", KEY = "\${OPENAI_API_KEY}", URL = "\${URL:-http://localhost}" }
[agent]
timeout_sec = 90
[environment]
docker_image = "org/task:1"
cpus = 2
memory = "1.5G"
network_mode = "public"
workdir = "/srv/work"
mcp_servers = [{ name = "files", command = "x" }]
[environment.env]
LEVEL = "info"
`

  test('becomes the settings of an item; what is unknown is kept and named', async () => {
    using at = project({ ...small, 'task/task.toml': toml })
    const { code, stdout } = await jurist(at, 'import', 'harbor', 'task')
    expect(code).toBe(0)
    for (const key of ['surprise', 'task.colour'])
      expect(stdout).toContain(`${key} is not a key of Harbor's schema; it is kept in the item's source`)
    expect(stdout).toContain('verifier.env.KEY takes a variable of this machine')
    expect(stdout).toContain('environment.mcp_servers is kept, and not followed')
    const { timeoutMs, tags, judges, metadata } = item(at, 'task')
    expect([timeoutMs, tags]).toEqual([90_000, ['shell', 'files']])
    expect(judges.verifier).toEqual({
      type: 'harbor-verifier',
      task: 'harbor',
      workdir: '/srv/work',
      timeoutMs: 30_500,
      env: { LEVEL: 'info', MODE: 'strict', URL: 'http://localhost' },
      network: true,
      memoryBytes: 1.5 * 1024 ** 3,
      cpus: 2,
    })
    expect(metadata.source).toMatchObject({ name: 'org/task', unknown: ['surprise', 'task.colour'] })
    expect(metadata.source.task).toMatchObject({
      surprise: 1,
      task: { colour: 'red' },
      metadata: { when: '2026-01-02' },
    })
    expect(read(at, 'evals/dataset/items/task/harbor/task.toml')).toBe(toml)
    expect(read(at, 'evals/dataset/items/task/task.md')).toBe(small['task/instruction.md'])
    const { code: valid } = await at.jurist('-c', 'evals/jurist.config.yaml', 'validate')
    expect(valid).toBe(0)
  })

  test.each([
    ['[environment]\nallow_internet = false', undefined, undefined],
    ['', 'bridge', true],
    ['[environment]\nnetwork_mode = "public"\n[agent]\nnetwork_mode = "no-network"', undefined, true],
    [
      '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["pypi.org", "*.pypi.org:8443"]',
      { allow: ['pypi.org', 'http://pypi.org', '*.pypi.org:8443'] },
      undefined,
    ],
    [
      '[environment]\nnetwork_mode = "no-network"\n[agent]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.test:443"]\n[verifier]\nnetwork_mode = "allowlist"\nallowed_hosts = ["b.test:443"]',
      { allow: ['a.test:443'] },
      { allow: ['b.test:443'] },
    ],
  ])('%s: the network of agents and of the verifier', async (tables, ofAgents, ofVerifier) => {
    using at = project({ ...small, 'task/task.toml': `schema_version = "1.3"\n${tables}` })
    const { code, stdout } = await jurist(at, 'import', 'harbor', 'task')
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/network|allowed_hosts/)])
    expect(item(at, 'task').judges.verifier.network).toEqual(ofVerifier)
    const [experiment] = Object.values<Record<string, Record<string, object>>>(
      parse(read(at, 'evals/jurist.config.yaml')).experiments,
    )
    expect(experiment?.['sandbox']?.['docker']).toMatchObject({ asImage: true })
    expect(Reflect.get(experiment?.['sandbox']?.['docker'] ?? {}, 'network')).toEqual(ofAgents)
    expect((await at.jurist('-c', 'evals/jurist.config.yaml', 'validate')).code).toBe(0)
  })

  test('hosts that no list can enforce disable the item, and are named', async () => {
    const tables = '[agent]\nnetwork_mode = "allowlist"\nallowed_hosts = ["fine.test", "10.0.0.0/8", "*"]'
    using at = project({ ...small, 'task/task.toml': `schema_version = "1.3"\n${tables}` })
    const { stdout } = await jurist(at, 'import', 'harbor', 'task')
    expect(stdout).toMatch(/the item is disabled: allowed_hosts: .*"10\.0\.0\.0\/8".*"\*"/)
    expect(stdout).not.toContain('"fine.test"')
  })

  test.each(['lock', 'a b+c', '.hidden', 'x'.repeat(90), '123', 'true'])(
    'below the directory %j has a config that can be used',
    async (name) => {
      using at = project(Object.fromEntries(Object.entries(small).map(([path, text]) => [`${name}/${path}`, text])))
      expect((await jurist(at, 'import', 'harbor', name)).code).toBe(0)
      const { code, stderr } = await at.jurist('-c', 'evals/jurist.config.yaml', 'validate')
      expect([code, stderr]).toEqual([0, ''])
    },
  )

  test('of several steps is refused by its name; other tasks are imported without it', async () => {
    using at = project({ ...small, 'more/task/task.toml': '[[steps]]\nname = "first"\n[[steps]]\nname = "last"\n' })
    const alone = await jurist(at, 'import', 'harbor', 'more')
    expect([alone.code, alone.stderr]).toEqual([
      2,
      expect.stringContaining('more/task: is a task of 2 steps (first, last)'),
    ])
    const both = await jurist(at, 'import', 'harbor', '.')
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining('1 item of 2 tasks')])
    expect(both.stdout).toContain('left out: more/task is a task of 2 steps (first, last)')
  })

  test('that cannot be used is refused with every reason, and nothing is written', async () => {
    using at = project({
      ...small,
      'a/task.toml': 'agent = 1\n[verifier]\ntimeout_sec = "soon"\n[environment]\ncpus = -1\nenv = { A = 1 }\n',
      'a/instruction.md': ' \n',
      'b/task.toml': 'name = \n',
      'b/instruction.md': 'Do it.',
      'b/tests/test.sh': '',
      'c/task.toml': `x = ${'['.repeat(4_000)}${']'.repeat(4_000)}`,
      'c/instruction.md': 'Do it.',
      'c/tests/test.sh': '',
      'e/task.toml': '',
      'd/task.toml': '[metadata]\n__proto__ = { polluted = true }\n',
    })
    const { code, stderr } = await jurist(at, 'import', 'harbor', '.')
    expect(code).toBe(2)
    for (const problem of [
      'a/task.toml: agent: must be a table (got 1)',
      'a/task.toml: verifier.timeout_sec: must be a number greater than 0 (got "soon")',
      'a/task.toml: environment.cpus: must be a number greater than 0 (got -1)',
      'a/task.toml: environment.env: must be a table of strings',
      'a/instruction.md: is empty',
      'a/tests/test.sh: is missing',
      'b/task.toml: line 1:',
      'c/task.toml:',
      'd/task.toml: the key "__proto__" is not allowed',
      'd/instruction.md: is missing',
      'e/instruction.md: is missing',
    ])
      expect(stderr).toContain(problem)
    expect(existsSync(join(at.directory, 'evals'))).toBe(false)
  })
})

describe('hostile tasks', () => {
  test('are refused: links that lead out, files that are too large, what is not a file', async () => {
    using at = project({
      ...small,
      'secret/key': 'x',
      'big/task.toml': '',
      'long/task.toml': `a = "${'x'.repeat(1_100_000)}"`,
    })
    symlinkSync('../../secret/key', join(at.directory, 'task/tests/key'))
    symlinkSync('/etc', join(at.directory, 'task/environment/etc'))
    truncateSync(join(at.directory, 'big/task.toml'), 65 * 1024 * 1024)
    const { code, stderr } = await jurist(at, 'import', 'harbor', '.')
    expect(code).toBe(2)
    expect(stderr).toContain('task/tests/key: is a link that leads out of the task')
    expect(stderr).toContain('task/environment/etc: is a link that leads out of the task')
    expect(stderr).toContain('big/task.toml: has 68157440 bytes; a file may have 67108864')
    expect(stderr).toContain('long/task.toml: has 1100006 bytes, and at most 1048576 are read')
    expect(existsSync(join(at.directory, 'evals'))).toBe(false)
  })

  test('with a link inside of the task keep it', async () => {
    using at = project(small)
    symlinkSync('test.sh', join(at.directory, 'task/tests/again.sh'))
    expect((await jurist(at, 'import', 'harbor', 'task')).code).toBe(0)
    expect(readlinkSync(join(at.directory, 'evals/dataset/items/task/harbor/tests/again.sh'))).toBe('test.sh')
  })
})

describe('the command', () => {
  test.each([
    [['import', 'harbor'], 'Name a task or tasks'],
    [['import', 'harbor', 'nowhere'], 'nowhere is not a directory'],
    [['import', 'harbor', '.'], 'holds no task.toml'],
    [['import', 'git', '.', '--skip-solution'], '--skip-solution belongs to "jurist import harbor"'],
    [['import', 'harbor', '.', '--copy'], '--copy belongs to "jurist import git"'],
  ])('%j says: %s', async (argv, message) => {
    using at = project()
    const { code, stderr } = await at.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
