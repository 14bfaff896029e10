import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CommandResult, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import {
  groupEnds,
  isOfRun,
  killRun,
  linuxRows,
  markerName,
  type ProcessRow,
  processesOfRun,
  processStart,
  type RunMark,
  signalGroup,
  treeOf,
} from '@jurist/kit/processes'
import { longestTimerMs } from '@jurist/kit/timers'
import type { Launch } from './sandbox/sandbox.js'

/** Returns the processor time so far of a command and everything it started, in milliseconds. It never decreases. */
type ProcessorMeter = () => Promise<number>

/**
 * Measures the processes of a run: the group of its leader, those with its marker (Linux), and their children. The time
 * a process used after the last reading is lost if its parent never waited for it.
 */
function processorMeter(run: RunMark): ProcessorMeter {
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

export interface ProcessOptions {
  /** The value of the variable that marks every process of the run. */
  readonly marker: string
  readonly timeoutMs: number | null
  /** The processor time of the whole tree, in milliseconds. */
  readonly cpuMs?: number | null
  readonly signals: readonly AbortSignal[]
  readonly stdin: 'ignore' | { readonly text: string }
  readonly maxOutputBytes: number
  readonly killAfterMs: number
  /** Called with each line of standard output, up to `maxOutputBytes` of them. */
  readonly onLine?: ((line: string) => void) | undefined
}

type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null }
type Stop = 'timeoutMs' | 'cpuMs' | 'aborted'

/**
 * How long output is still read, in milliseconds, when the process itself has ended but something keeps its pipes open.
 */
const drainMs = 250
/** A pipe contains at most 1 MiB, and each turn reads 64 KiB or more. */
const mostTurns = 16
/**
 * How long to wait for a killed process to end, in milliseconds. One that is stuck in the kernel must not block the
 * caller.
 */
const burialMs = 5_000
/** The pause between two readings of the processor time. */
const [shortestPauseMs, longestPauseMs] = [50, 1_000]

/** Runs one process with everything it starts, and leaves no process behind. Never rejects. */
export async function runProcess(launch: Launch, options: ProcessOptions): Promise<CommandResult> {
  const startedAt = performance.now()
  let child: ChildProcess
  try {
    child = await started(launch, options)
  } catch (thrown) {
    await launch.stop().catch(() => undefined)
    return notStarted({ ...failureOf(thrown), code: 'not-started' }, startedAt)
  }
  const output = [child.stdout, child.stderr].map((pipe) => captureOutput(pipe, options.maxOutputBytes))
  tellLines(child.stdout, options)
  const { ending, stop, cpuMs, left } = await lifeOf(child, options)
  const [stdout, stderr] = output.map((text) => text())
  const hasFailed = stop === undefined && typeof ending?.code === 'number' && ending.code !== 0
  const obstacle = hasFailed ? await launch.whyNotStarted?.(ending.code, stderr?.text ?? '') : undefined
  const stopFailure = await launch.stop().then(() => undefined, failureOf)
  for (const pipe of [child.stdout, child.stderr, child.stdin]) pipe?.destroy()
  if (stopFailure?.code === 'egress-failed') return notStarted({ ...stopFailure, infrastructure: true }, startedAt)
  if (obstacle !== undefined) return notStarted({ name: 'Error', code: 'not-started', message: obstacle }, startedAt)
  const failure = left.length > 0 ? leftover(left) : stopFailure
  return Object.freeze<CommandResult>({
    ...outcome(ending, stop),
    stdout: stdout?.text ?? '',
    stderr: stderr?.text ?? '',
    truncated: stdout?.truncated === true || stderr?.truncated === true,
    elapsedMs: performance.now() - startedAt,
    ...(stop === undefined || stop === 'aborted' ? {} : { exceeded: stop, cpuMs }),
    ...(failure === undefined ? {} : { failure }),
  })
}

/** The result of a command that never ran. */
export function notStarted(failure: Failure, startedAt: number): CommandResult {
  const elapsedMs = performance.now() - startedAt
  return Object.freeze<CommandResult>({ ...nothing, status: 'not-started', failure: Object.freeze(failure), elapsedMs })
}

