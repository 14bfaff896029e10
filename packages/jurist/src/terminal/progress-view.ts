import type { ExperimentEvent } from '@jurist/experiment'
import type { TrialPhase } from '@jurist/experiment/internal'
import { counted, trialText } from '@jurist/experiment/internal/results'
import { dollars, duration, type ItemResult, outcomeOf, reasonOf } from '@jurist/experiment/result'
import { fitted, padded, safeLine, widthOf } from '@jurist/kit/terminal'
import type { ProvingProgress, VetPlan } from '@jurist/vet'
import type { Terminal } from './terminal.js'

interface RunningTrial {
  readonly variant: string | null
  readonly itemId: string
  readonly repetition: number
  readonly phase: TrialPhase
  readonly since: number
}

interface EndedTrial {
  readonly variant: string | null
  readonly result: ItemResult
}

/** The progress of all runs of one command. */
export interface Progress {
  readonly experimentName: string
  readonly runs: number
  /** The trials of all runs. A run that has not started counts as many as the last one. */
  readonly trials: number
  readonly done: number
  /** Trials that resumed runs had already stored. */
  readonly resumed: number
  readonly passed: number
  readonly failed: number
  readonly undecided: number
  /** US dollars, including judges; `null` until a cost is declared. */
  readonly costUsd: number | null
  readonly running: readonly RunningTrial[]
  /** The progress of the evidence of a run that stops when it is decided; `null` for others. */
  readonly evidence: Pick<ExperimentEvent & { readonly type: 'evidence' }, 'items' | 'evidence' | 'line'> | null
}

/** Follows the events of one or several runs. */
interface Follower {
  readonly follow: (event: ExperimentEvent) => EndedTrial | undefined
  readonly counts: () => Omit<Progress, 'running'>
  readonly progress: () => Progress
}

/** Creates a follower of `expectedRuns` runs. */
function follower(expectedRuns: number, now: () => number = Date.now): Follower {
  const runs = new Map<string, { readonly variant: string | null; readonly trials: number; readonly resumed: number }>()
  const running = new Map<string, RunningTrial>()
  const counts = { done: 0, passed: 0, failed: 0, undecided: 0 }
  let experimentName = ''
  let costUsd: number | null = null
  let evidence: Progress['evidence'] = null
  const variantOf = (runId: string) => runs.get(runId)?.variant ?? null

  function start(event: ExperimentEvent & { readonly type: 'item-start' | 'item-phase' }): void {
    const { itemId, repetition, runId } = event
    const phase = event.type === 'item-phase' ? event.phase : 'setup'
    running.set(keyOf(event), { variant: variantOf(runId), itemId, repetition, phase, since: now() })
  }
  function end(event: ExperimentEvent & { readonly type: 'item-end' }): EndedTrial {
    const { result, runId } = event
    running.delete(keyOf(event))
    counts.done += 1
    counts[result.passed === null ? 'undecided' : result.passed ? 'passed' : 'failed'] += 1
    for (const cost of [result.costUsd, result.judgeCostUsd]) if (cost !== null) costUsd = (costUsd ?? 0) + cost
    return { variant: variantOf(runId), result }
  }
  function counted(): Omit<Progress, 'running'> {
    const facts = [...runs.values()]
    const ahead = Math.max(0, expectedRuns - facts.length) * (facts.at(-1)?.trials ?? 0)
    const resumed = facts.reduce((sum, run) => sum + run.resumed, 0)
    const trials = facts.reduce((sum, run) => sum + run.trials, ahead)
    return {
      experimentName,
      runs: runs.size,
      trials,
      ...counts,
      done: counts.done + resumed,
      resumed,
      costUsd,
      evidence,
    }
  }
  return {
    follow(event) {
      if (event.type === 'experiment-start') {
        experimentName = event.experimentName
        // A run may be widened, in which case the trials that it had stored have ended here.
        const { resumed } = runs.get(event.runId) ?? event
        runs.set(event.runId, { variant: event.variant, trials: event.trials, resumed })
      }
      if (event.type === 'evidence') evidence = event
      if (event.type === 'item-start' || event.type === 'item-phase') start(event)
      return event.type === 'item-end' ? end(event) : undefined
    },
    counts: counted,
    progress: () => ({ ...counted(), running: [...running.values()] }),
  }
}

