import type { RunEntry } from '@jurist/experiment/store'

/** The runs that match the query: `q` searches, `kind` filters, `sort` names a column, `order=desc` reverses the order. */
export function selectedRuns(runs: readonly RunEntry[], query: URLSearchParams): readonly RunEntry[] {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/)
  const kind = query.get('kind')
  const found = runs.filter((run) => {
    const text = [run.id, run.experimentName, run.variant, run.session, run.status].join(' ').toLowerCase()
    return (kind === null || run.kind === kind) && words.every((word) => text.includes(word))
  })
  const sort = query.get('sort') ?? ''
  const sortValue = Object.hasOwn(sortValues, sort) ? sortValues[sort] : undefined
  if (sortValue === undefined) return found
  const direction = query.get('order') === 'desc' ? -1 : 1
  return found.toSorted((a, b) => {
    const [left, right] = [sortValue(a), sortValue(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left < right ? -direction : left > right ? direction : 0
  })
}

/** Runs without a value come last in both orders. */
const sortValues: Readonly<Record<string, (run: RunEntry) => string | number | null>> = {
  variant: ({ variant }) => variant,
  started: ({ startedAt }) => startedAt,
  status: ({ status }) => status,
  rate: ({ passRate }) => passRate,
  cost: ({ costUsd }) => costUsd,
  judges: ({ judgeCostUsd }) => judgeCostUsd,
  time: ({ durationMs }) => durationMs,
}

/** The ids of the runs that are chosen for a comparison, in the order of choosing. */
export function chosenRuns(query: URLSearchParams): readonly string[] {
  return (query.get('compare') ?? '').split(',').filter((id) => id !== '')
}

/** The chosen ids after a click on `id`: a chosen run is removed, another one is added. */
export function toggledRun(chosen: readonly string[], id: string): readonly string[] {
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]
}