/** The result of a command that was aborted before it ran. */
export function abortedBeforeStart(): CommandResult {
  return Object.freeze<CommandResult>({ ...nothing, status: 'aborted', elapsedMs: 0 })
}

const nothing = { exitCode: null, signal: null, stdout: '', stderr: '', truncated: false } as const

async function started(launch: Launch, { stdin, marker }: ProcessOptions): Promise<ChildProcess> {
  const { file, args, cwd, env, descriptor3 } = launch
  const child = spawn(file, [...args], {
    cwd,
    env: { ...env, [markerName]: marker },
    detached: true,
    stdio: [
      stdin === 'ignore' ? 'ignore' : 'pipe',
      'pipe',
      'pipe',
      ...(descriptor3 === undefined ? [] : (['pipe'] as const)),
    ],
  })
  // A process that could not be started emits an error event, never an exit.
  if (child.pid === undefined) throw await new Promise((resolve) => child.once('error', resolve))
  child.on('error', () => {})
  // A command need not read its input.
  child.stdin?.on('error', () => {})
  if (stdin !== 'ignore') child.stdin?.end(stdin.text)
  if (descriptor3 !== undefined) feed(child.stdio[3], descriptor3)
  return child
}

function feed(pipe: ChildProcess['stdio'][3], text: string): void {
  pipe?.on('error', () => {})
  if (pipe !== undefined && pipe !== null && 'end' in pipe) pipe.end(text)
}

interface Life {
  /** `undefined` for a process that did not end even when it was killed. */
  readonly ending: Ending | undefined
  readonly stop: Stop | undefined
  /** The processor time of a command that exceeded its limit, if the system reports it. */
  readonly cpuMs: number | undefined
  readonly left: readonly number[]
}

async function lifeOf(child: ChildProcess, options: ProcessOptions): Promise<Life> {
  const ended = new Promise<Ending>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const leader = child.pid ?? 0
  const run = { leader, marker: options.marker, began: processStart(leader) }
  const meter = processorMeter(run)
  const first = await endOrStop(ended, meter, options)
  const stop = typeof first === 'string' ? first : undefined
  const cpuMs = stop === undefined || stop === 'aborted' ? undefined : await meter().catch(() => undefined)
  // The processes are listed now: once its parent has ended, nothing shows whose child a process was.
  const known = stop === undefined ? [] : processesOfRun(run)
  if (stop !== undefined) {
    signalGroup(leader, 'SIGTERM')
    const end = performance.now() + options.killAfterMs
    // The group does not end before its leader, and each question about it reads the whole process table.
    await within(options.killAfterMs, ended)
    await groupEnds(leader, end - performance.now())
    signalGroup(leader, 'SIGKILL')
  }
  const ending = typeof first === 'string' ? await within(burialMs, ended) : first
  await within(drainMs, drained)
  await emptied([child.stdout, child.stderr])
  return { ending, stop, cpuMs, left: (await killRun(run, known)).left }
}

/**
 * Reads what an ended process has left in its pipes. When this process was busy, the time to drain them may be over
 * before it first looks at them. Output that arrives after many turns comes from a process that still has a pipe open.
 */
async function emptied(pipes: readonly (Readable | null)[]): Promise<void> {
  let chunks = 0
  const count = () => {
    chunks += 1
  }
  for (const pipe of pipes) pipe?.on('data', count)
  for (let turn = 0, seen = -1; turn < mostTurns && seen < chunks; turn++) {
    seen = chunks
    await setImmediate()
  }
  for (const pipe of pipes) pipe?.off('data', count)
}

