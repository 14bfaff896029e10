import { grouped } from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { changeQuery, linkTo } from '../router.js'
import { chosenRuns } from './run-selection.js'

/** The runs that are chosen and what can be done with them. It stays in sight while the list scrolls. */
export function CompareBar({
  runs,
  query,
}: {
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}): JSX.Element | null {
  const chosen = new Set(chosenRuns(query))
  const known = runs.filter(({ id }) => chosen.has(id)).toReversed()
  if (known.length === 0) return null
  return (
    <section class="compare-bar" aria-label="Chosen runs">
      <span role="status">{known.length === 1 ? '1 chosen, choose one more' : `${grouped(known.length)} chosen`}</span>
      <CompareLink chosen={known} />
      <button type="button" onClick={() => changeQuery({ compare: undefined })}>
        Choose none
      </button>
    </section>
  )
}

/** Two runs are compared, the older one being the baseline; more are shown side by side. */
function CompareLink({ chosen }: { readonly chosen: readonly RunEntry[] }): JSX.Element | null {
  const [older, newer, ...more] = chosen
  if (older === undefined || newer === undefined) return null
  const ids = chosen.map(({ id }) => id)
  return more.length === 0 ? (
    <a class="button main" href={linkTo(['compare', older.id, newer.id])}>
      Compare the two
    </a>
  ) : (
    <a class="button main" href={linkTo(['together', ...ids])}>
      Show side by side
    </a>
  )
}
