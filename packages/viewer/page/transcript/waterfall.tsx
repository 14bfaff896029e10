import { isToolStep, type JournalStep, stepSummary, stepWord } from '@jurist/experiment/internal/journal'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { movedBy } from '../keys.js'
import { plainText } from '../text.js'
import { barsOf, stepNear, timesOf } from './bars.js'

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