function keyOf(event: { readonly runId: string; readonly itemId: string; readonly repetition: number }): string {
  return `${event.runId}\0${event.repetition}\0${event.itemId}`
}

/** Shows the progress of runs. `stop` restores the terminal. */
export interface ProgressView {
  readonly show: (event: ExperimentEvent) => void
  readonly stop: () => void
}

const quietMs = 60_000

/** Shows progress as plain lines: one for each trial that ended, and at least one per minute. */
export function progressLines(terminal: Terminal, { runs, verbose }: ProgressOptions): ProgressView {
  const { follow, counts } = follower(runs)
  let saidAt = Date.now()
  let running = 0
  let pending = ''
  const flush = () => {
    if (pending !== '') terminal.err(pending)
    pending = ''
  }
  // Trials that are stored together end in the same turn of the event loop, so their lines share one write.
  const say = (line: string) => {
    saidAt = Date.now()
    if (pending === '') setImmediate(flush)
    pending += `${line}\n`
  }
  const clock = setInterval(() => {
    if (Date.now() - saidAt < quietMs) return
    const { done, trials } = counts()
    say(trials === 0 ? 'Still preparing the run' : `[${done}/${trials}] ${counted(running, 'trial')} running`)
  }, 5_000)
  clock.unref()
  return {
    show(event) {
      // Lines do not name running trials, only their number.
      if (event.type === 'item-phase') return
      if (event.type === 'item-start') {
        if (event.attempt === 1) running += 1
        return
      }
      const ended = follow(event)
      if (event.type === 'experiment-start') say(startLine(event))
      if (event.type === 'warning') say(`warning: ${safeLine(event.message)}`)
      if (event.type === 'experiment-stop' && event.reason !== 'cancelled') say(`stopping: ${safeLine(event.message)}`)
      if (ended === undefined) return
      running -= 1
      const { done, trials } = counts()
      say(`[${done}/${trials}] ${[endedLine(ended, verbose), ...evidenceParts(counts())].join('  ')}`)
    },
    stop() {
      clearInterval(clock)
      flush()
    },
  }
}

function startLine(event: ExperimentEvent & { readonly type: 'experiment-start' }): string {
  const { experimentName, variant, runId, trials, resumed, startOrder } = event
  const stored = resumed === 0 ? '' : `, ${resumed} of them stored already`
  const order = startOrder === undefined ? '' : `; ${startOrder}`
  return `${experimentName}${variant === null ? '' : ` ${variant}`} run ${runId}: ${counted(trials, 'trial')}${stored}${order}`
}

/** Returns a notice if a run starts from the beginning although it was to be resumed, otherwise `undefined`. */
export function restartNotice(event: ExperimentEvent & { readonly type: 'experiment-start' }): string | undefined {
  const who = event.variant ?? event.experimentName
  return event.resumed === 0 ? `${who}: nothing to resume; all ${counted(event.trials, 'trial')} run.` : undefined
}

/** Formats a trial that ended in one line: `fail  rename-customer #1  14.2s  $0.07`. The reason follows on request. */
function endedLine({ variant, result }: EndedTrial, withReason: boolean): string {
  const name = `${variant === null ? '' : `${variant}/`}${safeLine(trialText(result))}`
  const cost = result.costUsd === null ? '' : `  ${dollars(result.costUsd)}`
  const line = `${padded(outcomeOf(result), 9)}  ${name}  ${duration(result.durationMs)}${cost}`
  const reason = result.passed === true || !withReason ? '' : safeLine(reasonOf(result))
  return reason === '' ? line : `${line}  ${reason}`
}

export interface ProgressOptions {
  readonly runs: number
  /** Whether the reason of every trial is printed when it ends. Reports contain the reasons at the end anyway. */
  readonly verbose: boolean
}

