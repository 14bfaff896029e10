import { abstain, fail, type Judge, type Judgment, type Jury, jury, numerical, pass, type Vote } from '@jurist/core'
import type { SampleScore } from './sample-scores.js'
import { trialKey } from './trial-key.js'

/** The scores of trials, by `trialKey`. */
export type StoredScores = ReadonlyMap<string, readonly SampleScore[]>

/** How recorded scores become judgments. */
export interface ScoreReading {
  readonly scores: StoredScores
  /** The score that decides a trial. */
  readonly headline: string
  /** The lowest number that passes. */
  readonly threshold: number
}

/**
 * A jury whose judges say what the scorers of a log said, one for each score. The headline alone decides: scorers measure
 * different things, and Inspect does not join them.
 */
export function recordedJury(reading: ScoreReading): Jury {
  const all = [...reading.scores.values()].flat()
  const names = [...new Set([reading.headline, ...all.map(({ name }) => name)])]
  const judges = Object.fromEntries(names.map((name) => [name, recordedJudge(name, rangeOf(name, all), reading)]))
  const { headline } = reading
  const headlineDecides: Vote = function headlineDecides(ballots) {
    return ballots.find(({ name }) => name === headline)?.judgment ?? abstain(`There is no score ${headline}.`)
  }
  return jury({ judges, vote: headlineDecides })
}

interface Range {
  readonly min: number
  readonly max: number
}

/** From 0 to 1, or as far as the numbers reach. */
function rangeOf(name: string, all: readonly SampleScore[]): Range {
  let [min, max] = [0, 1]
  for (const one of all) {
    if (one.name !== name || one.number === undefined) continue
    min = Math.min(min, one.number)
    max = Math.max(max, one.number)
  }
  return { min, max }
}

function recordedJudge(name: string, range: Range, { scores, threshold }: ScoreReading): Judge {
  return function recordedScore({ metadata }): Judgment {
    const score = scores.get(trialKey(metadata))?.find((one) => one.name === name)
    if (score === undefined) return abstain(`The log has no score ${JSON.stringify(name)} of this sample.`)
    const { number, value, answer, explanation } = score
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    const extras = { metadata: { value, ...(answer === undefined ? {} : { answer }) } }
    const because = explanation === undefined || explanation.trim() === '' ? '' : `: ${explanation}`
    if (number === undefined) return abstain(`The value ${shown} has no number${because}`, extras)
    const judged = number >= threshold ? pass : fail
    return judged(`${shown}${because}`, { score: numerical(number, range), ...extras })
  }
}
