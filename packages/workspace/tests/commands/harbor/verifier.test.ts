import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { bubblewrapSandbox, dockerSandbox, localWorkspace, type Sandbox } from '@jurist/workspace'
import { harborVerifier } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const works = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const code = (wanted: string) => expect.objectContaining({ code: wanted })

const program = fileURLToPath(new URL('../../../../../tests/structure/docker-by-bubblewrap.sh', import.meta.url))

/** A sandbox of containers. Their state is in the directory. */
function container(directory: string): Sandbox {
  const cli = join(directory, 'docker')
  symlinkSync(program, cli)
  return dockerSandbox({ image: 'org/task:1', cli, asImage: true })
}

type Options = Omit<Parameters<typeof harborVerifier>[0], 'task'>

/** What the verifier of a task with this script judges of a workspace with one file. */
async function judged(script: string, options: Options = {}) {
  await using task = await temporaryWorkspace({
    'environment/Dockerfile': 'FROM debian\nWORKDIR /app\n',
    'tests/test.sh': script,
    'tests/expected': 'done',
  })
  await using files = await temporaryWorkspace({ 'work.txt': 'done', 'logs/verifier/reward.txt': '1' })
  await using tools = await temporaryWorkspace()
  await using workspace = localWorkspace(files.root, { sandbox: container(tools.root) })
  const judge = harborVerifier({ task: localWorkspace(task.root), ...options })
  return await runJudge(judge, { workspace })
}

const write = (reward: string, file = 'reward.json') => `printf '%s' '${reward}' > /logs/verifier/${file}\n`

describe.skipIf(!works)('harborVerifier (skipped where bubblewrap does not work)', () => {
  test.each([
    ['1', 'pass', 1],
    ['0', 'fail', 0],
    ['0.5\n', 'fail', 0.5],
    ['1.0', 'pass', 1],
  ])('takes %j of reward.txt: %s', async (text, status, value) => {
    const judgment = await judged(`${write(text, 'reward.txt')}exit 9`)
    expect(judgment).toMatchObject({
      status,
      score: { value },
      checks: [{ name: 'reward', passed: status === 'pass' }],
    })
  })

  test.each([
    ['{"reward": 1}', 'pass', 1],
    ['{"speed": 1, "size": 0.5}', 'fail', 0.75],
    ['{"reward": 1, "size": 1}', 'pass', 1],
    ['{"reward": 3}', 'pass', 3],
    ['{"reward": -2}', 'fail', -2],
    ['{"done": true}', 'pass', 1],
  ])('takes %s of reward.json: %s', async (text, status, value) => {
    expect(await judged(write(text))).toMatchObject({ status, score: { value } })
  })

  test('has a threshold, and one reward can decide', async () => {
    expect(await judged(write('{"reward": 0.5}'), { threshold: 0.5 })).toMatchObject({ status: 'pass' })
    const named = await judged(write('{"speed": 0, "size": 1}'), { reward: 'size' })
    expect(named).toMatchObject({
      status: 'pass',
      checks: [{ name: 'size' }],
      metadata: { rewards: { speed: 0, size: 1 } },
    })
    const missing = await judged(write('{"speed": 1}'), { reward: 'size' })
    expect(missing).toMatchObject({ status: 'error', failure: code('reward-missing') })
  })

  test.each([
    ['true', 'reward-missing'],
    ['exit 1', 'reward-missing'],
    [write(''), 'reward-invalid'],
    [write('{}'), 'reward-invalid'],
    [write('[1]'), 'reward-invalid'],
    [write('{"reward": "1"}'), 'reward-invalid'],
    [write('nan', 'reward.txt'), 'reward-invalid'],
    [write('', 'reward.txt'), 'reward-invalid'],
    ['ln -s /etc/hostname /logs/verifier/reward.txt', 'reward-invalid'],
    ['rm -r /logs/verifier; ln -s / /logs/verifier', 'reward-invalid'],
    ['mkdir /logs/verifier/reward.txt', 'reward-invalid'],
    ['mkfifo /logs/verifier/reward.txt', 'reward-invalid'],
    ['head -c 100000 /dev/zero > /logs/verifier/reward.txt', 'reward-invalid'],
  ])('after %j is an ERROR: %s', async (script, wanted) => {
    const judgment = await judged(script)
    expect(judgment).toMatchObject({ status: 'error', failure: code(wanted) })
    expect(judgment).not.toHaveProperty('score')
  })

  test('that takes too long is an ERROR, whatever it wrote', async () => {
    const judgment = await judged(`${write('{"reward": 1}')}sleep 60`, { timeoutMs: 300 })
    expect(judgment).toMatchObject({ status: 'error', failure: code('reward-missing') })
    expect(judgment.reasoning).toContain('timed out after 300 ms')
  })

  test('finds the workspace, its tests and empty logs, and leaves nothing behind', async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid.toString(36)}-`))
    const before = left()
    const script = `
      pwd; cmp /tests/expected work.txt && echo same
      find /logs -type f; echo "$LEVEL"
      echo changed > /app/work.txt; echo changed > /tests/expected
      ${write('{"reward": 1}')}`
    const { metadata, status } = await judged(script, { env: { LEVEL: 'info' } })
    expect([status, metadata.output]).toEqual(['pass', '/app\nsame\ninfo\n'])
    expect(left()).toEqual(before)
  })

  test('works at another place, and changes neither workspace nor task', async () => {
    await using task = await temporaryWorkspace({
      'environment/Dockerfile': 'FROM debian\n',
      'tests/test.sh': `echo x > work.txt; rm /tests/test.sh; pwd; ${write('{"reward": 1}')}`,
    })
    await using files = await temporaryWorkspace({ 'work.txt': 'done' })
    await using tools = await temporaryWorkspace()
    const judge = harborVerifier({ task: localWorkspace(task.root), workdir: '/srv/work' })
    const workspace = localWorkspace(files.root, { sandbox: container(tools.root) })
    const { metadata } = await runJudge(judge, { workspace })
    expect(metadata.output).toBe('/srv/work\n')
    expect([await files.read('work.txt'), existsSync(join(task.root, 'tests/test.sh'))]).toEqual(['done', true])
  })
})

/** A program in the place of docker: it writes down its words, and runs the last three of them with the mounts as variables. */
const containers = `#!/bin/sh
here=$(dirname "$0")
case "$1" in
  create) for word in "$@"; do printf '%s\\n' "$word"; done > "$here/words"; echo c0ffee ;;
  start)
    logs=$(grep ':/logs$' "$here/words" | sed 's|:/logs$||')
    echo 0.25 > "$logs/verifier/reward.txt" ;;
  inspect) echo 0 2026-01-01 ;;
