import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  groupEnds,
  killRun,
  linuxRows,
  markerName,
  processesOfRun,
  processStart,
  signalGroup,
} from '@jurist/kit/processes'
import { expect, test } from 'vitest'

const linux = process.platform === 'linux'

/** Starts a shell in a separate group, which prints a line when its children run. */
async function started(marker: string, script: string): Promise<ChildProcess & { readonly pid: number }> {
  const env = { ...process.env, [markerName]: marker }
  const child = spawn('sh', ['-c', `${script}\necho\nwait`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  return child as ChildProcess & { readonly pid: number }
}

test.skipIf(!linux)(
  'the marker finds what left the group, and its children without a marker (needs /proc)',
  async () => {
    const marker = 'marked-by-the-test'
    const child = await started(marker, "setsid sleep 600 & setsid sh -c 'env -i sleep 600 & echo; wait' & sleep 600 &")
    const ended = once(child, 'exit')
    expect(processesOfRun({ marker }).length).toBeGreaterThanOrEqual(4)
    expect(processesOfRun({ marker: 'marked' })).toEqual([])
    const { killed, left } = await killRun({ marker })
    expect(killed).toBeGreaterThanOrEqual(4)
    expect(left).toEqual([])
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(await killRun({ marker })).toEqual({ killed: 0, left: [] })
  },
)

test.skipIf(!linux)('a process that was seen is killed only if it is still the same one (needs /proc)', async () => {
  const child = await started('seen', 'sleep 600 &')
  const began = processStart(child.pid) ?? ''
  const row = { id: child.pid, parent: process.pid, group: child.pid, ms: 0, began }
  const other = 'not-this-run'
  await killRun({ marker: other }, [{ ...row, began: '1' }])
  expect(child.exitCode ?? child.signalCode).toBeNull()
  const ended = once(child, 'exit')
  await killRun({ marker: other }, [row])
  expect(await ended).toEqual([null, 'SIGKILL'])
  await killRun({ marker: 'seen' })
})

test.skipIf(!linux)('what started before the leader is not part of the run (needs /proc)', async () => {
  const marker = 'begun'
  const child = await started(marker, 'sleep 600 &')
  const began = processStart(child.pid) ?? ''
  expect(processesOfRun({ marker, began }).length).toBeGreaterThanOrEqual(2)
  expect(processesOfRun({ marker, began: String(Number(began) + 1_000_000) })).toEqual([])
  await killRun({ marker, leader: child.pid, began })
  expect(processesOfRun({ marker }).filter(({ id }) => id === child.pid)).toEqual([])
})

test.skipIf(!linux)('the marker is found behind 300 KB of other variables (needs /proc)', async () => {
  const large = Object.fromEntries(['A', 'B', 'C'].map((name) => [name, 'x'.repeat(100_000)]))
  const env = { ...large, PATH: process.env.PATH, [markerName]: 'behind' }
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  const ended = once(child, 'exit')
  expect(await killRun({ marker: 'behind' })).toEqual({ killed: 1, left: [] })
  expect(await ended).toEqual([null, 'SIGKILL'])
})

test('a group ends with its last process', async () => {
  const child = await started('group', 'sleep 600 &')
  expect(signalGroup(child.pid, 0)).toBe(true)
  const ended = once(child, 'exit')
  expect((await killRun({ marker: 'group', leader: child.pid })).left).toEqual([])
  expect(await ended).toEqual([null, 'SIGKILL'])
  // The killed child may stay in the group as a zombie, if nothing waits for orphans; it does not count.
  await groupEnds(child.pid, 600_000)
})

test.skipIf(!linux)('the current process is never part of a run (needs /proc)', () => {
  const own = linuxRows().find(({ id }) => id === process.pid)
  const members = processesOfRun({ marker: '', leader: own?.group ?? 0 })
  expect(own).toMatchObject({ parent: process.ppid, began: processStart(process.pid) })
  expect(members.map(({ id }) => id)).not.toContain(process.pid)
})
