import { pause } from '@jurist/kit/retry-pause'
import { markerName } from './environment.js'

const sweepMs = 2_000
const pauseMs = 10

/** What a sweep did. */
export interface Swept {
  /** How many processes were killed. */
  readonly killed: number
  /** The ids of those that outlived two seconds of it. */
  readonly left: readonly number[]
}

/**
 * Kills every process that carries the marker, again and again until none is left. Only Linux tells the environment of
 * processes; elsewhere nothing is found, and process groups are all there is.
 */
export async function sweep(marker: string): Promise<Swept> {
  const end = performance.now() + sweepMs
  const killed = new Set<number>()
  for (;;) {
    const left = await signalMarked(marker, 'SIGKILL')
    for (const id of left) killed.add(id)
    if (left.length === 0 || performance.now() > end) return { killed: killed.size, left }
    await pause(pauseMs)
  }
}

/** Sends a signal to every process that carries the marker, our own excepted; their ids. */
export async function signalMarked(marker: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<readonly number[]> {
  const ids = await markedProcesses(marker)
  for (const id of ids) {
    try {
      process.kill(id, signal)
    } catch {
      // It ended by itself in between.
    }
  }
  return ids
}

async function markedProcesses(marker: string): Promise<readonly number[]> {
  if (process.platform !== 'linux') return []
  const { readdirSync, readFileSync } = await import('node:fs')
  const wanted = `${markerName}=${marker}`
  const isMarked = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/environ`, 'latin1').split('\0').includes(wanted)
    } catch {
      // Gone, or another user's.
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isMarked(name))
    .map(Number)
}
