import type { Interval } from '@jurist/experiment/result'
import type { VariantReport } from '../variants/variant-report.js'
import type { ChosenMutant } from './choose-mutants.js'
import type { MutantMark } from './mutants.js'
import type { MutantProof } from './prove/mutant-proof.js'
import type { Witness } from './prove/prover.js'

/**
 * The result of a mutant: the jury failed it (`killed`; `timeout` if one of its commands was stopped), passed it
 * (`survived`) or did not decide (`not-judged`), or it could not be written (`broke`). `not-run`: the run ended
 * earlier.
 */
export type MutantOutcome = 'killed' | 'timeout' | 'survived' | 'not-judged' | 'broke' | 'not-run'

/** The result of a mutant or of a human-written wrong solution. */
export interface MutantFate {
  /** The repetition of its trial in the run. */
  readonly repetition: number
  readonly outcome: MutantOutcome
  /** The jury members that failed it. */
  readonly killers: readonly string[]
  /** The reason why it was not judged; `null` if it was. */
  readonly problem: string | null
}

/** A mutant of an item, with its result. */
export interface JudgedMutant extends ChosenMutant, MutantFate {
  /** The entry to add to `mutants.lock.json` if the mutant is equivalent. */
  readonly mark: MutantMark
  /** The proof for a survivor, with `prove`; otherwise `null`. */
  readonly proof: MutantProof | null
}

/** A mutant that the jury passes although it is wrong. */
export interface ProvenHole {
  readonly itemId: string
  readonly path: string
  /** The repetition of the mutant. */
  readonly repetition: number
  readonly witness: Witness
  /** The witness as a test in the language of the file. */
  readonly test: string
}

/** The mutants of an item. */
export interface ItemMutants {
  readonly itemId: string
  /** Whether the jury passes the reference. If it does not, the mutants of the item do not count. */
  readonly referencePasses: boolean
  /** The reason why it does not; `null` if it does. */
  readonly referenceProblem: string | null
  readonly made: number
  readonly alike: number
  readonly accepted: number
  readonly mutants: readonly JudgedMutant[]
  readonly solutions: readonly (MutantFate & { readonly name: string })[]
  /** The sources of the mutants, by path. */
  readonly sources: Readonly<Record<string, string>>
}

/** The share of mutants that survived. */
export interface Survival {
  readonly judged: number
  readonly survived: number
  /** The mean over items of the share in each item; `null` if nothing was judged. */
  readonly mean: number | null
  /** The confidence interval of the mean over items; `null` for fewer than two items, or if all shares are equal. */
  readonly interval: Interval | null
}

/** The result of `runMutants`, as plain data. */
export interface MutationReport {
  readonly schemaVersion: 1
  readonly kind: 'mutate'
  readonly experiment: string
  readonly runId: string
  /**
   * Whether every trial ran and, with `prove`, every survivor was compared. `false` after an interruption, or if the
   * time or money was spent.
   */
  readonly complete: boolean
  readonly seed: number
  readonly perItem: number
  readonly where: 'changed' | 'function' | 'all'
  readonly counts: {
    /** In the parts that may be mutated. */
    readonly made: number
    /** Left out because they do not parse, or differ from the source or another mutant only in layout. */
    readonly alike: number
    /** Left out because they are marked as equivalent. */
    readonly accepted: number
    readonly chosen: number
    /** The sum of `killed`, `timeouts` and `survived`. */
    readonly judged: number
    readonly killed: number
    readonly timeouts: number
    readonly survived: number
    readonly notJudged: number
    readonly notRun: number
  }
  readonly survival: {
    readonly byItem: Survival
    readonly changedLines: Survival
    readonly byOperator: Readonly<Record<string, Survival>>
  }
  readonly items: readonly ItemMutants[]
  /** Survivors that differ from the reference; `null` without `prove`. */
  readonly proven: readonly ProvenHole[] | null
  /** Right solutions in other forms; `null` without `variants`. */
  readonly variants: VariantReport | null
  /** Selected items without mutants, with the reason. */
  readonly withoutMutants: readonly { readonly itemId: string; readonly reason: string }[]
  /** The number of mutants that each jury member failed. */
  readonly killers: Readonly<Record<string, number>>
  /** Jury members that were left out because they cost money. */
  readonly skippedMembers: readonly string[]
  /** The largest acceptable survival; `null` if any survival is acceptable. */
  readonly threshold: number | null
  readonly judgeCostUsd: number | null
  readonly durationMs: number
  /**
   * `holes`: the tests are proven to be too strict, a human-written wrong solution survived, or more mutants survived than the threshold allows, or, without a
   * threshold, a mutant is proven to be wrong. `nothing-said`: no holes, but a reference does not pass, the run is
   * incomplete, or nothing was judged. `held`: neither.
   */
  readonly conclusion: 'held' | 'holes' | 'nothing-said'
}
