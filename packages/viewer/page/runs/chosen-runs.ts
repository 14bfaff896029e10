import { changeQuery } from '../place.js'

/** Ids of the runs that are chosen to be compared: at most two, in the order of choosing. */
export function chosenRuns(query: URLSearchParams): readonly string[] {
  return (query.get('compare') ?? '').split(',').filter((id) => id !== '')
}

/** Chooses a run, or lets go of it; a third one replaces the one chosen first. */
export function choose(query: URLSearchParams, id: string): void {
  const chosen = chosenRuns(query)
  const now = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2)
  changeQuery({ compare: now.join(',') })
}
