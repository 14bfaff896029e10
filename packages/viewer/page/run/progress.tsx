import { grouped } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'

/** How far a running run has come, and how long the rest takes at its pace so far; nothing for a run that has ended. */
export function Progress({ document: { run } }: { readonly document: RunDocument }): JSX.Element | null {
  if (run.status !== 'running') return null
  const { planned, run: ended } = run.counts
  const elapsedMs = Math.max(0, Date.now() - Date.parse(run.startedAt))
  const left = remainingMs({ planned, ended, elapsedMs })
  return (
    <div class="progress">
      <progress max={planned} value={ended} aria-label="Trials that have ended" />
      <span>
        {grouped(ended)} of {grouped(planned)} trials
        <span class="quiet">
          , {duration(elapsedMs)} so far{left === undefined ? '' : `, about ${duration(left)} left`}
        </span>
      </span>
    </div>
  )
}

/** The time of the trials that are left, from the pace so far; `undefined` before the first has ended. */
function remainingMs({
  planned,
  ended,
  elapsedMs,
}: {
  readonly planned: number
  readonly ended: number
  readonly elapsedMs: number
}): number | undefined {
  return ended === 0 ? undefined : (elapsedMs / ended) * Math.max(0, planned - ended)
}
