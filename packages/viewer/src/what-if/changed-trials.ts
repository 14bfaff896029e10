import type { BallotsDocument } from '../answers/ballots.js'
import { type Revoted, revoteWith } from './revote.js'
import { juriesOf, type Settings } from './settings.js'

/** A trial that would have ended otherwise. */
interface ChangedTrial {
  readonly itemId: string
  readonly repetition: number
  readonly from: boolean | null
  readonly to: Revoted
}

/** What a run would have become. */
export interface WhatIf {
  readonly changed: readonly ChangedTrial[]
  readonly passes: number
  readonly decided: number
  /** Trials that would have needed a tier that did not run. */
  readonly unknown: number
}

/**
 * Which trials would have ended otherwise with other settings. Trials without a verdict stay as they were.
 *
 * @param signal stops the work between verdicts; the promise is then rejected
 */
export async function changedTrials(
  ballots: BallotsDocument,
  settings: Settings,
  signal?: AbortSignal,
): Promise<WhatIf> {
  const revote = revoteWith(juriesOf(ballots), settings)
  const [now, was]: [Revoted[], Revoted[]] = [[], []]
  const before = revoteWith(juriesOf(ballots), new Map())
  for (const verdict of ballots.verdicts) {
    signal?.throwIfAborted()
    now.push(await revote(verdict))
    was.push(await before(verdict))
  }
  const changed: ChangedTrial[] = []
  const count = { pass: 0, fail: 0, undecided: 0, unknown: 0 }
  for (const { itemId, repetition, passed, verdict } of ballots.trials) {
    const to = now[verdict] ?? stayed(passed)
    // A verdict that does not follow from its own ballots is let stand.
    const same = to === (was[verdict] ?? to)
    count[same ? stayed(passed) : to]++
    if (!same) changed.push({ itemId, repetition, from: passed, to })
  }
  return { changed, passes: count.pass, decided: count.pass + count.fail, unknown: count.unknown }
}

function stayed(passed: boolean | null): Revoted {
  return passed === null ? 'undecided' : passed ? 'pass' : 'fail'
}