/** How runs are shown here: as a region, or as plain lines where the terminal is not live. */
export function progressView(terminal: Terminal, options: ProgressOptions, isPlain = !terminal.live): ProgressView {
  return isPlain ? progressLines(terminal, options) : progressRegion(terminal, options)
}

const redrawMs = 100
const maxRunning = 8

/** Shows progress as a few lines at the bottom of the terminal, redrawn at most ten times per second. */
function progressRegion(terminal: Terminal, { runs, verbose }: ProgressOptions): ProgressView {
  const { follow, progress } = follower(runs)
  const startedAt = Date.now()
  let drawn = 0
  let missed: EndedTrial | undefined
  const wipe = () => (drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`)
  const draw = (above = '') => {
    const lines = regionLines(progress(), { elapsedMs: Date.now() - startedAt, missed }, terminal)
    terminal.err(`${wipe()}${above}${lines.map((line) => `${line}\n`).join('')}`)
    drawn = lines.length
  }
  const scroll = (line: string) => draw(`${fitted(line, terminal.progressColumns - 1)}\n`)
  const clock = setInterval(draw, redrawMs, '')
  clock.unref()
  return {
    show(event: ExperimentEvent) {
      const ended = follow(event)
      if (event.type === 'warning') scroll(`warning: ${safeLine(event.message)}`)
      if (ended?.result.passed === false) missed = ended
      if (ended !== undefined && verbose) scroll(endedLine(ended, true))
    },
    stop() {
      clearInterval(clock)
      terminal.err(wipe())
      drawn = 0
    },
  }
}

interface Seen {
  readonly elapsedMs: number
  /** The last trial that failed, so that the user can stop a run in which every trial fails in the same way. */
  readonly missed: EndedTrial | undefined
}

function regionLines(progress: Progress, { elapsedMs, missed }: Seen, terminal: Terminal): readonly string[] {
  if (progress.runs === 0) return ['preparing']
  const shown = progress.running.slice(0, maxRunning)
  const more = progress.running.length > maxRunning ? [`  and ${progress.running.length - maxRunning} more`] : []
  const last = missed === undefined ? [] : [`  last failed: ${endedLine(missed, true)}`]
  const lines = [...summaryLines(progress, elapsedMs, terminal), ...shown.map(runningLine), ...more, ...last]
  return lines.map((line) => fitted(line, terminal.progressColumns - 1, terminal.unicode ? '…' : '~'))
}

function runningLine({ variant, itemId, repetition, phase, since }: RunningTrial): string {
  const name = `${variant === null ? '' : `${variant}/`}${safeLine(trialText({ itemId, repetition }))}`
  return `  ${padded(name, 32)}  ${padded(phase, 6)} ${duration(Date.now() - since)}`
}

/** The evidence against the line where the run stops: `evidence 6.2 of 40 after 31 items`. */
function evidenceParts({ evidence: grown }: Pick<Progress, 'evidence'>): readonly string[] {
  if (grown === null) return []
  const value = grown.evidence >= 100 ? 'over 100' : grown.evidence.toPrecision(2)
  return [`evidence ${value} of ${Math.round(grown.line)} after ${counted(grown.items, 'item')}`]
}

const widestBar = 28
const narrowestBar = 4

/**
 * Formats the progress of runs: a bar, counts, cost, elapsed and remaining time. In a narrow terminal, the bar first
 * shrinks and then disappears, and the rest wraps to the next line.
 */
export function summaryLines(
  progress: Progress,
  elapsedMs: number,
  { progressColumns, unicode }: Pick<Terminal, 'progressColumns' | 'unicode'>,
): readonly string[] {
  const room = progressColumns - 1 - indent.length
  const { done, trials, costUsd } = progress
  const parts = [
    `${done}/${trials}`,
    countsText(progress, unicode, room),
    ...evidenceParts(progress),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
    `${duration(elapsedMs)}${timeLeft(progress, elapsedMs)}`,
  ]
  const bar = Math.min(widestBar, room - widthOf(parts.join(gap)) - gap.length)
  const all = bar < narrowestBar ? parts : [barText(progress, bar, unicode), ...parts]
  return wrapped(all, room).map((line) => `${indent}${line}`)
}

const indent = '  '
const gap = '   '

function countsText({ running, passed, failed, undecided }: Progress, unicode: boolean, room: number): string {
  const ended = [`${passed} passed`, `${failed} failed`, ...(undecided > 0 ? [`${undecided} undecided`] : [])]
  const dot = unicode ? ' · ' : ', '
  const all = [`${running.length} running`, ...ended].join(dot)
  // The running trials are listed below.
  return widthOf(all) + 12 > room ? ended.join(dot) : all
}

function barText({ done, trials }: Progress, columns: number, unicode: boolean): string {
  const filled = trials === 0 ? 0 : Math.min(columns, Math.round((done / trials) * columns))
  const [full, empty] = unicode ? ['█', '░'] : ['#', '.']
  return `${full.repeat(filled)}${empty.repeat(columns - filled)}`
}

/** The remaining time at the current pace. */
function timeLeft({ done, resumed, trials }: Omit<Progress, 'running'>, elapsedMs: number): string {
  const ended = done - resumed
  return ended < 1 || done >= trials ? '' : `, about ${duration((elapsedMs / ended) * (trials - done))} left`
}

/** Distributes the parts over as few lines as possible. */
function wrapped(parts: readonly string[], room: number): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)}${gap}${part}`
    if (lines.length > 0 && widthOf(longer) <= room) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}

const betweenMs = 5_000

/** The progress of a command that vets. */
export interface VetProgress extends ProgressView {
  /** Prints the plan with an estimate of its duration. */
  readonly plan: (plan: VetPlan) => void
  /** Shows the progress of comparing survivors with their references. */
  readonly proving: (progress: ProvingProgress) => void
}

/**
 * Shows the progress of runs that vet a benchmark as plain lines: the start of each run, warnings, and every few
 * seconds the progress and an estimate of the remaining time.
 */
export function vetProgress(terminal: Terminal, isQuiet: boolean): VetProgress {
  const { follow, counts } = follower(0)
  let [saidAt, startedAt, planned] = [0, Date.now(), 0]
  let kind = ''
  const say = (line: string) => {
    if (!isQuiet) terminal.err(`${line}\n`)
  }
  return {
    plan({ items, trials, expectedMs }) {
      planned = trials
      const time = expectedMs === null ? '' : `, about ${duration(expectedMs)} by their locks`
      say(`${counted(items, 'item')}: about ${counted(trials, 'trial')}${time}`)
    },
    show(event: ExperimentEvent) {
      const ended = follow(event)
      if (event.type === 'experiment-start') {
        const stored = event.resumed === 0 ? '' : `, ${event.resumed} of them stored already`
        if (kind === '') startedAt = Date.now()
        kind = event.kind
        say(`${kind} ${event.experimentName} run ${event.runId}: ${counted(event.trials, 'trial')}${stored}`)
      }
      if (event.type === 'warning') say(`warning: ${safeLine(event.message)}`)
      if (event.type === 'experiment-stop' && event.reason !== 'cancelled') say(`stopping: ${safeLine(event.message)}`)
      if (ended === undefined || event.type !== 'item-end') return
      if (event.done < event.trials && Date.now() - saidAt < betweenMs) return
      saidAt = Date.now()
      const known = counts()
      const all = { ...known, trials: Math.max(planned, known.trials) }
      say(`${kind} [${event.done}/${event.trials}]${timeLeft(all, saidAt - startedAt)}`)
    },
    proving({ runId, done, survivors, stored }) {
      const isFirst = done === stored
      if (!isFirst && done < survivors && Date.now() - saidAt < betweenMs) return
      saidAt = isFirst ? saidAt : Date.now()
      const known = stored === 0 ? '' : `, ${stored} of them stored already`
      say(isFirst ? `prove run ${runId}: ${counted(survivors, 'survivor')}${known}` : `prove [${done}/${survivors}]`)
    },
    stop: () => undefined,
  }
}
