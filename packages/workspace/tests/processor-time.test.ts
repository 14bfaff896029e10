import { readdirSync, readlinkSync } from 'node:fs'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { bubblewrapSandbox, localWorkspace } from '@jurist/workspace'
import { buildSucceeds, commandSucceeds, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { portableRows } from '../src/process.js'

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )

// The clock is a limit that no test here may meet, however busy the machine is.
const limits = { cpuMs: 300, timeoutMs: 600_000 }

/** The processes that run in a directory (Linux). */
function runningIn(directory: string): readonly string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readlinkSync(`/proc/${id}/cwd`).startsWith(directory)
    } catch {
      return false
    }
  })
}

describe('a limit of processor time', () => {
  test.each([
    ['of the command', 'while :; do :; done'],
    ['of a child', 'sh -c "while :; do :; done"; true'],
    ['of children that end', 'while :; do (i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done); done'],
    ['of a child in another session', 'setsid sh -c "while :; do :; done" & sleep 600'],
    ['of a child with another environment', 'env -i setsid sh -c "while :; do :; done" & sleep 600'],
  ])('ends what uses up the time %s', async (_, command) => {
    await using workspace = await temporaryWorkspace()
    const result = await workspace.run(command, limits)
    expect(result).toMatchObject({ status: 'timed-out', exitCode: null, exceeded: 'cpuMs' })
    expect(result.cpuMs).toBeGreaterThanOrEqual(limits.cpuMs)
    expect(runningIn(workspace.root)).toEqual([])
  })
  test.skipIf(!hasBubblewrap)('holds in a namespace (needs bubblewrap)', async () => {
    await using files = await temporaryWorkspace()
    await using workspace = localWorkspace(files.root, { sandbox: 'bubblewrap' })
    const result = await workspace.run('sh -c "while :; do :; done"; true', limits)
    expect(result).toMatchObject({ status: 'timed-out', exceeded: 'cpuMs' })
  })
  test('does not end what waits', async () => {
    await using workspace = await temporaryWorkspace()
    const result = await workspace.run('sleep 1; echo awake', { ...limits, cpuMs: 500 })
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, stdout: 'awake\n' })
    expect(result).not.toHaveProperty('exceeded')
  })
  test('is distinguished from the clock, which has a processor time too', async () => {
    await using workspace = await temporaryWorkspace()
    const result = await workspace.run('sleep 600', { timeoutMs: 300, cpuMs: 300_000 })
    expect(result).toMatchObject({ status: 'timed-out', exceeded: 'timeoutMs' })
    expect(result.cpuMs).toBeLessThan(300_000)
  })
  test('must be positive', async () => {
    await using workspace = await temporaryWorkspace()
    await expect(workspace.run('true', { cpuMs: 0 })).rejects.toMatchObject({ code: 'option-invalid' })
    expect(await workspace.run('true', { cpuMs: null })).toMatchObject({ exitCode: 0 })
  })
})

describe('judges of commands', () => {
  const line = 'while :; do :; done'
  test.each([
    ['commandSucceeds', commandSucceeds(line, limits)],
    ['buildSucceeds', buildSucceeds.command(line, limits)],
    ['testsPass', testsPass.command(line, limits)],
  ])('%s says which limit was met', async (_, judge) => {
    await using workspace = await temporaryWorkspace()
    expect(await runJudge(judge, aContext({ workspace }))).toMatchObject({
      status: 'fail',
      reasoning: 'used up its 300 ms of processor time',
      metadata: { status: 'timed-out', exceeded: 'cpuMs', cpuMs: expect.any(Number) },
    })
  })
})

test('a system without /proc is asked by way of ps', async () => {
  const own = (await portableRows()).find(({ id }) => id === process.pid)
  expect(own).toMatchObject({ parent: process.ppid, ms: expect.any(Number) })
  expect(Number.isFinite(own?.ms)).toBe(true)
})
