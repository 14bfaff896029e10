import { allMustPass, average, consensus, majority, median, plurality, type Vote, weightedAverage } from '@jurist/core'
import { failureOf, isPlainObject, type Place, printed } from '@jurist/core/internal'
import { nearestNames } from '@jurist/experiment/dataset'
import { isUse, type Reading, used } from './reading.js'

/** Votes by their names in YAML and JSON. */
const votes: Readonly<Record<string, (options: object | undefined) => Vote>> = {
  majority,
  plurality,
  consensus,
  average,
  'weighted-average': weightedAverage,
  median,
  'all-must-pass': allMustPass,
}

/** What a vote may be called in YAML and JSON. */
export const voteNames: readonly string[] = Object.keys(votes)

/** The vote that a description names: `consensus`, `{type: average, threshold: 0.7}`, or `{use: name}`. */
export function describedVote(value: unknown, place: Place, reading: Reading): Vote | undefined {
  if (isUse(value)) return used(value, 'votes', place, reading) as Vote | undefined
  const { report } = reading
  const { type, ...options } = typeof value === 'string' ? { type: value } : isPlainObject(value) ? value : {}
  const make = typeof type === 'string' && Object.hasOwn(votes, type) ? votes[type] : undefined
  if (make === undefined) {
    const [nearest] = nearestNames(String(type ?? value), voteNames)
    const hint = nearest === undefined ? '' : `Did you mean "${nearest}"? `
    report(place, `${printed(type ?? value)} is no vote.`, `${hint}Votes: ${voteNames.join(', ')}.`)
    return undefined
  }
  try {
    return make(Object.keys(options).length === 0 ? undefined : options)
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}
