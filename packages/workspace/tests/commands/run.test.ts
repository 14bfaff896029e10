import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, stat } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { bubblewrapSandbox, localWorkspace } from '@jurist/workspace'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { withEnoughTime } from '../enough-time.js'

const code = (wanted: string) => expect.objectContaining({ code: wanted })
const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const isAlive = (id: number) => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}
const onLinux = process.platform === 'linux'

describe('what a command leaves behind', () => {
  test('background children that hold its pipes neither delay nor outlive it', async () => {
    await using workspace = await temporaryWorkspace()
    const startedAt = performance.now()
    const { status, exitCode, stdout } = await workspace.run('sleep 600 & echo $!')
    expect([status, exitCode]).toEqual(['exited', 0])
    expect(performance.now() - startedAt).toBeLessThan(250_000)
    expect(isAlive(Number(stdout))).toBe(false)
  })
  test('what ignores SIGTERM is killed', async () => {
    await using workspace = await temporaryWorkspace()
    const stubborn = 'trap "" TERM; echo $$ > id; while :; do sleep 0.05; done'
    const [result] = await withEnoughTime(
      300,
      (timeoutMs) => workspace.run(stubborn, { timeoutMs, killAfterMs: 200 }),
      () => workspace.exists('id'),
    )
    expect([result.status, result.exitCode, result.signal]).toEqual(['timed-out', null, null])
    expect(isAlive(Number(await workspace.read('id')))).toBe(false)
  })
  test('what ends politely may clean up first', async () => {
    await using workspace = await temporaryWorkspace()
    const polite = 'trap "echo bye > farewell; exit 0" TERM; echo > begun; while :; do sleep 0.02; done'
    await withEnoughTime(
      300,
      (timeoutMs) => workspace.run(polite, { timeoutMs, killAfterMs: 250_000 }),
      () => workspace.exists('begun'),
    )
    expect(await workspace.read('farewell')).toBe('bye\n')
  })
  test.skipIf(!onLinux)('what has ended is not waited for, though its parent never asks how (Linux)', async () => {
    await using workspace = await temporaryWorkspace()
    const { status, elapsedMs } = await workspace.run('sh -c "sleep 600 & exec setsid sleep 601" & wait', {
      timeoutMs: 500,
      killAfterMs: 280_000,
    })
    expect(status).toBe('timed-out')
    expect(elapsedMs).toBeLessThan(250_000)
  })
  test.skipIf(!onLinux)('what calls setsid is found by its marker (Linux)', async () => {
    await using workspace = await temporaryWorkspace()
    const [{ status }] = await withEnoughTime(
      500,
      (timeoutMs) => workspace.run('setsid sh -c "echo \\$\\$ > id; exec sleep 600" & sleep 600', { timeoutMs }),
      async () => (await workspace.exists('id')) && (await workspace.read('id')) !== '',
    )
    expect(status).toBe('timed-out')
    const id = Number(await workspace.read('id'))
    expect([id > 0, isAlive(id)]).toEqual([true, false])
  })
  test.skipIf(!hasBubblewrap)(
    'what calls setsid and drops its marker dies in a namespace (needs bubblewrap)',
    async () => {
      await using files = await temporaryWorkspace()
      await using workspace = localWorkspace(files.root, { sandbox: 'bubblewrap' })
      const mark = `${60 + Math.random()}`
      await workspace.run(`env -i setsid sleep ${mark} & sleep 0.2`)
      expect(spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout).toBe('')
    },
  )
  test('disposing of the workspace ends its commands, and later ones are refused', async () => {
    await using files = await temporaryWorkspace()
    const workspace = localWorkspace(files.root)
    const running = workspace.run('echo $$ > id; sleep 60')
    const waiting = Promise.allSettled([running])
    while (!(await workspace.exists('id')) || (await workspace.read('id')) === '') await setTimeout(10)
    await workspace[Symbol.asyncDispose]()
    expect((await waiting)[0]).toEqual({ status: 'rejected', reason: code('aborted') })
    expect(isAlive(Number(await workspace.read('id')))).toBe(false)
    await expect(workspace.run('true')).rejects.toEqual(code('aborted'))
  })
})

