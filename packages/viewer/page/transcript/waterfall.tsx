import { isToolStep, type JournalStep, stepSummary, stepWord } from '@jurist/experiment/internal/journal'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { movedBy } from '../keys.js'
import { plainText } from '../text.js'

const [width, height] = [1_000, 40]

/** The steps of a journal over time, as a slider: a click or the arrow keys choose a step, which the list shows. */
export function Waterfall(props: {
  readonly steps: readonly JournalStep[]
  /** The index of the chosen step in `steps`. */
  readonly current: number
  /** The indexes in `steps` of what the list shows. */
  readonly visible: { readonly first: number; readonly last: number }
  readonly onChoose: (step: number) => void
}): JSX.Element | null {
  const { steps, current, visible, onChoose } = props
  const times = useMemo(() => timesOf(steps), [steps])
  const bars = useMemo(() => barsOf(steps, times), [steps, times])
  const onKeyDown = (event: KeyboardEvent) => {
    const tenth = Math.max(1, Math.round(steps.length / 10))
    const arrows = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }
    const next = movedBy(event.key, current, steps.length, { ...arrows, PageUp: tenth, PageDown: -tenth })
    if (next === undefined) return
    event.preventDefault()
    onChoose(next)
  }
  const onClick = ({ currentTarget, clientX }: JSX.TargetedMouseEvent<HTMLDivElement>) => {
    const { left, width: shown } = currentTarget.getBoundingClientRect()
    onChoose(stepNear(steps, times, (clientX - left) / shown))
  }
  if (steps.length < 2) return null
  const at = (times.starts[current] ?? 0) * width
  const [from, to] = [times.starts[visible.first] ?? 0, times.ends[visible.last] ?? 1]
  return (
    <div
      class="waterfall"
      role="slider"
      tabIndex={0}
      aria-label="Steps over time"
      aria-valuemin={1}
      aria-valuemax={steps.length}
      aria-valuenow={Math.max(0, current) + 1}
      aria-valuetext={valueText(steps[Math.max(0, current)])}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="shown" x={from * width} width={Math.max(4, (to - from) * width)} y={0} height={height} />
        {bars.map((bar) => (
          <rect
            class={bar.lane}
            key={`${bar.lane} ${bar.from}`}
            x={bar.from * width}
            width={Math.max(1.6, (bar.to - bar.from) * width)}
            {...lanes[bar.lane]}
          />
        ))}
        {current < 0 ? null : <line class="at" x1={at} x2={at} y1={0} y2={height} />}
      </svg>
      <div class="row quiet small" aria-hidden="true">
        {kinds.map(([lane, name]) =>
          bars.some((bar) => bar.lane === lane) ? (
            <span key={lane}>
              <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">
                <rect class={lane} width="1" height="1" />
              </svg>
              {name}
            </span>
          ) : null,
        )}
        {times.totalMs > 0 ? <span class="end">{duration(times.totalMs)}</span> : null}
      </div>
    </div>
  )
}

const kinds = [
  ['message', 'messages'],
  ['tool', 'tools'],
  ['failed', 'failed'],
  ['phase', 'phases'],
] as const

const lanes = {
  message: { y: 3, height: 6 },
  tool: { y: 13, height: 12 },
  failed: { y: 11, height: 26 },
  phase: { y: 0, height },
} as const

function valueText(step: JournalStep | undefined): string {
  if (step === undefined) return ''
  const { content, isFailed, sinceStartMs } = step
  const time = sinceStartMs === null ? '' : `${duration(sinceStartMs)}: `
  const failed = isFailed ? ', failed' : ''
  const summary = isToolStep(content) ? ` ${plainText(stepSummary(content)).slice(0, 80)}` : ''
  return `${time}${plainText(stepWord(content))}${summary}${failed}`
}

/** The begin and the end of each step, as shares of the whole journal. */
interface StepTimes {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** 0: the journal has no times. */
  readonly totalMs: number
}

/** Computes the times of steps, between 0 and 1. The steps of a journal without times are spread evenly. */
export function timesOf(steps: readonly JournalStep[]): StepTimes {
  const total = steps.reduce((most, step) => Math.max(most, endOf(step)), 0)
  if (total <= 0) {
    const share = (index: number) => index / Math.max(1, steps.length)
    const [starts, ends] = [0, 1].map((more) => steps.map((_, index) => share(index + more)))
    return { starts: starts ?? [], ends: ends ?? [], totalMs: 0 }
  }
  let last = 0
  const starts = steps.map(({ sinceStartMs }) => {
    last = sinceStartMs === null ? last : sinceStartMs / total
    return last
  })
  const ends = steps.map(({ elapsedMs }, index) => Math.min(1, (starts[index] ?? 0) + (elapsedMs ?? 0) / total))
  return { starts, ends, totalMs: total }
}

function endOf({ sinceStartMs, elapsedMs }: JournalStep): number {
  return (sinceStartMs ?? 0) + (elapsedMs ?? 0)
}

/** A mark of the waterfall, between 0 and 1. */
interface Bar {
  readonly lane: 'message' | 'tool' | 'failed' | 'phase'
  readonly from: number
  readonly to: number
}

/** Time is divided into this many parts; steps within one part share a mark. */
const parts = 500

/** Returns the marks of a journal. Their number does not grow with the journal. */
export function barsOf(steps: readonly JournalStep[], { starts, ends }: StepTimes): readonly Bar[] {
  const bars = new Map<string, Bar>()
  for (const [index, step] of steps.entries()) {
    const [from, to] = [starts[index] ?? 0, ends[index] ?? 0]
    const lane = laneOf(step)
    const key = `${lane} ${Math.floor(from * parts)}`
    const known = bars.get(key)
    if (known === undefined) bars.set(key, { lane, from, to })
    else if (to > known.to) bars.set(key, { ...known, to })
  }
  return [...bars.values()]
}

function laneOf({ content, isFailed }: JournalStep): Bar['lane'] {
  if (isFailed) return 'failed'
  if (content.kind === 'phase') return 'phase'
  return isToolStep(content) || content.kind === 'result' ? 'tool' : 'message'
}

/** A failure within this distance of a point takes precedence over nearer steps. */
const nearby = 0.006

/** Finds the step nearest to a point in time between 0 and 1. A failure near it takes precedence. */
export function stepNear(steps: readonly JournalStep[], { starts, ends }: StepTimes, at: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [index, step] of steps.entries()) {
    const [from, to] = [starts[index] ?? 0, ends[index] ?? 0]
    const distance = at < from ? from - at : at > to ? at - to : 0
    const rank = step.isFailed && distance <= nearby ? distance - nearby : distance
    if (rank < least) [best, least] = [index, rank]
  }
  return best
}
