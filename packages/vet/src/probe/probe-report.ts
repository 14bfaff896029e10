import type { ProbePattern } from './probe.js'
import type { FileChange } from './recorded-changes.js'

/** How a probe ended on an item. */
export type ProbeOutcome =
  /** It got through: the jury passed it. */
  | 'passed'
  /** The jury failed it. */
  | 'held'
  /** The jury decided nothing: an error, or all of its members abstained. */
  | 'not-judged'
  /** The probe itself broke. */
  | 'error'
  /** Doing nothing passes this item already, so the probe shows nothing. */
  | 'trivial'

/** A probe that got through. */
export interface ProbeHole {
  readonly itemId: string
  /** Its trial in the run: `repetition` of the item. */
  readonly repetition: number
  /** The members of the jury that passed it. */
  readonly members: readonly string[]
  /** What the probe did to the files. */
  readonly files: readonly FileChange[]
  readonly commands: readonly string[]
  /** What it answered, cut after 500 characters; `null`: nothing. */
  readonly output: string | null
  /** What it got hold of that it must not have. */
  readonly found: readonly string[]
}

/** How often a member of the jury passed a probe, of the trials in which it decided. */
export interface MemberCount {
  readonly passed: number
  readonly judged: number
}

/** One probe over all items. */
export interface ProbeRow {
  readonly name: string
  readonly pattern: ProbePattern
  readonly what: string
  readonly remedy: string
  /** Items on which it was tried. */
  readonly applicable: number
  /**
   * Further items on which it could be tried: `vet` of the level `quick` tries a probe on one item, and on all only where it
   * got through.
   */
  readonly notTried: number
  readonly notApplicable: number
  /** How often each outcome occurred, of `applicable`. */
  readonly outcomes: Readonly<Record<ProbeOutcome, number>>
  /** By the path of the member. */
  readonly members: Readonly<Record<string, MemberCount>>
  readonly passed: readonly ProbeHole[]
  /** Why it is acceptable that it gets through; `null`: it is not. */
  readonly accepted: string | null
  /** Why it was not run at all; `null`: it was. */
  readonly skipped: string | null
  /** The first reasons why it was not judged or broke, at most 3. */
  readonly problems: readonly string[]
}

/** An item whose reference does not pass. */
export interface ReferenceFailure {
  readonly itemId: string
  readonly repetition: number
  readonly outcome: Exclude<ProbeOutcome, 'passed'>
  readonly reason: string
}

/** The result of `runProbes`: plain data. */
export interface ProbeReport {
  readonly schemaVersion: 1
  readonly kind: 'probe'
  readonly experiment: string
  readonly runId: string
  /** Whether every trial ran; `false` after an interruption or a spent budget. */
  readonly complete: boolean
  readonly items: number
  /** Those on which a probe was tried, doing nothing apart, and those on which one of the pattern `leak` was. */
  readonly triedItems: { readonly any: number; readonly leak: number }
  /** Items whose right answer is to change nothing; no probe is tried on them. */
  readonly noChangeItems: number
  readonly isolation: string
  /** The paths of the jury's members, in the order of the jury. */
  readonly members: readonly string[]
  /** Members that were left out since they cost money. */
  readonly skippedMembers: readonly string[]
  /** Of the items that have a right answer, how many pass with it. */
  readonly reference: {
    readonly applicable: number
    readonly passed: number
    readonly failed: readonly ReferenceFailure[]
  }
  /** Of all items, those that pass when nothing is done. */
  readonly idle: { readonly applicable: number; readonly passed: readonly string[] }
  readonly probes: readonly ProbeRow[]
  readonly judgeCostUsd: number | null
  readonly durationMs: number
  /**
   * `holes`: something that is not accepted got through. `nothing-said`: nothing did, but the reference of an item does not
   * pass, or nothing was judged, or the run is not complete. `held`: none of this.
   */
  readonly conclusion: 'held' | 'holes' | 'nothing-said'
}