/** Keeps this process from doing anything else. */
function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('output', () => {
  test('of a command that ends while this process is busy is kept', async () => {
    await using workspace = await temporaryWorkspace({})
    const result = workspace.run('sleep 0.4; echo done')
    await setTimeout(100)
    // Another process ends first, and all ends are seen together: that of the command before its output is read.
    stat('.', () => {
      busy(500)
      setImmediate(() => busy(300))
    })
    spawn('true')
    busy(150)
    expect(await result).toMatchObject({ status: 'exited', stdout: 'done\n' })
  })

  test('of 1 GB is counted, and memory stays small', async () => {
    await using workspace = await temporaryWorkspace()
    const before = process.memoryUsage().rss
    const { stdout, truncated, status } = await workspace.run(
      'echo first; head -c 1000000000 /dev/zero; echo; echo last',
    )
    expect([status, truncated]).toEqual(['exited', true])
    expect(stdout.startsWith('first\n')).toBe(true)
    expect(stdout.endsWith('\nlast\n')).toBe(true)
    expect(stdout).toMatch(/… 998951436 bytes omitted …\n/)
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
  })
  test('is cut between characters, never inside one', async () => {
    await using workspace = await temporaryWorkspace()
    for (const maxOutputBytes of [9, 10, 11, 12, 13, 14, 15, 16]) {
      const { stdout } = await workspace.run('printf "é😀é😀é😀é😀é😀é😀"', { maxOutputBytes })
      expect(stdout).not.toContain('\uFFFD')
      expect(stdout).toMatch(/^[é😀]*\n… \d+ bytes omitted …\n[é😀]*$/u)
    }
  })
  test('up to the cap is whole, bad bytes replaced', async () => {
    await using workspace = await temporaryWorkspace()
    const { stdout, truncated } = await workspace.run('printf "1234\\377"', { maxOutputBytes: 5 })
    expect([stdout, truncated]).toEqual(['1234\uFFFD', false])
  })
})

describe('the environment', () => {
  test('variables are those allowed, and no others', async () => {
    await using files = await temporaryWorkspace()
    process.env.JURIST_TEST_TOKEN = 'secret'
    process.env.JURIST_PASSED_ONE = '1'
    process.env.NODE_OPTIONS ??= ''
    try {
      const environment = { allow: ['JURIST_PASSED_*'], set: { A: 'policy', B: 'policy' } }
      const workspace = localWorkspace(files.root, { environment })
      const { stdout } = await workspace.run(['env'], { env: { B: 'call' } })
      const names = stdout.split('\n').map((line) => line.split('=')[0])
      expect(stdout).toContain('JURIST_PASSED_ONE=1\n')
      expect(stdout).toContain('A=policy\n')
      expect(stdout).toContain('B=call\n')
      expect(stdout).toContain('CI=true\n')
      for (const name of ['JURIST_TEST_TOKEN', 'NODE_OPTIONS', 'SSH_AUTH_SOCK']) expect(names).not.toContain(name)
    } finally {
      delete process.env.JURIST_TEST_TOKEN
      delete process.env.JURIST_PASSED_ONE
    }
  })
  test('input that is not read is not an error', async () => {
    await using workspace = await temporaryWorkspace()
    const { status } = await workspace.run(['true'], { stdin: { text: 'x'.repeat(5_000_000) } })
    expect(status).toBe('exited')
  })
  test('a signal that the command sends itself is named', async () => {
    await using workspace = await temporaryWorkspace()
    const { status, exitCode, signal } = await workspace.run('kill -9 $$')
    expect([status, exitCode, signal]).toEqual(['killed', null, 'SIGKILL'])
  })
  test('what cannot be executed is not started; in a shell it is the shell that says 127', async () => {
    await using workspace = await temporaryWorkspace({ 'plain.sh': 'true' })
    const { status, failure } = await workspace.run(['./plain.sh'])
    expect([status, failure?.code]).toEqual(['not-started', 'not-started'])
    expect((await workspace.run('no-such-program-anywhere')).exitCode).toBe(127)
  })
  test('at most so many run at a time, and an abort leaves the queue', async () => {
    await using files = await temporaryWorkspace()
    await using workspace = localWorkspace(files.root, { limits: { concurrentCommands: 2 } })
    const one = 'mkdir slot.$$; ls -d slot.* | wc -l; sleep 0.1; rmdir slot.$$'
    const results = await Promise.all(Array.from({ length: 6 }, () => workspace.run(one)))
    expect(Math.max(...results.map(({ stdout }) => Number(stdout)))).toBeLessThanOrEqual(2)
    const both = [workspace.run('sleep 0.5'), workspace.run('sleep 0.5')]
    const { status, elapsedMs } = await workspace.run('true', { signal: AbortSignal.timeout(50) })
    expect([status, elapsedMs]).toEqual(['aborted', 0])
    await Promise.all(both)
  })
  test('bad options are named', async () => {
    await using workspace = await temporaryWorkspace({ file: '' })
    const refused = [
      workspace.run('a\0b'),
      workspace.run('true', { cwd: 'none' }),
      workspace.run('true', { cwd: 'file' }),
      workspace.run('true', { maxOutputBytes: -1 }),
      workspace.run('true', { env: { A: 1 } } as unknown as object),
    ]
    for (const run of refused) await expect(run).rejects.toEqual(code('option-invalid'))
  })
})

