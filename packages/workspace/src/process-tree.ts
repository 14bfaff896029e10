import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { systemCode } from './errors.js'

/** The variable that every process of a run inherits; it finds those that left the process group. */
export const markerName = 'JURIST_RUN'

/** A process as the system counts it. */
export interface ProcessRow {
  readonly id: number
  readonly parent: number
  readonly group: number
  /** Milliseconds of processor time. On Linux with those of its children that ended and were waited for. */
  readonly ms: number
  /** When it began, in the system's own count: an id is used again after its process ended. `''` where it is not known. */
  readonly began: string
}

/** Linux counts in hundredths of a second wherever Node runs. */
const tickMs = 10

const sweepMs = 2_000
const pauseMs = 10
const longestPauseMs = 80

/** Sends a signal to a process group; `false` when nothing of it is left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (thrown) {
    return systemCode(thrown) === 'EPERM'
  }
}

/** Waits until nothing of a group runs, at most so long. */
export async function groupEnds(leader: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  for (let pause = pauseMs; performance.now() < end && groupRuns(leader); pause = Math.min(2 * pause, longestPauseMs))
    await setTimeout(Math.min(pause, withinMs))
}

/** A process that has ended stays in its group until its parent asks how, which some parents never do. */
function groupRuns(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false
  if (process.platform !== 'linux') return true
  const states = processes().flatMap((id) => stateIn(leader, id))
  return states.length === 0 || states.some((state) => state !== 'Z' && state !== 'X')
}

/** The state of a process of that group, as one letter; none for any other. */
function stateIn(group: number, id: string): readonly string[] {
  const [state = '', , ownGroup] = statFields(id)
  return ownGroup === String(group) ? [state] : []
}

/**
 * Kills a group and, on Linux, every process that carries the marker, with all their children, again and again until none
 * is left. `known` are processes of the run that were seen before: a child that left both the group and the marker behind
 * is known by its parent only as long as that one lives.
 *
 * @returns the ids of those that outlived two seconds of it
 */
export async function killTree(
  leader: number,
  marker: string,
  known: readonly ProcessRow[] = [],
): Promise<readonly number[]> {
  const end = performance.now() + sweepMs
  for (;;) {
    const seen = [...known.filter(isStillThere), ...processesOfRun(leader, marker)]
    signalGroup(leader, 'SIGKILL')
    for (const { id } of seen) kill(id)
    const left = markedProcesses(marker)
    for (const id of left) kill(id)
    if (left.length === 0 || performance.now() > end) return left
    await setTimeout(pauseMs)
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It ended by itself in between.
  }
}

/** The processes of a run with all their children; none where the system does not tell them (macOS). */
export function processesOfRun(leader: number, marker: string): readonly ProcessRow[] {
  return process.platform === 'linux' ? treeOf(linuxRows(), isOfRun(leader, marker)) : []
}

function isStillThere({ id, began }: ProcessRow): boolean {
  return began !== '' && statFields(String(id))[19] === began
}

/** Whether a process is in the group of a run, or carries its marker. */
export function isOfRun(leader: number, marker: string): (row: ProcessRow) => boolean {
  const wanted = `${markerName}=${marker}`
  return ({ id, group }) => group === leader || readProcess(String(id), 'environ').includes(wanted)
}

/** The processes that belong, and all their children. */
export function treeOf(rows: readonly ProcessRow[], belongs: (row: ProcessRow) => boolean): readonly ProcessRow[] {
  const children = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const siblings = children.get(row.parent)
    if (siblings === undefined) children.set(row.parent, [row])
    else siblings.push(row)
  }
  const members = new Set(rows.filter(belongs))
  for (const { id } of members) for (const child of children.get(id) ?? []) members.add(child)
  return [...members]
}

/** Every process, as Linux counts it. */
export function linuxRows(): readonly ProcessRow[] {
  return processes().flatMap((id) => {
    const fields = statFields(id)
    const [parent, group] = [Number(fields[1]), Number(fields[2])]
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
    return fields.length < 15 ? [] : [{ id: Number(id), parent, group, ms: ticks * tickMs, began: fields[19] ?? '' }]
  })
}

/** Linux tells the environment of each process, and none for one that has ended; elsewhere the group is all there is. */
function markedProcesses(marker: string): readonly number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${markerName}=${marker}`
  return processes()
    .filter((id) => readProcess(id, 'environ').includes(wanted))
    .map(Number)
}

/** The fields of `/proc/<id>/stat` from the state on; none for a process that is gone. */
function statFields(id: string): readonly string[] {
  const stat = readProcess(id, 'stat')
  // The name before it, in parentheses, may hold anything.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The ids of all processes (Linux). */
function processes(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** What Linux says of a process; empty when it does not say it. */
function readProcess(id: string, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1')
  } catch {
    // Gone, or another user's.
    return ''
  }
}
