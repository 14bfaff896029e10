import { flatten } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment'
import { judgeTimedOut, trialKey, widenedBootstrap } from '@jurist/experiment/internal/results'
import { type ExperimentResult, type Interval, type ItemResult, reasonOf } from '@jurist/experiment/result'
import type { ChoiceRules } from './choose-mutants.js'
import { markOf } from './mutant-marks.js'
import { hasMutants, type MutationPlan } from './mutation-plan.js'
import type {
  ItemMutants,
  JudgedMutant,
  MutantFate,
  MutantOutcome,
  MutantProof,
  MutationReport,
  ProvenHole,
  Survival,
} from './mutation-report.js'
import type { ProofOf } from './prove/prove-survivors.js'

/** Whether a mutant counts in shares. */
function isJudged({ outcome }: Pick<MutantFate, 'outcome'>): boolean {
  return outcome === 'killed' || outcome === 'timeout' || outcome === 'survived'
}

/** The survival of the mutants of some kind: the mean over items, so that an item with many mutants counts once. */
function survivalByItem(
  items: readonly ItemMutants[],
  isWanted: (mutant: JudgedMutant) => boolean = () => true,
): Survival {
  const groups = items.map(({ mutants }) => mutants.filter((one) => isJudged(one) && isWanted(one)))
  const shares = groups.filter((group) => group.length > 0).map((group) => survivors(group) / group.length)
  const judged = groups.flat()
  return {
    judged: judged.length,
    survived: survivors(judged),
    mean: shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    interval: withinShares(widenedBootstrap(shares)),
  }
}

/** Clips an interval to the range of a share, which few items may exceed. */
function withinShares(interval: Interval | null): Interval | null {
  if (interval === null) return null
  return { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) }
}

/** The survival of each operator, which is a mean over items as well. */
function operatorSurvivals(items: readonly ItemMutants[]): Readonly<Record<string, Survival>> {
  const mutants = items.flatMap((item) => item.mutants).filter(isJudged)
  const names = [...new Set(mutants.map(({ operator }) => operator))].sort()
  return Object.fromEntries(
    names.map((name) => {
      return [name, survivalByItem(items, ({ operator }) => operator === name)]
    }),
  )
}

function survivors(mutants: readonly JudgedMutant[]): number {
  return mutants.filter(({ outcome }) => outcome === 'survived').length
}

export interface MutationParts {
  readonly result: ExperimentResult
  readonly plans: ReadonlyMap<string, MutationPlan>
  /** References that another run has tried, by item. */
  readonly known: ReadonlyMap<string, ItemResult>
  readonly rules: ChoiceRules
  readonly selected: ReadonlyMap<string, DatasetItem>
  readonly threshold: number | null
  readonly skippedMembers: readonly string[]
  /** The proofs for survivors, if they were compared. */
  readonly proofOf?: ProofOf
}

export function mutationReportOf(parts: MutationParts): MutationReport {
  const { result, plans, rules, threshold, skippedMembers, proofOf } = parts
  const trials = new Map(result.items.map((item) => [trialKey(item), item]))
  const items = [...plans].flatMap(([id, plan]) => (hasMutants(plan) ? [itemOf(id, plan, trials, parts)] : []))
  const counted = items.filter(({ referencePasses }) => referencePasses)
  const report: Omit<MutationReport, 'conclusion'> = {
    schemaVersion: 1,
    kind: 'mutate',
    experiment: result.experimentName,
    runId: result.id,
    complete: result.status === 'completed' && result.counts.notRun === 0 && !items.some(hasUnreached),
    seed: rules.seed,
    perItem: rules.perItem,
    where: rules.where === 'rest' ? 'all' : rules.where,
    counts: countsOf(items),
    survival: {
      byItem: survivalByItem(counted),
      changedLines: survivalByItem(counted, ({ closeness }) => closeness === 'changed'),
      byOperator: operatorSurvivals(counted),
    },
    items,
    proven: proofOf === undefined ? null : items.flatMap(provenIn),
    withoutMutants: withoutMutants(parts),
    killers: killersIn(counted),
    skippedMembers,
    threshold,
    judgeCostUsd: result.judgeCostUsd,
    durationMs: result.durationMs,
  }
  return Object.freeze({ ...report, conclusion: conclusionOf(report) })
}

