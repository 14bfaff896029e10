import type { Json, Usage } from '@jurist/core'
import {
  argumentsOf,
  isPlainObject,
  type ToolCallEvent,
  type ToolResultEvent,
  totalUsage,
  waitingCalls,
} from '@jurist/core/internal'
import { type FileEdit, fileEdits } from './file-edits.js'
import { type RecordedEvent, recordedEvent } from './journal-events.js'
import { shellCommand, shellResult, toolAction } from './tool-calls.js'

/** One step of a journal, as a person reads it. A tool call contains its result. */
export interface JournalStep {
  /** The index of its event in the journal, from 0. */
  readonly index: number
  /** The index of the result of a call. */
  readonly resultIndex?: number
  readonly phase: string
  /** Milliseconds since the first event; `null` without a time. */
  readonly sinceStartMs: number | null
  /** How long it took in milliseconds; `null` where that is not recorded. */
  readonly elapsedMs: number | null
  readonly isFailed: boolean
  readonly content: StepContent
}

/** The content of a step of a journal. */
export type StepContent =
  | { readonly kind: 'phase'; readonly name: string }
  | { readonly kind: 'prompt' | 'text' | 'thinking'; readonly text: string }
  | ModelCallContent
  | ToolContent
  /** A result without a call. */
  | { readonly kind: 'result'; readonly output: string }
  | { readonly kind: 'state'; readonly state: string }
  | { readonly kind: 'file'; readonly path: string; readonly change: string }
  /** Output of a program outside of any tool. */
  | { readonly kind: 'output'; readonly name: string; readonly output: string }
  /** Everything else: events of one framework, records of unknown types, damaged events. */
  | { readonly kind: 'other'; readonly name: string; readonly value: Json }

/** A turn of the model. Figures that were not recorded are `null`. */
export interface ModelCallContent {
  readonly kind: 'model-call'
  /** The number of the turn, from 1. */
  readonly turn: number
  readonly model: string
  readonly finishReason: string | null
  readonly usage: Usage | null
  readonly costUsd: number | null
  /** Sums over this turn and all before it. */
  readonly soFar: { readonly usage: Usage; readonly costUsd: number | null }
}

/** A call of a tool: a command, an edit, or another tool. */
export interface ToolContent {
  readonly kind: 'shell' | 'edit' | 'tool'
  readonly tool: string
  readonly input: Json
  /** The command of a shell call. */
  readonly command?: string
  /** The exit code of a shell call, where it is recorded. */
  readonly exitCode?: number
  readonly edits?: readonly FileEdit[]
  /** The result of the tool; `null` while it runs, or if no result was recorded. */
  readonly output: string | null
}

/** The phase of an agent that has only one. */
const onlyPhase = 'agent'

/**
 * The steps of a journal, in order: each record becomes a separate step, except results, which belong to their calls. A
 * change of the phase is a step before the first step of that phase.
 *
 * @param records what a journal contains, one value a line, without its header
 */
export function journalSteps(records: readonly unknown[]): readonly JournalStep[] {
  return stepReader()(records)
}

/** Reads the steps of a journal that arrives in parts. With each part, it returns all steps so far. */
export function stepReader(): (records: readonly unknown[]) => readonly JournalStep[] {
  const steps: JournalStep[] = []
  const waiting = waitingCalls<{ readonly call: ToolCallEvent; readonly place: number }>()
  const contentOf = contentReader()
  let [count, current] = [0, onlyPhase]
  let startMs: number | null = null
  const read = (event: RecordedEvent): void => {
    const index = count++
    const atMs = timeOf(event)
    startMs ??= atMs
    const called = event.type === 'tool-result' ? waiting.take(event.id) : undefined
    if (called !== undefined && event.type === 'tool-result') {
      const step = steps[called.place] as JournalStep
      steps[called.place] = { ...step, resultIndex: index, ...withResult(called.call, event) }
      return
    }
    const phase = 'phase' in event && typeof event.phase === 'string' && event.phase !== '' ? event.phase : current
    const step = {
      index,
      phase,
      sinceStartMs: atMs === null || startMs === null ? null : Math.max(0, atMs - startMs),
      elapsedMs: event.type === 'model-call' ? numberOr(event.elapsedMs, null) : null,
      isFailed: isFailed(event),
      content: contentOf(event),
    }
    if (phase !== current)
      steps.push({ ...step, elapsedMs: null, isFailed: false, content: { kind: 'phase', name: phase } })
    current = phase
    if (event.type === 'tool-call') waiting.add(event.id, { call: event, place: steps.length })
    steps.push(step)
  }
  return (records) => {
    for (const record of records) read(recordedEvent(record))
    return [...steps]
  }
}

