import type { BallotsDocument } from '../answers/ballots.js'
import { isConfident, juriesOf } from './juries.js'
import { changedTrials } from './revote.js'
import { type Settings, voteDescription } from './settings.js'

export interface CurvePoint {
  readonly threshold: number
  readonly passes: number
  readonly decided: number
}

/** Thresholds from 0 to 1. */
const steps = 20

/** With more different verdicts than this, a curve takes too long to draw while someone types. */
export const mostVerdicts = 5_000

/** Returns the juries whose vote has a threshold after the settings are applied. */
export function thresholdJuries(ballots: BallotsDocument, settings: Settings): readonly string[] {
  return juriesOf(ballots)
    .filter(({ name, strategy, isRepeatable, ...jury }) => {
      const changed = settings.get(name)
      if (isConfident(jury, changed)) return false
      const { vote } = changed ?? {}
      const description = voteDescription(vote ?? strategy)
      return (isRepeatable || vote !== undefined) && description !== undefined && 'threshold' in description.options
    })
    .map(({ name }) => name)
}

/**
 * Computes the pass rate over the threshold of one jury, with all other settings unchanged: from 0 to 1 in steps of
 * 0.05.
 *
 * @param signal stops between two points; the promise is rejected then
 */
export async function thresholdCurve(
  ballots: BallotsDocument,
  settings: Settings,
  jury: string,
  signal?: AbortSignal,
): Promise<readonly CurvePoint[]> {
  const points: CurvePoint[] = []
  for (let step = 0; step <= steps; step++) {
    const threshold = step / steps
    const { options, ...rest } = settings.get(jury) ?? {}
    const tried = new Map(settings).set(jury, { ...rest, options: { ...options, threshold } })
    const { passes, decided } = await changedTrials(ballots, tried, signal)
    points.push({ threshold, passes, decided })
    // A pause lets the browser draw and handle keys.
    await new Promise((resolve) => setTimeout(resolve))
  }
  return points
}
