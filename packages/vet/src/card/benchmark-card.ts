import type { ExperimentResult, Interval } from '@jurist/experiment/result'

/** How many of those that were tried. */
export interface Share {
  readonly count: number
  readonly of: number
}

/** How an entry of the checklist ended. */
export type CheckState =
  | 'holds'
  | 'fails'
  /** It fails only by probes that the experiment accepts, with a reason. */
  | 'accepted'
  /** Nothing that ran says anything about it. */
  | 'not-checked'

/** An entry of the checklist, with what running showed. */
export interface CardCheck {
  /** As in the Agentic Benchmark Checklist, such as `T.8`. */
  readonly id: string
  readonly what: string
  readonly state: CheckState
  readonly evidence: string
}

/** A probe that got through, doing nothing included. */
export interface CardHole {
  readonly probe: string
  readonly what: string
  readonly items: readonly string[]
  /** The members of the jury that passed it. */
  readonly members: readonly string[]
  readonly remedy: string
  /** Why that is acceptable; `null`: it is not. */
  readonly accepted: string | null
}

/** What the probes say. Doing nothing is in `holes` only: see `trivial`. */
export interface CardProbes {
  readonly runId: string
  /** Items on which a probe that is not accepted got through, of those on which one was tried. */
  readonly gameable: Share
  /** Those on which a probe found the right answer, or secrets; `null`: no such probe was tried. */
  readonly leaks: Share | null
  /** Probes that were tried on an item. */
  readonly tried: number
  /** How many pairs of a probe and an item were tried, of those that can be: the level `quick` tries a probe on one item first. */
  readonly trials: Share
  readonly notApplicable: number
  readonly skipped: number
  /** Trials that decided nothing. */
  readonly notJudged: number
  readonly holes: readonly CardHole[]
}

/** A small mistake in the right answer that the jury passed. */
export interface CardSurvivor {
  readonly itemId: string
  /** Its trial in the run of the mutants. */
  readonly repetition: number
  readonly path: string
  readonly line: number
  readonly operator: string
}

/** How much of small mistakes the jury lets through. */
export interface CardMutants {
  readonly runId: string
  /** Mutants that the jury passed, of those that it judged. */
  readonly survived: Share
  /** Those that the jury passed, each with its place. */
  readonly survivors: readonly CardSurvivor[]
  /** Mutants about which the jury decided nothing. */
  readonly notJudged: number
  /** Members of the jury that did not judge mutants, since they cost money. */
  readonly skippedMembers: readonly string[]
  /** The mean over items of the share that survived; `null`: nothing was judged. */
  readonly mean: number | null
  /** Of the mean, over items. `null`: fewer than two items, or all alike. */
  readonly interval: Interval | null
  /** The largest acceptable mean; `null`: every one is. */
  readonly threshold: number | null
  /** Wrong solutions of people that the jury passed, of those that the dataset has. */
  readonly wrongSolutions: Share
}

/** What is known of a benchmark, on one page: plain data. */
export interface BenchmarkCard {
  readonly schemaVersion: 1
  readonly kind: 'card'
  readonly experiment: string
  /** The tasks that were vetted. The hash names exactly these. */
  readonly dataset: ExperimentResult['dataset']
  /** ISO 8601. */
  readonly madeAt: string
  readonly isolation: string
  /** Members of the jury that were left out everywhere, since they cost money. Of mutants, see `mutants`. */
  readonly skippedMembers: readonly string[]
  readonly establish: {
    readonly runId: string
    /** How often the right answer, and nothing, were tried on each item. */
    readonly repeat: number
  }
  /** Items whose right answer passes each time. */
  readonly solvable: Share
  /** Items that pass when nothing is done. */
  readonly trivial: Share
  /** Items on which equal trials ended differently; `null`: each was tried once. */
  readonly flaky: Share | null
  /** `null`: no judge looks for canaries, because none lays tests over the work, or because of `canaries: false`. */
  readonly canaries: {
    /** Items of which at least three canaries count against guessing. */
    readonly enough: Share
    /** The other items, each with the reason. */
    readonly notices: readonly string[]
  } | null
  /** `null`: the probes did not run. */
  readonly probes: CardProbes | null
  /** `null`: no item has a source that can be mutated, or the mutants did not run. */
  readonly mutants: CardMutants | null
  readonly checks: readonly CardCheck[]
  /** `problems`: an item is not solvable, trivial, flaky or gameable, or more mutants survive than may. `nothing-said`: not everything could be judged. Mutants that await members that cost money count only where something is demanded of mutants. */
  readonly conclusion: 'sound' | 'problems' | 'nothing-said'
}
