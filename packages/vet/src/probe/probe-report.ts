import type { ProbePattern } from './probe.js'
import type { FileChange } from './recorded-changes.js'

/** The result of a probe on an item. */
export type ProbeOutcome =
  /** The jury passed it. */
  | 'passed'
  /** The jury failed it. */
  | 'held'
  /** The jury did not decide, because of an error or because all members abstained. */
  | 'not-judged'
  /** The probe itself failed. */
  | 'error'
  /** The item passes without any change, so the probe proves nothing. */
  | 'trivial'

/** A probe that passed on an item. */
export interface ProbeHole {
  readonly itemId: string
  /** The repetition of its trial in the run. */
  readonly repetition: number
  /** The jury members that passed it. */
  readonly members: readonly string[]
  /** The changes that the probe made to files. */
  readonly files: readonly FileChange[]
  readonly commands: readonly string[]
  /** Its answer, truncated after 500 characters; `null` if none exists. */
  readonly output: string | null
  /** Descriptions of what it obtained without permission. */
  readonly found: readonly string[]
}

/** How many times a jury member passed a probe, out of the trials in which it decided. */
export interface MemberCount {
  readonly passed: number
  readonly judged: number
}

/** The results of one probe over all items. */
export interface ProbeRow {
  readonly name: string
  readonly pattern: ProbePattern
  readonly what: string
  readonly remedy: string
  /** The number of items on which it was tried. */
  readonly applicable: number
  /**
   * The number of further items on which it could be tried: with the level `quick`, `vet` tries a probe on one item,
   * and on all others only if it passed there.
   */
  readonly notTried: number
  readonly notApplicable: number
  /** The number of times that each outcome occurred, out of `applicable`. */
  readonly outcomes: Readonly<Record<ProbeOutcome, number>>
  /** Keyed by the path of the member. */
  readonly members: Readonly<Record<string, MemberCount>>
  readonly passed: readonly ProbeHole[]
  /** The reason why it may pass; `null` if it may not. */
  readonly accepted: string | null
  /** The reason why it did not run at all; `null` if it ran. */
  readonly skipped: string | null
  /** The first reasons why it failed or was not judged, at most 3. */
  readonly problems: readonly string[]
}

/** An item whose reference does not pass. */
export interface ReferenceFailure {
  readonly itemId: string
  readonly repetition: number
  readonly outcome: Exclude<ProbeOutcome, 'passed'>
  readonly reason: string
}

/** The result of `runProbes`, as plain data. */
export interface ProbeReport {
  readonly schemaVersion: 1
  readonly kind: 'probe'
  readonly experiment: string
  readonly runId: string
  /** Whether every trial ran. `false` after an interruption or if the budget was spent. */
  readonly complete: boolean
  readonly items: number
  /**
   * The number of items on which a probe other than `idle` was tried, and on which one of the pattern `leak` was tried.
   */
  readonly triedItems: { readonly any: number; readonly leak: number }
  /** The number of items whose right answer changes nothing. They are not tried. */
  readonly noChangeItems: number
  readonly isolation: string
  /** The paths of the jury's members, in the order of the jury. */
  readonly members: readonly string[]
  /** Jury members that were left out because they cost money. */
  readonly skippedMembers: readonly string[]
  /** The items with a right answer, and how many of them pass with it. */
  readonly reference: {
    readonly applicable: number
    readonly passed: number
    readonly failed: readonly ReferenceFailure[]
  }
  /** All items, and those that pass without any change. */
  readonly idle: { readonly applicable: number; readonly passed: readonly string[] }
  readonly probes: readonly ProbeRow[]
  readonly judgeCostUsd: number | null
  readonly durationMs: number
  /**
   * `holes`: a probe that is not accepted passed. `nothing-said`: no holes, but the reference of an item does not pass,
   * nothing was judged, or the run is incomplete. `held`: neither.
   */
  readonly conclusion: 'held' | 'holes' | 'nothing-said'
}
