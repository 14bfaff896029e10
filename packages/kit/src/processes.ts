import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { groupBy } from './group-by.js'

/**
 * The environment variable that marks every process of a run. Processes inherit it, so it also finds those that left the
 * process group. Its value must be random and different for each run.
 */
export const markerName = 'JURIST_RUN'

/** Identifies the processes of one run. */
export interface RunMark {
  /** The value of the variable `markerName`. */
  readonly marker: string
  /** The process that leads the process group of the run. Absent: only the marker counts. */
  readonly leader?: number
  /**
   * The start time of the leader, as `processStart` returns it. Processes that started earlier are skipped, which saves
   * reading most environments. Default: none are skipped.
   */
  readonly began?: string | undefined
}

/** One process in the system's process table. */
export interface ProcessRow {
  readonly id: number
  readonly parent: number
  readonly group: number
  /** Milliseconds of processor time. On Linux this includes children that ended and were waited for. */
  readonly ms: number
  /** The start time in the system's own unit, or `''` if unknown. It distinguishes two processes that had the same id. */
  readonly began: string
}

/** The result of `killRun`. */
export interface Killed {
  /** The number of processes that were killed. */
  readonly killed: number
  /** The ids of processes that were still running after two seconds. */
  readonly left: readonly number[]
}

/** Linux counts processor time in hundredths of a second on every platform that Node supports. */
const tickMs = 10

const killForMs = 2_000
const pauseMs = 10
const longestPauseMs = 80

/** Sends a signal to a process group. Returns `false` if the group has no process left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits until no process of a group runs, for at most `withinMs`. */
export async function groupEnds(leader: number, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  for (let pause = pauseMs; performance.now() < end && groupRuns(leader); pause = Math.min(2 * pause, longestPauseMs))
    await setTimeout(Math.min(pause, withinMs))
}

/** A process that ended stays in its group until its parent waits for it, which some parents never do. */
function groupRuns(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false
  if (process.platform !== 'linux') return true
  const states = processIds().flatMap((id) => stateIn(leader, id))
  return states.length === 0 || states.some((state) => !hasEnded(state))
}

/** Returns the one-letter state of a process in that group, or an empty array for other processes. */
function stateIn(group: number, id: string): readonly string[] {
  const [state = '', , ownGroup] = statFields(id)
  return ownGroup === String(group) ? [state] : []
}

/**
 * Kills the process group of a run and, on Linux, every process that has its marker, with all their children. Repeats
 * until none is left, for at most two seconds. The current process is not killed.
 *
 * @param known processes of the run that were seen earlier. A child that left the group and cleared its environment is
 * found only through its parent, as long as the parent lives.
 */
export async function killRun(run: RunMark, known: readonly ProcessRow[] = []): Promise<Killed> {
  const end = performance.now() + killForMs
  const killed = new Map<number, ProcessRow>()
  for (;;) {
    const seen = [...known.filter(isRunning), ...processesOfRun(run)]
    const hasGroup = run.leader !== undefined && signalGroup(run.leader, 'SIGKILL')
    // In the usual case, /proc need not be read a second time.
    if (seen.length === 0 && !hasGroup) return { killed: killed.size, left: [] }
    const kill = (row: ProcessRow) => signalProcess(row.id, 'SIGKILL') && killed.set(row.id, row)
    seen.forEach(kill)
    const marked = linuxRows().filter((row) => row.id !== process.pid && hasMarker(row, run))
    marked.forEach(kill)
    // A killed process keeps running until the system gets to it, which takes a while on a loaded machine.
    const left = new Set([...marked, ...[...killed.values()].filter(isRunning)].map(({ id }) => id))
    if (left.size === 0 || performance.now() > end) return { killed: killed.size, left: [...left] }
    await setTimeout(pauseMs)
  }
}

/** Sends a signal to every process of a run and their children (Linux), except the current process. */
export function signalRun(run: RunMark, signal: NodeJS.Signals): void {
  for (const { id } of processesOfRun(run)) signalProcess(id, signal)
}