esac
`

describe('harborVerifier in a container', () => {
  test('mounts the workspace, the tests and the logs, and follows the limits of the task', async () => {
    await using tools = await temporaryWorkspace({ cli: { executable: containers } })
    await using task = await temporaryWorkspace({ 'tests/test.sh': '' })
    await using files = await temporaryWorkspace({ 'work.txt': 'done' })
    const sandbox = dockerSandbox({ image: 'org/task:1', cli: join(tools.root, 'cli'), asImage: true })
    const limits = { memoryBytes: 1_000_000, cpus: 1.5, network: true }
    const judge = harborVerifier({ task: localWorkspace(task.root), ...limits })
    const judgment = await runJudge(judge, { workspace: localWorkspace(files.root, { sandbox }) })
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 0.25 } })
    const words = readFileSync(join(tools.root, 'words'), 'utf8').split('\n')
    const after = (word: string) => words[words.indexOf(word) + 1]
    expect([after('--memory'), after('--cpus'), after('--network')]).toEqual(['1000000', '1.5', 'bridge'])
    expect(after('--workdir')).toBe('/app')
    expect(words.filter((word) => /:\/(?:app|tests|logs)$/.test(word))).toHaveLength(3)
    for (const word of ['--read-only', '--cap-drop', '--user']) expect(words).not.toContain(word)
    expect(words.some((word) => word.startsWith(`${files.root}:`))).toBe(false)
  })
})

describe('harborVerifier refuses', () => {
  test.each([
    [{ workdir: '/etc/app' }, 'workdir'],
    [{ workdir: '/a/../etc' }, 'workdir'],
    [{ workdir: 'app' }, 'workdir'],
    [{ workdir: '/tests/app' }, 'workdir'],
    [{ workdir: '/logs' }, 'workdir'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ threshold: Number.NaN }, 'threshold'],
    [{ unknown: 1 }, 'unknown'],
  ])('%j', (options, option) => {
    const given = { task: memoryWorkspace({}), ...options } as Parameters<typeof harborVerifier>[0]
    expect(() => harborVerifier(given)).toThrow(
      expect.objectContaining({ code: 'option-invalid', details: { option } }),
    )
  })

  test('workspaces without a container, or whose sandbox is not known', async () => {
    await using task = await temporaryWorkspace({ 'tests/test.sh': '' })
    await using files = await temporaryWorkspace()
    const judge = harborVerifier({ task: localWorkspace(task.root) })
    for (const workspace of [memoryWorkspace({ a: '' }), localWorkspace(files.root)]) {
      const judgment = await runJudge(judge, { workspace })
      expect(judgment).toMatchObject({ status: 'error', failure: code('sandbox-unavailable') })
    }
  })
})
