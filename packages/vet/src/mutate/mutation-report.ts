import type { Json, JsonObject } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import type { Interval } from '@jurist/experiment/result'
import type { ChosenMutant } from './choose-mutants.js'
import type { MutantMark } from './mutant-marks.js'
import type { Witness } from './prove/prover.js'

/**
 * How a mutant ended: the jury failed it (`killed`; `timeout`: a command of it was stopped), passed it (`survived`), decided
 * nothing (`not-judged`), or it could not be written (`broke`). `not-run`: the run ended before.
 */
export type MutantOutcome = 'killed' | 'timeout' | 'survived' | 'not-judged' | 'broke' | 'not-run'

/** A mutant, or the wrong solution of a person, and how it ended. */
export interface MutantFate {
  /** Its trial in the run: `repetition` of the item. */
  readonly repetition: number
  readonly outcome: MutantOutcome
  /** The members of the jury that failed it. */
  readonly killers: readonly string[]
  /** Why it was not judged; `null`: it was. */
  readonly problem: string | null
}

/**
 * What the comparison of a survivor with the reference showed. `proven`: an input for which they differ, and a test that the
 * mutant fails. `suspected-equivalent`: none among all inputs. `out-of-budget`: none among those tried, and others were left out
 * since they take too long. `not-compared`: why nothing is known. `not-reached`: the run ended before; it can be resumed.
 *
 * `cutByClock`: a clock left inputs out, so that another machine may find another witness.
 */
export type MutantProof =
  | { readonly status: 'proven'; readonly witness: Witness; readonly test: string; readonly cutByClock?: true }
  | { readonly status: 'suspected-equivalent'; readonly inputs: number }
  | {
      readonly status: 'out-of-budget'
      readonly inputs: number
      readonly leftOut: number
      readonly cutByClock?: true
    }
  | { readonly status: 'not-compared'; readonly reason: string }
  | { readonly status: 'not-reached' }

/** A mutant of an item. */
export interface JudgedMutant extends ChosenMutant, MutantFate {
  /** What a person adds to `mutants.lock.json` if the mutant is equivalent. */
  readonly mark: MutantMark
  /** Of a survivor, with `prove`; else `null`. */
  readonly proof: MutantProof | null
}

/** A mutant that the jury passes and that is no right answer. */
export interface ProvenHole {
  readonly itemId: string
  readonly path: string
  /** Of the mutant. */
  readonly repetition: number
  readonly witness: Witness
  /** The witness as a test in the language of the file. */
  readonly test: string
}

/** The mutants of an item. */
export interface ItemMutants {
  readonly itemId: string
  /** Whether the jury passes the reference. Where it does not, the mutants of the item count nowhere. */
  readonly referencePasses: boolean
  /** Why not; `null`: it does. */
  readonly referenceProblem: string | null
  readonly made: number
  readonly alike: number
  readonly accepted: number
  readonly mutants: readonly JudgedMutant[]
  readonly solutions: readonly (MutantFate & { readonly name: string })[]
  /** The sources of the mutants, by path. */
  readonly sources: Readonly<Record<string, string>>
}

/** A share of mutants that survived. */
export interface Survival {
  readonly judged: number
  readonly survived: number
  /** The mean over items of the share of the item; of operators: the share. `null`: nothing was judged. */
  readonly mean: number | null
  /** Of the mean, over items. `null`: fewer than two items, or all alike. */
  readonly interval: Interval | null
}

/** The result of `runMutants`: plain data. */
export interface MutationReport {
  readonly schemaVersion: 1
  readonly kind: 'mutate'
  readonly experiment: string
  readonly runId: string
  /**
   * Whether every trial ran, and with `prove` every survivor was compared; `false` after an interruption, or when time or money
   * was spent.
   */
  readonly complete: boolean
  readonly seed: number
  readonly perItem: number
  readonly where: 'changed' | 'function' | 'all'
  readonly counts: {
    /** In the parts that may be mutated. */
    readonly made: number
    /** Left out: alike but for layout, or without meaning. */
    readonly alike: number
    /** Left out: marked as equivalent. */
    readonly accepted: number
    readonly chosen: number
    /** `killed`, `timeouts` and `survived` together. */
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
  /** Survivors that differ from the reference; `null`: without `prove`, nothing was compared. */
  readonly proven: readonly ProvenHole[] | null
  /** Selected items that have no mutants, with the reason. */
  readonly withoutMutants: readonly { readonly itemId: string; readonly reason: string }[]
  /** How many mutants each member of the jury failed. */
  readonly killers: Readonly<Record<string, number>>
  /** Members that were left out since they cost money. */
  readonly skippedMembers: readonly string[]
  /** The largest acceptable survival; `null`: every one is. */
  readonly threshold: number | null
  readonly judgeCostUsd: number | null
  readonly durationMs: number
  /**
   * `holes`: a wrong solution of a person survived, more mutants than the threshold allows, or, without a threshold, a mutant
   * that is proven to be wrong.
   * `nothing-said`: none of this, but a reference does not pass, the run is not complete, or nothing was judged. `held`: neither.
   */
  readonly conclusion: 'held' | 'holes' | 'nothing-said'
}

/**
 * A proof in one sentence or two.
 *
 * @example
 * import { proofText } from '@jurist/vet'
 *
 * proofText({ status: 'suspected-equivalent', inputs: 1000 })
 */
export function proofText(proof: MutantProof): string {
  switch (proof.status) {
    case 'proven':
      return `Proven hole: ${shown(proof.witness.got)} where the reference gives ${shown(proof.witness.expected)}. A test that notices it follows the change.${cut(proof)}`
    case 'suspected-equivalent':
      return `Suspected equivalent: no difference for ${counted(proof.inputs, 'input')} of the functions that the file exports.`
    case 'out-of-budget':
      return `Not proven: budget. No difference for ${counted(proof.inputs, 'input')}; ${counted(proof.leftOut, 'input')} left out.${cut(proof)}`
    case 'not-compared':
      return `Not compared: ${proof.reason}.`
    case 'not-reached':
      return 'Not compared: the time did not suffice.'
    default:
      return proof satisfies never
  }
}

function cut({ cutByClock }: { readonly cutByClock?: true }): string {
  return cutByClock === true ? ' A clock left inputs out: another machine may show more.' : ''
}

const longest = 80

/** A value in one line. */
function shown(value: Json): string {
  const isError = typeof value === 'object' && value !== null && '$' in value && value['$'] === 'error'
  const text = isError ? `it ${String((value as JsonObject)['is'])}` : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
