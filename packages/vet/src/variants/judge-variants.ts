import type { ExperimentOptions } from '@jurist/experiment'
import { trialKey } from '@jurist/experiment/internal/results'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { MutationPlan, MutationStep } from '../mutate/mutation-plan.js'
import type { Compared, ProofOf } from '../mutate/prove/prove-survivors.js'
import { foundInRun } from '../resumed-runs.js'
import { changedLines, variantMark } from './choose-variants.js'
import { varied } from './variant.js'
import {
  comparedInputs,
  failedVariant,
  failureText,
  type JudgedVariant,
  needsConfirmation,
  type VariantReport,
  variantOutcome,
} from './variant-report.js'

type VariantStep = Extract<MutationStep, { readonly kind: 'variant' | 'right' | 'labelled' }>

/** A trial of a variant. */
interface VariantTrial {
  readonly itemId: string
  /** The repetition of its trial. */
  readonly repetition: number
  readonly step: VariantStep
  readonly source: string
}

/** A run of variants with the plan of its items. */
export interface JudgedRun {
  readonly plans: ReadonlyMap<string, MutationPlan>
  readonly result: ExperimentResult
}

function isVariant(step: MutationStep): step is VariantStep {
  return step.kind === 'variant' || step.kind === 'right' || step.kind === 'labelled'
}

function variantsIn(itemId: string, { steps, sources }: MutationPlan): readonly VariantTrial[] {
  return steps.flatMap((step, index) => {
    if (!isVariant(step)) return []
    const source = step.kind === 'variant' ? (sources.get(step.variant.path) ?? '') : ''
    return [{ itemId, repetition: index + 1, step, source }]
  })
}

function trialsOf({ items }: ExperimentResult): ReadonlyMap<string, ItemResult> {
  return new Map(items.map((trial) => [trialKey(trial), trial]))
}

/** The variants that the jury failed, so that the tests may be too strict. */
export function failedVariants({ plans, result }: JudgedRun): readonly VariantTrial[] {
  const trials = trialsOf(result)
  return [...plans].flatMap(([itemId, plan]) =>
    variantsIn(itemId, plan).filter((one) => {
      const trial = trials.get(trialKey(one))
      return trial !== undefined && failedVariant(trial, result.jury)?.blames === 'tests'
    }),
  )
}

/** The variant that must be compared before the tests are blamed. */
export function comparedVariant({ step, source, ...trial }: VariantTrial): readonly Compared[] {
  if (step.kind !== 'variant' || step.variant.equality !== 'inputs') return []
  return [{ ...trial, path: step.variant.path, source, text: varied(source, step.variant) }]
}

/** Plans the failed variants once more, each item with its reference first; without those that are not equal. */
export function confirmationPlans(
  failed: readonly VariantTrial[],
  { plans, result }: JudgedRun,
  proofOf: ProofOf,
): ReadonlyMap<string, MutationPlan> {
  const trials = trialsOf(result)
  const again = new Map<string, MutationPlan>()
  for (const one of failed) {
    const { itemId, repetition, step } = one
    const trial = trials.get(trialKey(one))
    const plan = again.get(itemId) ?? plans.get(itemId)
    if (plan === undefined || trial === undefined) continue
    if (!needsConfirmation(failedVariant(trial, result.jury), proofOf(itemId, repetition))) continue
    const steps = again.has(itemId) ? plan.steps : [{ kind: 'reference' as const }]
    again.set(itemId, { ...plan, steps: [...steps, step] })
  }
  return again
}

/** The settings of the run that judges failed variants again: one after another, so that no other trial delays them. */
export function confirmation(runId: string): Partial<ExperimentOptions> {
  return { concurrency: 1, metadata: foundInRun(runId) }
}

export interface VariantParts extends JudgedRun {
  /** Whether the jury passes the reference of an item. */
  readonly passes: (itemId: string) => boolean
  readonly proofOf: ProofOf
  readonly again: JudgedRun | undefined
}

/** The results of the variants of each item. */
export function variantReportOf({ plans, result, passes, proofOf, again }: VariantParts): VariantReport {
  const trials = trialsOf(result)
  const second = again === undefined ? new Map<string, ItemResult>() : trialsOf(again.result)
  return {
    confirmedIn: again?.result.id ?? null,
    items: [...plans].flatMap(([itemId, plan]) => {
      if (plan.variants === null) return []
      const repeated = again?.plans.get(itemId)?.steps ?? []
      const variants = variantsIn(itemId, plan).map(({ step, repetition, source }): JudgedVariant => {
        const proof = proofOf(itemId, repetition)
        const trial = trials.get(trialKey({ itemId, repetition }))
        const outcome = variantOutcome({
          ...{ trial, proof, jury: result.jury, referencePasses: passes(itemId) },
          isEqual: isKnownEqual(step, proof),
          again: second.get(trialKey({ itemId, repetition: repeated.indexOf(step) + 1 })),
          referenceAgain: second.get(trialKey({ itemId, repetition: 1 })),
        })
        return { ...shown(step, source), outcome, repetition, failure: failureText(trial), ...comparisonIn(proof) }
      })
      return [{ itemId, ...plan.variants, variants }]
    }),
  }
}

/** The number of inputs on which a variant must be equal before its failure blames the tests. */
const enoughInputs = 20

function isKnownEqual(step: VariantStep, proof: ReturnType<ProofOf>): boolean {
  if (step.kind !== 'variant') return step.kind === 'right' || step.isSure
  return step.variant.equality !== 'inputs' || comparedInputs(proof) >= enoughInputs
}

function shown(step: VariantStep, source: string) {
  if (step.kind !== 'variant') {
    const { kind, name } = step
    const what = step.kind === 'right' ? name : step.what
    return { kind, path: name, line: null, what, equality: 'people' as const, diff: [], mark: null }
  }
  const { kind, path, line, what, equality } = step.variant
  const diff = changedLines(source, step.variant)
  return { kind, path, line, what, equality, diff, mark: variantMark(step.variant, source) }
}

function comparisonIn(proof: ReturnType<ProofOf>): Pick<JudgedVariant, 'inputs' | 'witness'> {
  const inputs = comparedInputs(proof)
  return { inputs: inputs === 0 ? null : inputs, witness: proof?.status === 'proven' ? proof.witness : null }
}
