import { mcnemarExact } from '@jurist/experiment/compare'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { pEquals } from '../terminal/amounts.js'

/** Two judges on the same trials. */
export interface Duel {
  readonly run: string
  /** Trials that both were scored on. */
  readonly pairs: number
  readonly onlyThis: number
  readonly onlyOther: number
  readonly pValue: number
}

/** Two stored calibrations, trial by trial. */
export function duelOf(own: ExperimentResult, other: ExperimentResult): Duel {
  const key = ({ itemId, repetition }: { readonly itemId: string; readonly repetition: number }) =>
    `${itemId}\n${repetition}`
  const others = new Map(other.items.map((item) => [key(item), item.passed]))
  const pairs = own.items.flatMap((item): readonly (readonly [boolean, boolean])[] => {
    const theirs = others.get(key(item))
    return item.passed === null || theirs === null || theirs === undefined ? [] : [[item.passed, theirs]]
  })
  if (pairs.length === 0)
    throw usageInvalid('--against', `Run ${other.id} shares no scored trial with this calibration.`)
  const onlyThis = pairs.filter(([mine, theirs]) => mine && !theirs).length
  const onlyOther = pairs.filter(([mine, theirs]) => !mine && theirs).length
  return { run: other.id, pairs: pairs.length, onlyThis, onlyOther, pValue: mcnemarExact(onlyOther, onlyThis) }
}

/** A duel on a line. */
export function duelLine({ run, pairs, onlyThis, onlyOther, pValue }: Duel): string {
  const counts = `right alone: this judge ${onlyThis}, that one ${onlyOther}`
  return `  Against ${run}   ${pairs} trials in common   ${counts}   ${pEquals(pValue)}  McNemar exact`
}
