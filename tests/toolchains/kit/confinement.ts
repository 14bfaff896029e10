import { randomInt } from 'node:crypto'
import { emptyDirectory, type LocalWorkspaceOptions, type Sandbox } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { processesWith } from './processes.js'

const mebibyte = 1_048_576

async function output(
  sandbox: Sandbox,
  limits: NonNullable<LocalWorkspaceOptions['limits']>,
  command: string,
  timeoutMs = 60_000,
) {
  await using workspace = await emptyDirectory({ sandbox, limits })
  return await workspace.run(['sh', '-c', command], { timeoutMs, killAfterMs: 300 })
}

/** What a sandbox must keep beyond its contract, looked at from the machine: limits hold, and nothing stays behind. */
export function confinementTests(make: () => Sandbox): void {
  test('nothing is left after a timeout, not even what left its session and ignores signals', async () => {
    // An odd number of seconds tells the processes of this run apart.
    const seconds = String(randomInt(1_000_000, 9_999_999))
    const stubborn = `setsid sh -c 'trap "" TERM HUP; sleep ${seconds}; sleep ${seconds}' & sleep ${seconds}`
    const running = output(make(), {}, stubborn, 5_000)
    await expect.poll(() => processesWith(`sleep ${seconds}`).length, { timeout: 5_000 }).toBeGreaterThan(0)
    expect(await running).toMatchObject({ status: 'timed-out' })
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })
  test('nothing is left after a normal end', async () => {
    const seconds = String(randomInt(1_000_000, 9_999_999))
    expect(await output(make(), {}, `setsid sleep ${seconds} & exit 0`)).toMatchObject({ exitCode: 0 })
    expect(processesWith(`sleep ${seconds}`)).toEqual([])
  })
  test('files cannot grow beyond their limit', async () => {
    const write = 'dd if=/dev/zero of=big bs=1048576 count=8; wc -c < big'
    const { stdout } = await output(make(), { fileBytes: 2 * mebibyte }, write)
    expect(Number(stdout.trim())).toBe(2 * mebibyte)
  })
  test('processor time has a limit', async () => {
    const { stdout } = await output(make(), { cpuSeconds: 1 }, '(while :; do :; done); echo "ended with $?"', 30_000)
    // The kernel kills, at the limit or a second after it.
    expect(stdout).toMatch(/^ended with (?:137|152)$/m)
  })
}