/** Waits for the end of the process, for its time limit, or for a signal. */
async function endOrStop(
  ended: Promise<Ending>,
  meter: ProcessorMeter,
  { timeoutMs, cpuMs = null, signals }: ProcessOptions,
): Promise<Ending | Stop> {
  const over = new AbortController()
  const stopped = new Promise<Stop>((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve('aborted')
      signal.addEventListener('abort', () => resolve('aborted'), { signal: over.signal })
    }
    if (cpuMs !== null)
      usedUp(cpuMs, meter, over.signal).then(
        () => resolve('cpuMs'),
        () => undefined,
      )
    if (timeoutMs === null || timeoutMs > longestTimerMs) return
    const timer = globalThis.setTimeout(() => resolve('timeoutMs'), timeoutMs)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const first = await Promise.race([ended, stopped])
  over.abort()
  return first
}

/** Resolves when a command has used up its processor time; rejects when `signal` fires, or if the time is unknown. */
async function usedUp(limitMs: number, meter: ProcessorMeter, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = limitMs - (await meter())
    if (left <= 0) return
    // It cannot end earlier, even if all processors work for it.
    const pauseMs = Math.min(Math.max(left / availableParallelism(), shortestPauseMs), longestPauseMs)
    await setTimeout(pauseMs, undefined, { signal })
  }
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const over = new AbortController()
  const late = setTimeout(ms, undefined, { signal: over.signal }).catch(() => undefined)
  const first = await Promise.race([promise, late])
  over.abort()
  return first
}

function outcome(
  ending: Ending | undefined,
  stop: Stop | undefined,
): Pick<CommandResult, 'status' | 'exitCode' | 'signal'> {
  if (stop !== undefined) return { status: stop === 'aborted' ? stop : 'timed-out', exitCode: null, signal: null }
  if (typeof ending?.signal === 'string') return { status: 'killed', exitCode: null, signal: ending.signal }
  return { status: 'exited', exitCode: ending?.code ?? null, signal: null }
}

function leftover(ids: readonly number[]): Failure {
  const message = `Processes of the command could not be killed: ${ids.join(', ')}. End them by hand.`
  return Object.freeze({ name: 'Error', code: 'leftover-processes', message })
}

interface Captured {
  readonly text: string
  readonly truncated: boolean
}

/** Keeps the first and the last half of the output; memory stays within the cap, whatever is printed. */
function captureOutput(stream: Readable | null, maxBytes: number): () => Captured {
  const head: Buffer[] = []
  const tail: Buffer[] = []
  const headCap = Math.ceil(maxBytes / 2)
  const tailCap = maxBytes - headCap
  let [headBytes, tailBytes, total] = [0, 0, 0]
  stream?.on('data', (chunk: Buffer) => {
    total += chunk.length
    const forHead = Math.min(chunk.length, headCap - headBytes)
    if (forHead > 0) head.push(chunk.subarray(0, forHead))
    headBytes += forHead
    if (forHead === chunk.length) return
    tail.push(chunk.subarray(forHead))
    tailBytes += chunk.length - forHead
    for (let first = tail[0]; first !== undefined && tailBytes - first.length >= tailCap; first = tail[0]) {
      tailBytes -= first.length
      tail.shift()
    }
  })
  return () => {
    const first = Buffer.concat(head)
    const rest = Buffer.concat(tail)
    if (total <= maxBytes) return { text: Buffer.concat([first, rest]).toString('utf8'), truncated: false }
    const start = wholeStart(first)
    const end = wholeEnd(tailCap === 0 ? Buffer.alloc(0) : rest.subarray(-tailCap))
    const omitted = total - start.length - end.length
    const [before, after] = [start.toString('utf8'), end.toString('utf8')]
    const gap = before === '' || before.endsWith('\n') ? '' : '\n'
    return { text: `${before}${gap}… ${omitted} bytes omitted …\n${after}`, truncated: true }
  }
}

function tellLines(stream: Readable | null, { onLine, maxOutputBytes }: ProcessOptions): void {
  if (onLine === undefined) return
  const decoder = new StringDecoder()
  let begun: string[] = []
  let bytes = 0
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxOutputBytes) return
    const [rest = '', ...lines] = decoder.write(chunk).split('\n')
    begun.push(rest)
    for (const next of lines) {
      onLine(begun.join(''))
      begun = [next]
    }
  })
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Removes an incomplete UTF-8 sequence at the end, which the cut split. */
function wholeStart(bytes: Buffer): Buffer {
  let start = bytes.length - 1
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1
  const lead = bytes[start] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return length > 1 && start >= 0 && start + length > bytes.length ? bytes.subarray(0, start) : bytes
}

/** Removes the rest of a UTF-8 sequence at the start, which the cut split. */
function wholeEnd(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return bytes.subarray(start)
}