function itemOf(
  itemId: string,
  plan: MutationPlan,
  trials: ReadonlyMap<string, ItemResult>,
  { known, proofOf }: Pick<MutationParts, 'known' | 'proofOf'>,
): ItemMutants {
  const { steps, counts, sources } = plan
  const reference = known.get(itemId) ?? trials.get(trialKey({ itemId, repetition: 1 }))
  const passes = reference?.passed === true
  const mutants: JudgedMutant[] = []
  const solutions: (MutantFate & { readonly name: string })[] = []
  for (const [index, step] of steps.entries()) {
    const trial = trials.get(trialKey({ itemId, repetition: index + 1 }))
    const fate = fateOf(index + 1, trial, { passes, isLimited: known.has(itemId) })
    if (step.kind === 'solution') solutions.push({ name: step.name, ...fate })
    if (step.kind !== 'mutant') continue
    const { mutant } = step
    const mark = markOf(mutant.path, sources.get(mutant.path) ?? '', mutant)
    const isCompared = proofOf !== undefined && fate.outcome === 'survived'
    const proof = isCompared ? (proofOf(itemId, fate.repetition) ?? notReached) : null
    mutants.push({ ...mutant, ...fate, mark, proof })
  }
  const used = new Set(mutants.map(({ path }) => path))
  return {
    itemId,
    referencePasses: passes,
    referenceProblem: passes ? null : reference === undefined ? 'it did not run' : reasonOf(reference),
    ...counts,
    mutants,
    solutions,
    sources: Object.fromEntries([...sources].filter(([path]) => used.has(path))),
  }
}

const notReached: MutantProof = { status: 'not-reached' }

function hasUnreached({ mutants }: ItemMutants): boolean {
  return mutants.some(({ proof }) => proof?.status === 'not-reached')
}

function provenIn({ itemId, mutants }: ItemMutants): readonly ProvenHole[] {
  return mutants.flatMap(({ path, repetition, proof }) =>
    proof?.status === 'proven' ? [{ itemId, path, repetition, witness: proof.witness, test: proof.test }] : [],
  )
}

/** Whether the reference passes, and whether mutants have a time limit that is derived from its duration. */
interface KnownReference {
  readonly passes: boolean
  readonly isLimited: boolean
}

function fateOf(repetition: number, trial: ItemResult | undefined, reference: KnownReference): MutantFate {
  const outcome = outcomeOf(trial, reference)
  const isOpen = outcome === 'not-judged' || outcome === 'broke'
  return {
    repetition,
    outcome,
    killers: outcome === 'killed' || outcome === 'timeout' ? failedMembers(trial) : [],
    problem: isOpen && trial !== undefined ? reasonOf(trial) : null,
  }
}

function outcomeOf(trial: ItemResult | undefined, { passes, isLimited }: KnownReference): MutantOutcome {
  if (trial === undefined || trial.agent === 'cancelled') return 'not-run'
  if (!passes) return 'not-judged'
  if (isLimited && trial.failure?.code === 'judge-timeout') return 'timeout'
  if (trial.passed === true) return 'survived'
  if (trial.agent !== 'completed') return 'broke'
  if (trial.judged === 'fail') return judgeTimedOut(trial) ? 'timeout' : 'killed'
  return 'not-judged'
}

function failedMembers(trial: ItemResult | undefined): readonly string[] {
  const rows = trial === undefined || trial.verdict === null ? [] : flatten(trial.verdict)
  return rows.flatMap(({ path, kind, judgment }) =>
    kind === 'judge' && judgment.status === 'fail' ? path.slice(1) : [],
  )
}

function countsOf(items: readonly ItemMutants[]): MutationReport['counts'] {
  const mutants = items.flatMap((item) => item.mutants)
  const having = (wanted: MutantOutcome) => mutants.filter(({ outcome }) => outcome === wanted).length
  const sum = (of: (item: ItemMutants) => number) => items.reduce((total, item) => total + of(item), 0)
  return {
    made: sum(({ made }) => made),
    alike: sum(({ alike }) => alike),
    accepted: sum(({ accepted }) => accepted),
    chosen: mutants.length,
    judged: mutants.filter(isJudged).length,
    killed: having('killed'),
    timeouts: having('timeout'),
    survived: having('survived'),
    notJudged: having('not-judged') + having('broke'),
    notRun: having('not-run'),
  }
}

function withoutMutants({ selected, plans }: MutationParts): MutationReport['withoutMutants'] {
  return [...selected.keys()].flatMap((itemId) => {
    const plan = plans.get(itemId)
    if (plan === undefined) return [{ itemId, reason: 'its workspace could not be made' }]
    const reason = plan.problems[0] ?? 'its reference changes no source that can be mutated'
    return hasMutants(plan) ? [] : [{ itemId, reason }]
  })
}

function killersIn(items: readonly ItemMutants[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { mutants } of items)
    for (const { killers } of mutants) for (const path of killers) counts[path] = (counts[path] ?? 0) + 1
  return counts
}

function conclusionOf(report: Omit<MutationReport, 'conclusion'>): MutationReport['conclusion'] {
  const { items, survival, threshold, complete, counts, proven } = report
  const solutions = items.flatMap((item) => item.solutions)
  const isAbove = threshold !== null && (survival.byItem.mean ?? 0) > threshold
  const isProven = threshold === null && (proven ?? []).length > 0
  if (isAbove || isProven || solutions.some(({ outcome }) => outcome === 'survived')) return 'holes'
  const judged = counts.judged + solutions.filter(isJudged).length
  const isUnsound = items.some(({ referencePasses }) => !referencePasses)
  return isUnsound || !complete || judged === 0 || counts.notJudged > 0 ? 'nothing-said' : 'held'
}