describe('limits', () => {
  test.skipIf(!onLinux)('of a file and of processor time are kept (Linux: prlimit)', async () => {
    await using files = await temporaryWorkspace()
    await using workspace = localWorkspace(files.root, { limits: { fileBytes: 1_000, cpuSeconds: 1 } })
    await workspace.run('head -c 5000 /dev/zero > big')
    expect((await workspace.readBytes('big')).length).toBeLessThanOrEqual(1_000)
    expect((await workspace.run(['sh', '-c', 'while :; do :; done'])).status).toBe('killed')
  })
  test('that cannot be kept are refused, not ignored', async () => {
    await using files = await temporaryWorkspace()
    await using workspace = localWorkspace(files.root, { limits: { memoryBytes: 1_000_000 } })
    const { status, failure } = await workspace.run('true')
    expect([status, failure?.code]).toEqual(['not-started', 'sandbox-unavailable'])
  })
})

const disk = mountedDisk()
describe('a full disk', () => {
  test.skipIf(disk === undefined)(
    'is the failure of the command, and of a write (needs to mount a tmpfs)',
    async () => {
      const directory = disk ?? ''
      try {
        await using workspace = localWorkspace(directory)
        const filling = await workspace.run('head -c 5000000 /dev/zero > big')
        expect([filling.status, filling.exitCode]).toEqual(['exited', 1])
        await expect(workspace.write('more', 'x'.repeat(2_000_000))).rejects.toThrow(/ENOSPC/)
        expect(await workspace.exists('more')).toBe(false)
        await workspace.remove('big')
        await workspace.write('more', 'x')
        expect(await workspace.read('more')).toBe('x')
      } finally {
        execFileSync('umount', [directory])
        rmSync(directory, { recursive: true })
      }
    },
  )
})

function mountedDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]).status === 0) return directory
  rmSync(directory, { recursive: true })
  return undefined
}

test('the caller receives each line when it is complete, also one that was written in parts and in bytes', async () => {
  await using workspace = await temporaryWorkspace()
  const lines: string[] = []
  const waiting = `
    process.stdout.write(Buffer.from('é').subarray(0, 1))
    setTimeout(() => process.stdout.write(Buffer.concat([Buffer.from('é').subarray(1), Buffer.from(' two\\nlast')])), 50)
    const clock = setInterval(() => require('fs').existsSync('seen') && clearInterval(clock), 10)
  `
  const { stdout } = await workspace.run([process.execPath, '-e', waiting], {
    onLine(line) {
      lines.push(line)
      // The command ends only when the line has arrived.
      void workspace.write('seen', '')
    },
  })
  expect([lines, stdout]).toEqual([['é two'], 'é two\nlast'])
})