function timeOf({ at }: RecordedEvent): number | null {
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
  return Number.isNaN(time) ? null : time
}

function withResult(
  call: ToolCallEvent,
  result: ToolResultEvent,
): Pick<JournalStep, 'elapsedMs' | 'isFailed' | 'content'> {
  const [from, to] = [timeOf(call), timeOf(result)]
  return {
    elapsedMs: numberOr(result.elapsedMs, from === null || to === null ? null : Math.max(0, to - from)),
    isFailed: result.failed === true,
    content: toolContent(call, result),
  }
}

function isFailed(event: RecordedEvent): boolean {
  if (event.type === 'tool-result') return event.failed === true
  if (event.type === 'state') return event.state === 'permission-denied'
  return event.type === 'custom' && /(^|[._-])error$/.test(event.name)
}

/** Reads contents in order, as turns are counted and their figures added up. */
function contentReader(): (event: RecordedEvent) => StepContent {
  let turn = 0
  let usage: Usage = {}
  let costUsd: number | null = null
  return (event) => {
    switch (event.type) {
      case 'prompt':
      case 'text':
      case 'thinking':
        return { kind: event.type, text: event.text }
      case 'model-call': {
        const used = usageIn(event.usage)
        const cost = numberOr(event.costUsd, null)
        turn += 1
        usage = totalUsage([usage, used])
        if (cost !== null) costUsd = (costUsd ?? 0) + cost
        const { model, finishReason = null } = event
        return { kind: 'model-call', turn, model, finishReason, usage: used, costUsd: cost, soFar: { usage, costUsd } }
      }
      case 'tool-call':
        return toolContent(event, null)
      case 'tool-result':
        return { kind: 'result', output: event.content }
      case 'state':
        return { kind: 'state', state: event.state }
      case 'file':
        return { kind: 'file', path: event.path, change: event.change }
      case 'custom':
        if (typeof event.data === 'string') return { kind: 'output', name: event.name, output: event.data }
        return { kind: 'other', name: event.name, value: event.data ?? null }
      case 'unknown':
        return { kind: 'other', name: nameOf(event.value), value: event.value ?? null }
      default:
        return event satisfies never
    }
  }
}

function toolContent(call: ToolCallEvent, result: ToolResultEvent | null): ToolContent {
  const { name: tool } = call
  const input = argumentsOf(call.input)
  const output = result?.content ?? null
  const edits = fileEdits(input)
  const action = toolAction({ ...call, input })
  if (edits.length > 0 && (action === 'write' || edits.some(({ parts }) => parts.length > 0 && action === 'run')))
    return { kind: 'edit', tool, input, edits, output }
  const command = action === 'run' || action === 'test' ? shellCommand(input) : undefined
  if (command === undefined) return { kind: 'tool', tool, input, output }
  const shown = output === null ? { output, exitCode: null } : shellResult(output)
  const exit = shown.exitCode === null ? {} : { exitCode: shown.exitCode }
  return { kind: 'shell', tool, input, command, output: shown.output, ...exit }
}

function nameOf(value: Json): string {
  if (value === undefined || value === null) return 'damaged line'
  const type = isPlainObject(value) ? (value as { readonly type?: unknown }).type : undefined
  return typeof type === 'string' ? type : 'unknown event'
}

function numberOr(value: unknown, other: number | null): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : other
}

/** The counts of a usage; `null` when there are none. */
function usageIn(usage: unknown): Usage | null {
  if (!isPlainObject(usage)) return null
  const counts = Object.entries(usage).filter(([, count]) => typeof count === 'number' && Number.isFinite(count))
  return counts.length === 0 ? null : totalUsage([Object.fromEntries(counts) as Usage])
}
