import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { failureOf } from '@jurist/core/internal'
import { isOfRun, linuxRows, type ProcessRow, type RunMark, treeOf } from '@jurist/kit/processes'

/** Returns the processor time so far of a command and everything it started, in milliseconds. It never decreases. */
export type ProcessorMeter = () => Promise<number>

/**
 * Measures the processes of a run: the group of its leader, those with its marker (Linux), and their children. The time
 * a process used after the last reading is lost if its parent never waited for it.
 */
export function processorMeter(run: RunMark): ProcessorMeter {
  let [lost, last] = [0, 0]
  return async () => {
    const now = onLinux
      ? timeOfTree(linuxRows(), isOfRun(run))
      : timeOfTree(await portableRows(), (row) => row.group === run.leader)
    lost += Math.max(0, last - now)
    last = now
    return lost + now
  }
}

/** Returns why the processor time of commands in a sandbox cannot be measured here; `undefined` if it can. */
export async function whyNotMetered(isolation: 'none' | 'namespace' | 'container'): Promise<string | undefined> {
  if (isolation === 'container' && !onLinux) return 'the processes of a container are not seen on this system'
  return processorMeter({ leader: process.pid, marker: '' })().then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown).message,
  )
}

const onLinux = process.platform === 'linux'

/**
 * Adds up the time of the processes that belong to a run, and of their children, however they changed their
 * environment.
 */
function timeOfTree(rows: readonly ProcessRow[], belongs: (row: ProcessRow) => boolean): number {
  return treeOf(rows, belongs).reduce((total, { ms }) => total + ms, 0)
}

/** Reads the output of `ps`, which every Unix has. It does not contain the time of ended children. */
export async function portableRows(): Promise<readonly ProcessRow[]> {
  const columns = ['pid=', 'ppid=', 'pgid=', 'time='].flatMap((column) => ['-o', column])
  const { stdout } = await promisify(execFile)('ps', ['-A', ...columns])
  return stdout.split('\n').flatMap((line) => {
    const [id, parent, group, time = ''] = line.trim().split(/\s+/)
    return time === ''
      ? []
      : [{ id: Number(id), parent: Number(parent), group: Number(group), ms: psTime(time), began: '' }]
  })
}

/** Parses `3-02:01:00` (days, hours, minutes, seconds) or, on macOS, `1:05.25`, and returns milliseconds. */
function psTime(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse()
  const seconds = rest.split(':').reduce((total, part) => total * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1_000)
}
