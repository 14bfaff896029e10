import { outcomes, type TrialOutcome } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { count } from '../amounts.js'
import { OutcomeMark } from '../outcome-mark.js'
import { changeQuery } from '../place.js'

/** How many trials ended how; choosing an outcome shows only those. */
export function OutcomeChoice({
  counts,
  query,
}: {
  readonly counts: Readonly<Record<TrialOutcome, number>> | undefined
  readonly query: URLSearchParams
}): JSX.Element {
  const wanted = query.get('outcome')
  const there = outcomes.filter((outcome) => outcome === wanted || (counts?.[outcome] ?? 0) > 0)
  return (
    <fieldset class="choices">
      <legend class="hidden">Only trials that</legend>
      {there.map((outcome) => (
        <button
          type="button"
          key={outcome}
          aria-pressed={outcome === wanted}
          onClick={() => changeQuery({ outcome: outcome === wanted ? undefined : outcome })}
        >
          <OutcomeMark outcome={outcome} /> {count(counts?.[outcome])}
        </button>
      ))}
    </fieldset>
  )
}