function signalProcess(id: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(id, signal)
    return true
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

/** Returns the processes of a run with all their children. Empty on systems without `/proc` (macOS). */
export function processesOfRun(run: RunMark): readonly ProcessRow[] {
  return treeOf(linuxRows(), isOfRun(run)).filter(({ id }) => id !== process.pid)
}

/** Whether the process is running. A zombie is not. */
function isRunning({ id, began }: ProcessRow): boolean {
  const fields = statFields(String(id))
  return began !== '' && fields[19] === began && !hasEnded(fields[0])
}

function hasEnded(state: string | undefined): boolean {
  return state === 'Z' || state === 'X'
}

/** Returns a predicate for processes that are in the group of a run or have its marker. */
export function isOfRun(run: RunMark): (row: ProcessRow) => boolean {
  return (row) => row.group === run.leader || hasMarker(row, run)
}

/** Returns the rows that `belongs` accepts, and all their descendants. */
export function treeOf(rows: readonly ProcessRow[], belongs: (row: ProcessRow) => boolean): readonly ProcessRow[] {
  const children = groupBy(rows, ({ parent }) => parent)
  const members = new Set(rows.filter(belongs))
  for (const { id } of members) for (const child of children.get(id) ?? []) members.add(child)
  return [...members]
}

/** Returns all processes in `/proc`. Empty on systems without it. */
export function linuxRows(): readonly ProcessRow[] {
  return processIds().flatMap((id) => {
    const fields = statFields(id)
    const [parent, group] = [Number(fields[1]), Number(fields[2])]
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
    return fields.length < 15 ? [] : [{ id: Number(id), parent, group, ms: ticks * tickMs, began: fields[19] ?? '' }]
  })
}

/**
 * Returns the processes of runs that nothing waits for: they have the mark of a run, and no process of that
 * run is a child of an unmarked process. Empty on systems without `/proc`.
 */
export function abandonedProcesses(): readonly ProcessRow[] {
  const rows = linuxRows()
  const marks = new Map(rows.map((row) => [row.id, markOf(row.id)]))
  const awaited = new Set<string>()
  for (const { id, parent } of rows) {
    const [mark, isMarked] = [marks.get(id), marks.get(parent) !== undefined]
    if (mark !== undefined && !isMarked && !adopts(parent)) awaited.add(mark)
  }
  return rows.filter(({ id }) => {
    const mark = marks.get(id)
    return mark !== undefined && !awaited.has(mark) && id !== process.pid && !hasEnded(statFields(String(id))[0])
  })
}

function markOf(id: number): string | undefined {
  return readProcess(String(id), 'environ')
    .split('\0')
    .find((one) => one.startsWith(`${markerName}=`))
}

/** Whether a process is one that orphans become children of. */
function adopts(id: number): boolean {
  return id <= 1 || /^\d+ \((?:systemd|init|tini|dumb-init|catatonit)\)/.test(readProcess(String(id), 'stat'))
}

function hasMarker({ id, began }: ProcessRow, run: RunMark): boolean {
  if (run.began !== undefined && Number(began) < Number(run.began)) return false
  return readProcess(String(id), 'environ').split('\0').includes(`${markerName}=${run.marker}`)
}

/**
 * Returns the start time of a process in the system's own unit; `undefined` if the process or `/proc` does not exist.
 */
export function processStart(id: number): string | undefined {
  return statFields(String(id))[19]
}

/** Returns the fields of `/proc/<id>/stat` from the state on. Empty for a process that has ended. */
function statFields(id: string): readonly string[] {
  const stat = readProcess(id, 'stat')
  // The program name before it, in parentheses, may contain anything.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function processIds(): readonly string[] {
  return process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
}

const chunk = Buffer.allocUnsafe(65_536)

/**
 * Reads a file in `/proc/<id>`. Empty if the process has ended or belongs to another user. Every command ends with a look
 * at all processes, and `readFileSync` takes four times as long for files whose size the system does not say.
 */
function readProcess(id: string, file: 'environ' | 'stat'): string {
  let opened: number | undefined
  try {
    opened = openSync(`/proc/${id}/${file}`, 'r')
    let text = ''
    for (let count = chunk.length; count === chunk.length; ) {
      count = readSync(opened, chunk)
      text += chunk.toString('latin1', 0, count)
    }
    return text
  } catch {
    return ''
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
