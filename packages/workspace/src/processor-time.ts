import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { failureOf } from '@jurist/core'
import { markerName, processes, readProcess, statFields } from './process-tree.js'

/** A process as the system counts it. */
export interface ProcessRow {
  readonly id: number
  readonly parent: number
  readonly group: number
  /** Milliseconds of processor time. On Linux with those of its children that ended and were waited for. */
  readonly ms: number
}

/** The processor time of a command with all it started: milliseconds until now, never less than before. */
export type ProcessorMeter = () => Promise<number>

/** Linux counts in hundredths of a second wherever Node runs. */
const tickMs = 10

/**
 * A meter of the processes that `leader` began: its group, what carries the marker (Linux), and their children. Of a
 * process whose parent never waited for it, what it used after the last reading is not known.
 */
export function processorMeter(leader: number, marker: string): ProcessorMeter {
  let [lost, last] = [0, 0]
  return async () => {
    const now = onLinux
      ? timeOfTree(linuxRows(), (row) => row.group === leader || carries(row, marker))
      : timeOfTree(await portableRows(), (row) => row.group === leader)
    lost += Math.max(0, last - now)
    last = now
    return lost + now
  }
}

/** Why the processor time of commands in a sandbox cannot be measured here; `undefined` when it can. */
export async function whyNotMetered(isolation: 'none' | 'namespace' | 'container'): Promise<string | undefined> {
  if (isolation === 'container' && !onLinux) return 'the processes of a container are not seen on this system'
  return processorMeter(process.pid, '')().then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown).message,
  )
}

const onLinux = process.platform === 'linux'

function carries({ id }: ProcessRow, marker: string): boolean {
  return readProcess(String(id), 'environ').includes(`${markerName}=${marker}`)
}

/** The time of the processes that belong to a run, and of their children, however they changed their environment. */
function timeOfTree(rows: readonly ProcessRow[], belongs: (row: ProcessRow) => boolean): number {
  const children = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const siblings = children.get(row.parent)
    if (siblings === undefined) children.set(row.parent, [row])
    else siblings.push(row)
  }
  const members = new Set(rows.filter(belongs))
  for (const { id } of members) for (const child of children.get(id) ?? []) members.add(child)
  return [...members].reduce((total, { ms }) => total + ms, 0)
}

function linuxRows(): readonly ProcessRow[] {
  return processes().flatMap((id) => {
    const fields = statFields(id)
    const [parent, group] = [Number(fields[1]), Number(fields[2])]
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
    return fields.length < 15 ? [] : [{ id: Number(id), parent, group, ms: ticks * tickMs }]
  })
}

/** What `ps` says, which every Unix has; it knows no time of children that ended. */
export async function portableRows(): Promise<readonly ProcessRow[]> {
  const columns = ['pid=', 'ppid=', 'pgid=', 'time='].flatMap((column) => ['-o', column])
  const { stdout } = await promisify(execFile)('ps', ['-A', ...columns])
  return stdout.split('\n').flatMap((line) => {
    const [id, parent, group, time = ''] = line.trim().split(/\s+/)
    return time === '' ? [] : [{ id: Number(id), parent: Number(parent), group: Number(group), ms: psTime(time) }]
  })
}

/** Milliseconds of `3-02:01:00` (days, hours, minutes, seconds) or, on macOS, of `1:05.25`. */
function psTime(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse()
  const seconds = rest.split(':').reduce((total, part) => total * 60 + Number(part), 0)
  return Math.round((Number(days) * 86_400 + seconds) * 1_000)
}
