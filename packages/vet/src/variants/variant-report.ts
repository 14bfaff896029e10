import { flatten } from '@jurist/core'
import { judgeTimedOut } from '@jurist/experiment/internal/results'
import { type ItemResult, type JuryDescription, reasonOf } from '@jurist/experiment/result'
import type { MutantProof } from '../mutate/prove/mutant-proof.js'
import type { Witness } from '../mutate/prove/prover.js'
import type { VariantMark } from './choose-variants.js'
import type { TriedDemand } from './hidden-demand.js'
import type { VariantKind } from './variant.js'

/**
 * The result of a solution that behaves like the reference. `passed`: the jury passes it, as it should. `too-strict`:
 * the jury failed it twice and passed the reference beside it, and it is equal to the reference. `suspected`: the same,
 * but equality is not known. `not-equal`: it is a wrong solution, and its failure is right. `by-design`: only judges
 * that compare files with the reference failed it. `not-built`: the project does not build with it, which is the fault
 * of the variant. `flaky`: equal trials ended differently. `not-judged`: the jury did not decide. `not-run`: the run
 * ended earlier.
 */
export type VariantOutcome =
  | 'passed'
  | 'too-strict'
  | 'suspected'
  | 'not-equal'
  | 'by-design'
  | 'not-built'
  | 'flaky'
  | 'not-judged'
  | 'not-run'

/** A solution that behaves like the reference, with its result. */
export interface JudgedVariant {
  /** The change; `right` for a right solution of a person, `labelled` for a stored trial that people labelled right. */
  readonly kind: VariantKind | 'right' | 'labelled'
  /** The changed file, the name of the solution, or the run and the name of the trial. */
  readonly path: string
  /** Counted from 1; `null` unless a file of the reference is changed. */
  readonly line: number | null
  /** The change, or who labelled the trial. */
  readonly what: string
  /** How it is known that it behaves alike: by its form, on inputs, or because a person says so. */
  readonly equality: 'form' | 'inputs' | 'people'
  /** The inputs on which it gave the same answers; `null` if it was not compared. */
  readonly inputs: number | null
  readonly outcome: VariantOutcome
  /** The repetition of its trial in the run. */
  readonly repetition: number
  /** The reason of the jury with its place, or why it did not judge; `null` if the jury passed it. */
  readonly failure: string | null
  /** The changed lines with their signs. */
  readonly diff: readonly string[]
  /** The entry to add to `variants.lock.json` if the tests mean to fail it; `null` without a change. */
  readonly mark: VariantMark | null
  /** For `not-equal`, an input for which it differs; otherwise `null`. */
  readonly witness: Witness | null
}

/** The variants of an item. */
export interface ItemVariants {
  readonly itemId: string
  readonly made: number
  /** Left out because the task, or a file that agents see, says the old form. */
  readonly said: number
  /** Left out because they are marked as intended. */
  readonly accepted: number
  readonly variants: readonly JudgedVariant[]
  /** Words that hidden tests demand and that nothing says to agents. */
  readonly demands: readonly TriedDemand[]
  /** Hidden tests that cannot be read: their demands are not known. */
  readonly notChecked: readonly string[]
}

/** The right solutions in other forms that a jury judged. */
export interface VariantReport {
  /** The run in which failures were judged again beside the reference; `null` if there was none. */
  readonly confirmedIn: string | null
  readonly items: readonly ItemVariants[]
}

/** Judges that compare files with those of the reference. */
const comparing =
  /^(?:matchesReference|supersetOf|(?:java|script|python|json|yaml|xml|properties|toml|text|data)File|mavenPom)$/
const building = /^buildSucceeds|^sourcesLoad$|^build$/

/** A failed variant before it is judged again. */
export interface FailedVariant {
  /** The cause of its failure if it is equal. */
  readonly blames: 'tests' | 'by-design' | 'not-built'
  /** Whether only judges that ask a model failed it. */
  readonly isModel: boolean
  /** Whether a judge ran out of time. */
  readonly isLate: boolean
}

