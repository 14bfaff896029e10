import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { systemCode } from './errors.js'

/** The variable that every process of a run inherits; it finds those that left the process group. */
export const markerName = 'JURIST_RUN'

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
 * Kills a group and, on Linux, every process that carries the marker, again and again until none is left.
 *
 * @returns the ids of those that outlived two seconds of it
 */
export async function killTree(leader: number, marker: string): Promise<readonly number[]> {
  const end = performance.now() + sweepMs
  for (;;) {
    signalGroup(leader, 'SIGKILL')
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

/** Linux tells the environment of each process, and none for one that has ended; elsewhere the group is all there is. */
function markedProcesses(marker: string): readonly number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${markerName}=${marker}`
  return processes()
    .filter((id) => readProcess(id, 'environ').includes(wanted))
    .map(Number)
}

/** The fields of `/proc/<id>/stat` from the state on; none for a process that is gone. */
export function statFields(id: string): readonly string[] {
  const stat = readProcess(id, 'stat')
  // The name before it, in parentheses, may hold anything.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** The ids of all processes (Linux). */
export function processes(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** What Linux says of a process; empty when it does not say it. */
export function readProcess(id: string, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1')
  } catch {
    // Gone, or another user's.
    return ''
  }
}
