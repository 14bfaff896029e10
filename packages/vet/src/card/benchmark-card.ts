import type { ExperimentResult, Interval } from '@jurist/experiment/result'
import type { TaskFinding } from '../settings/task-finding.js'
import type { TriedDemand } from '../variants/hidden-demand.js'
import type { JudgedVariant } from '../variants/variant-report.js'

/** A number of elements out of all those that were tried. */
export interface Share {
  readonly count: number
  readonly of: number
}

/** The result of an entry of the checklist. */
export type CheckState =
  | 'holds'
  | 'fails'
  /** Fails only because of probes that the experiment accepts, with a reason. */
  | 'accepted'
  /** No trial gives evidence for or against it. */
  | 'not-checked'

/** An entry of the checklist, with its evidence. */
export interface CardCheck {
  /** The id in the Agentic Benchmark Checklist, such as `T.8`. */
  readonly id: string
  readonly what: string
  readonly state: CheckState
  readonly evidence: string
}

/** A probe that passed, including `idle`, which does nothing. */
export interface CardHole {
  readonly probe: string
  readonly what: string
  readonly items: readonly string[]
  /** The jury members that passed it. */
  readonly members: readonly string[]
  readonly remedy: string
  /** The reason why the hole is acceptable; `null` if it is not. */
  readonly accepted: string | null
}

/** The results of the probes. Items that pass without any change are only in `holes` and in the card's `trivial`. */
export interface CardProbes {
  readonly runId: string
  /** Items on which a probe that is not accepted passed, out of those on which one was tried. */
  readonly gameable: Share
  /** Items on which a probe found the right answer or secrets; `null` if no such probe was tried. */
  readonly leaks: Share | null
  /** The number of probes that were tried on at least one item. */
  readonly tried: number
  /**
   * The pairs of a probe and an item that were tried, out of all possible ones: the level `quick` first tries each
   * probe on one item only.
   */
  readonly trials: Share
  readonly notApplicable: number
  readonly skipped: number
  /** The number of trials without a decision. */
  readonly notJudged: number
  readonly holes: readonly CardHole[]
}

/** A small mistake in the right answer that the jury passed. */
export interface CardSurvivor {
  readonly itemId: string
  /** The repetition of its trial in the run of the mutants. */
  readonly repetition: number
  readonly path: string
  readonly line: number
  readonly operator: string
}

/** The share of small mistakes that the jury passes. */
export interface CardMutants {
  readonly runId: string
  /** Mutants that the jury passed, out of those that it judged. */
  readonly survived: Share
  /** The mutants that the jury passed, with their places. */
  readonly survivors: readonly CardSurvivor[]
  /** The number of mutants without a decision of the jury. */
  readonly notJudged: number
  /** Jury members that did not judge mutants because they cost money. */
  readonly skippedMembers: readonly string[]
  /** The mean over items of the share that survived; `null` if nothing was judged. */
  readonly mean: number | null
  /** The confidence interval of the mean over items; `null` for fewer than two items, or if all shares are equal. */
  readonly interval: Interval | null
  /** The largest acceptable mean; `null` if every mean is acceptable. */
  readonly threshold: number | null
  /** Human-written wrong solutions that the jury passed, out of those in the dataset. */
  readonly wrongSolutions: Share
}

/** The right solutions in other forms that the jury failed. */
export interface CardVariants {
  readonly runId: string
  /** Items whose tests are proven to be too strict, out of those with variants that were judged. */
  readonly strict: Share
  /** Items whose hidden tests demand words that nothing says to agents. See `TriedDemand`. */
  readonly demanding: Share
  readonly demands: readonly {
    readonly itemId: string
    readonly demands: readonly TriedDemand[]
    readonly notChecked: readonly string[]
  }[]
  /** The number of variants that the jury passed or failed. */
  readonly judged: number
  /** Failed variants with the outcomes `too-strict` and `suspected`. */
  readonly findings: readonly (JudgedVariant & { readonly itemId: string })[]
}

/** The findings in the task files of Harbor items. */
export interface CardSettings {
  /** Items whose files have a defect, out of those whose files were read. */
  readonly defects: Share
  readonly findings: readonly (TaskFinding & { readonly itemId: string })[]
  /** Files that cannot be read: nothing is said of them. */
  readonly notChecked: readonly { readonly itemId: string; readonly file: string; readonly reason: string }[]
}

/** The findings about a benchmark on one page, as plain data. */
export interface BenchmarkCard {
  readonly schemaVersion: 1
  readonly kind: 'card'
  readonly experiment: string
  /** The dataset that was vetted. The hash identifies this exact version of its items. */
  readonly dataset: ExperimentResult['dataset']
  /** ISO 8601. */
  readonly madeAt: string
  readonly isolation: string
  /** The hosts that commands may reach; absent without an allow-list. */
  readonly network?: readonly string[]
  /**
   * Jury members that were left out of every step because they cost money. For mutants, see `mutants.skippedMembers`.
   */
  readonly skippedMembers: readonly string[]
  readonly establish: {
    readonly runId: string
    /** The number of trials per item with the right answer, and of those without any change. */
    readonly repeat: number
  }
  /** Items whose right answer passes every time. */
  readonly solvable: Share
  /** Items that pass without any change. */
  readonly trivial: Share
  /** Items on which the jury did not decide without any change, such as a verifier that then writes no reward. */
  readonly idleNotJudged: readonly { readonly itemId: string; readonly reason: string }[]
  /** Items on which identical trials had different results; `null` if each was tried only once. */
  readonly flaky: Share | null
  /**
   * `null` if no judge looks for canaries, because none adds tests to the workspace, or because of `canaries: false`.
   */
  readonly canaries: {
    /** Items with at least three canaries that count against guessing. */
    readonly enough: Share
    /** One line for each other item, with the reason. */
    readonly notices: readonly string[]
  } | null
  /** `null` if the probes did not run. */
  readonly probes: CardProbes | null
  /** `null` if no item has a source that can be mutated, or if the mutants did not run. */
  readonly mutants: CardMutants | null
  /** `null` if no variants ran. */
  readonly variants: CardVariants | null
  /** `null` if no item is a Harbor task. */
  readonly settings: CardSettings | null
  readonly checks: readonly CardCheck[]
  /**
   * `problems`: an item is unsolvable, trivial, flaky or gameable, its tests are too strict, its files have a
   * defect, or too many mutants survive. `nothing-said`: not
   * everything could be judged. Mutants that only paid members could judge count only if there is a requirement for
   * mutants. `sound`: neither.
   */
  readonly conclusion: 'sound' | 'problems' | 'nothing-said'
}
