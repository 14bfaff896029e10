import { isToolStep, type JournalStep } from '@jurist/experiment/internal/journal'

/** The begin and the end of each step, as shares of the whole journal. */
export interface StepTimes {
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