/** Reads the failure of a trial; `undefined` if the jury did not fail it. */
export function failedVariant(trial: ItemResult, jury: JuryDescription | null): FailedVariant | undefined {
  const isLate = judgeTimedOut(trial) || trial.failure?.code === 'judge-timeout'
  if (!isLate && (trial.judged !== 'fail' || trial.agent !== 'completed')) return undefined
  const rows = trial.verdict === null ? [] : flatten(trial.verdict)
  const failed = new Set(
    rows.flatMap(({ path, kind, judgment }) => (kind === 'judge' && judgment.status === 'fail' ? [path] : [])),
  )
  const judges = (jury?.judges ?? []).filter(({ path }) => failed.has(path) || failed.has(`/${path}`))
  const areAll = (isWanted: (judge: (typeof judges)[number]) => boolean) => judges.length > 0 && judges.every(isWanted)
  return {
    blames: areAll(({ name }) => comparing.test(name))
      ? 'by-design'
      : areAll(({ name }) => building.test(name))
        ? 'not-built'
        : 'tests',
    isModel: areAll(({ kind }) => kind !== 'deterministic'),
    isLate,
  }
}

/** The trials of a variant. */
export interface VariantTrials {
  /** Whether it is known to behave alike: otherwise its failure is only suspected. */
  readonly isEqual: boolean
  readonly jury: JuryDescription | null
  readonly trial: ItemResult | undefined
  readonly referencePasses: boolean
  readonly proof: MutantProof | undefined
  /** The same variant and the reference, judged again beside each other. */
  readonly again: ItemResult | undefined
  readonly referenceAgain: ItemResult | undefined
}

/** Whether its failure is worth another look: the variant is not known to differ. */
export function needsConfirmation(failed: FailedVariant | undefined, proof: MutantProof | undefined): boolean {
  return failed?.blames === 'tests' && proof?.status !== 'proven'
}

/** Equality comes before blame: only an equal variant that fails twice says that the tests are too strict. */
export function variantOutcome(trials: VariantTrials): VariantOutcome {
  const { trial, referencePasses, proof, again, referenceAgain, isEqual, jury } = trials
  if (trial === undefined || trial.agent === 'cancelled') return 'not-run'
  if (!referencePasses) return 'not-judged'
  if (trial.passed === true) return 'passed'
  const failed = failedVariant(trial, jury)
  if (failed === undefined) return 'not-judged'
  if (failed.blames !== 'tests') return failed.blames
  if (proof?.status === 'proven') return 'not-equal'
  if (again === undefined || referenceAgain === undefined || again.agent === 'cancelled') return 'not-run'
  if (failed.isLate && again.passed === true) return 'passed'
  if (referenceAgain.passed !== true || again.passed === true) return 'flaky'
  const second = failedVariant(again, jury)
  if (second === undefined || second.isLate) return 'not-judged'
  return isEqual && !failed.isModel && !failed.isLate ? 'too-strict' : 'suspected'
}

export function comparedInputs(proof: MutantProof | undefined): number {
  return proof?.status === 'suspected-equivalent' || proof?.status === 'out-of-budget' ? proof.inputs : 0
}

export function failureText(trial: ItemResult | undefined): string | null {
  return trial === undefined || trial.passed === true ? null : reasonOf(trial)
}

/** The items with a proven finding, out of those whose variants were judged. */
export function tooStrict(report: VariantReport | null): { readonly count: number; readonly of: number } {
  const having = (wanted: readonly VariantOutcome[]) =>
    (report?.items ?? []).filter(({ variants }) => variants.some(({ outcome }) => wanted.includes(outcome))).length
  return { count: having(['too-strict']), of: having(['passed', 'too-strict', 'suspected']) }
}

/** Whether a variant did not run. */
export function isOpen(report: VariantReport | null): boolean {
  return report?.items.some(({ variants }) => variants.some(({ outcome }) => outcome === 'not-run')) === true
}
