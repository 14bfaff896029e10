import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, type AgentTask, flatten } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import {
  completed,
  copyWorkspaces,
  type Dataset,
  type DatasetItem,
  type Experiment,
  type ExperimentEvent,
  type ExperimentOptions,
  errored,
  runExperiment,
  trialOf,
} from '@jurist/experiment'
import { changedItems } from '@jurist/experiment/internal'
import { judgeTimedOut, trialKey, widenedBootstrap } from '@jurist/experiment/internal/results'
import { type ExperimentResult, type Interval, type ItemResult, reasonOf } from '@jurist/experiment/result'
import { localWorkspace } from '@jurist/workspace'
import { checkedDataset, derivedExperiment, refuseStopped } from '../derived-experiment.js'
import type { DecidedTrials } from '../establish/established-item.js'
import { freeJudging } from '../free-members.js'
import {
  copiedInto,
  filesIn,
  type References,
  referenceName,
  rememberedReferences,
  rightAnswer,
} from '../reference-agent.js'
import { pairedRuns } from '../resumed-runs.js'
import {
  comparedVariant,
  confirmation,
  confirmationPlans,
  failedVariants,
  variantReportOf,
} from '../variants/judge-variants.js'
import { layTrial } from '../variants/labelled-trials.js'
import { varied } from '../variants/variant.js'
import { isOpen, tooStrict, type VariantReport } from '../variants/variant-report.js'
import type { ChoiceRules } from './choose-mutants.js'
import { markOf, mutated } from './mutants.js'
import { checkedOptions, choiceRules, type RunMutantsOptions } from './mutate-options.js'
import { hasMutants, type MutationPlan, type MutationStep, planMutants } from './mutation-plan.js'
import type {
  ItemMutants,
  JudgedMutant,
  MutantFate,
  MutantOutcome,
  MutationReport,
  ProvenHole,
  Survival,
} from './mutation-report.js'
import type { MutantProof } from './prove/mutant-proof.js'
import type { Compared, ProofOf, ProvingScene } from './prove/prove-survivors.js'

interface MutantScene {
  readonly planOf: (itemId: string) => MutationPlan | undefined
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly references: References
  /** `vet.solution` of the experiment. */
  readonly solution: readonly string[] | undefined
  /** Whether the reference of the item is known to fail, so that its mutants prove nothing. */
  readonly isUnsound: (itemId: string) => boolean
}

/** Returns the agent of a run of mutants: each repetition of an item writes its reference with another mistake. */
function mutantAgent({ planOf, items, references, solution, isUnsound }: MutantScene): Agent {
  return async function mutantAgent(task) {
    const { itemId = '', repetition = 0 } = trialOf(task) ?? {}
    const plan = planOf(itemId)
    const step = plan?.steps[repetition - 1]
    const reference = references.of(itemId, repetition)
    const isOwn = step !== undefined && ('directory' in step || step.kind === 'labelled')
    if (plan === undefined || step === undefined || (reference === null && !isOwn))
      throw new Error(`No mutant is planned for repetition ${repetition} of ${itemId}.`)
    if (step.kind !== 'reference' && isUnsound(itemId))
      return errored(new Error('The reference of this item does not pass: its mutants say nothing.'))
    const metadata = { tried: nameOf(step), mutation: describedStep(step) }
    if (step.kind === 'labelled') {
      const { agentOutput: output, turns } = await layTrial(task, step)
      return completed({ ...(output && { output }), ...(turns && { turns }), metadata })
    }
    const right = await rightAnswer(task, { item: items.get(itemId), reference, solution })
    const output = 'answer' in step && step.answer !== null ? ({ type: 'text', text: step.answer } as const) : right
    if ('directory' in step && step.directory !== null) await copySolution(task, step.directory)
    if (step.kind === 'mutant' || step.kind === 'variant') {
      const { path } = step.kind === 'mutant' ? step.mutant : step.variant
      await task.workspace.write(path, changedBy(step, plan.sources.get(path) ?? ''))
    }
    const said = output === undefined ? {} : { output }
    return completed({ ...said, metadata })
  }
}

/** Applies a mutant or a variant to its file. */
function changedBy(step: Extract<MutationStep, { readonly kind: 'mutant' | 'variant' }>, source: string): string {
  return step.kind === 'mutant' ? mutated(source, step.mutant) : varied(source, step.variant)
}

async function copySolution(task: AgentTask, directory: string): Promise<void> {
  const solution = await localWorkspace(directory)
  await copiedInto(task, solution, await filesIn(solution, task.signal))
}

function nameOf(step: MutationStep): string {
  if (step.kind === 'reference') return referenceName
  if (step.kind === 'variant')
    return `${step.variant.kind} ${step.variant.path}:${step.variant.line} ${step.variant.what}`
  if (step.kind !== 'mutant') return step.name
  const { operator, path, line, original, text } = step.mutant
  return `${operator} ${path}:${line}${original.length + text.length > 30 ? '' : ` ${original} → ${text}`}`
}

/** Returns a step as plain data, for the journal and the page. */
function describedStep(step: MutationStep) {
  if (step.kind === 'reference') return { kind: step.kind }
  if (step.kind === 'variant') {
    const { path, line, kind: variant, what } = step.variant
    return { kind: step.kind, path, line, variant, what }
  }
  if (step.kind !== 'mutant') return { kind: step.kind, name: step.name }
  const { path, line, operator, original, text } = step.mutant
  return { kind: step.kind, path, line, operator, original, text }
}

/** The findings about the items from before mutants are judged. */
export interface KnownReferences {
  /** Newly established locks. Default: those of the dataset. */
  readonly lockOf: (itemId: string) => DatasetItem['testsLock']
  /** The trials of the right answer with these locks and members, which are not repeated. */
  readonly decided: DecidedTrials
}

/** Implements `runMutants` of `vetting.ts`. */
export async function runMutants(
  experiment: ExperimentOptions | Experiment,
  options?: RunMutantsOptions,
  { lockOf, decided }: KnownReferences = { lockOf: () => undefined, decided: new Map() },
): Promise<MutationReport> {
  const given = checkedOptions(options)
  const rules = choiceRules(given)
  if (given.untilKilled === true && experiment.budget?.usd === undefined) refuseUnlimited()
  const dataset = await checkedDataset(experiment)
  const items = await itemsToTry(dataset, experiment)
  const references = rememberedReferences(experiment.provision ?? copyWorkspaces())
  const filtered = { ...experiment, filter: { id: [...items.keys()], status: 'any' } } as const
  const judging = given.untilKilled === true ? undefined : freeJudging(filtered)
  const { signal } = given
  const looked = { experiment: filtered, dataset, items, references, rules, signal }
  const all = await planMutants({ ...looked, labelled: given.labelled ?? [], variants: given.variants === true })
  refuseStopped('The mutants', signal)
  const known = new Map([...decided].flatMap(([id, { reference }]) => (reference === null ? [] : [[id, reference]])))
  const plans = new Map([...all].map(([id, plan]) => [id, known.has(id) ? withoutReference(plan) : plan]))
  const planned = [...plans].filter(([, plan]) => hasMutants(plan))
  if (planned.length === 0) refuseEmpty(dataset, plans)
  const unsound = new Set([...known].flatMap(([id, { passed }]) => (passed === true ? [] : [id])))
  const within = signalOf(given)
  const judged = (
    steps: ReadonlyMap<string, MutationPlan>,
    isUnsound: (id: string) => boolean,
    { metadata = {}, ...own }: Partial<ExperimentOptions>,
  ): ExperimentOptions => ({
    ...derivedExperiment(judging?.experiment ?? filtered, {
      agent: mutantAgent({
        ...{ items, references, isUnsound, solution: experiment.vet?.solution },
        planOf: (id) => steps.get(id),
      }),
      dataset: changedItems(dataset, ({ id, jury }) => ({
        repetitions: steps.get(id)?.steps.length ?? null,
        testsLock: lockOf(id) ?? items.get(id)?.testsLock,
        ...(jury === null || judging === undefined ? {} : { jury: judging.freed(jury) }),
      })),
      provision: references.provision,
      conditions: { ...experiment.conditions, ...chosenBy(rules), mutants: digestOf([...steps]) },
      metadata: { ...experiment.metadata, ...metadata },
    }),
    filter: { id: [...steps.keys()], status: 'any' },
    ...own,
  })
  const resumed =
    given.variants !== true || given.resume === undefined ? {} : await pairedRuns(experiment, given.resume, 'mutate')
  const result = await performed(
    judged(new Map(planned), (id) => unsound.has(id), limitOf([...known.values()], experiment)),
    { ...given, resume: resumed.found ?? given.resume, signal: within },
    (event) => noteUnsound(event, plans, unsound),
  )
  const parts: MutationParts = {
    ...{ result, plans, rules, known },
    selected: items,
    threshold: given.survival ?? experiment.vet?.survival ?? null,
    skippedMembers: judging?.skipped() ?? [],
  }
  const survivors = given.prove === true ? mutationReportOf(parts).items.flatMap(survivorsOf) : []
  const failed = given.variants === true ? failedVariants({ plans, result }) : []
  const terms = { seed: rules.seed, budgetMs: (given.proveSeconds ?? 10) * 1_000 }
  const scene = { ...looked, terms, signal: within, onProof: given.onProof }
  const proofOf = await proved([...survivors, ...failed.flatMap(comparedVariant)], result, scene)
  const whole = { ...parts, ...(given.prove === true ? { proofOf } : {}) }
  if (given.variants !== true) return mutationReportOf(whole)
  const again = confirmationPlans(failed, { plans, result }, proofOf)
  const second =
    again.size === 0 || within.aborted
      ? undefined
      : await performed(
          judged(again, () => false, confirmation(result.id)),
          { ...given, resume: resumed.decided, signal: within },
          () => undefined,
        )
  const { items: mutatedItems } = mutationReportOf(whole)
  const variants = variantReportOf({
    ...{ plans, result, proofOf },
    passes: (id) => mutatedItems.some(({ itemId, referencePasses }) => itemId === id && referencePasses),
    again: second === undefined ? undefined : { plans: again, result: second },
  })
  return mutationReportOf({ ...whole, variants, strict: experiment.vet?.strict ?? null })
}

/** Loads what compares programs only if there is something to compare. */
async function proved(compared: readonly Compared[], result: ExperimentResult, scene: ProvingScene): Promise<ProofOf> {
  if (compared.length === 0) return () => undefined
  return (await import('./prove/prove-survivors.js')).proveSurvivors(compared, result, scene)
}

/** Ends the run if the caller aborts it or its time is spent. */
function signalOf({ signal, budgetMinutes }: RunMutantsOptions): AbortSignal {
  const limits = [
    ...(signal === undefined ? [] : [signal]),
    ...(budgetMinutes === undefined ? [] : [AbortSignal.timeout(budgetMinutes * 60_000)]),
  ]
  return AbortSignal.any(limits)
}

async function performed(
  experiment: ExperimentOptions,
  { signal, onEvent, resume }: RunMutantsOptions & { readonly signal: AbortSignal },
  note: (event: ExperimentEvent) => void,
) {
  const run = runExperiment(experiment, {
    kind: 'mutate',
    signal,
    resume,
    onEvent(event) {
      note(event)
      return onEvent?.(event)
    },
  })
  return run.result
}

/** Remembers the items whose reference did not pass. */
function noteUnsound(event: ExperimentEvent, plans: ReadonlyMap<string, MutationPlan>, unsound: Set<string>): void {
  if (event.type !== 'item-end') return
  const { itemId, repetition, passed } = event.result
  if (plans.get(itemId)?.steps[repetition - 1]?.kind === 'reference' && passed !== true) unsound.add(itemId)
}

const [leastMs, factor] = [10_000, 5]

/** Mutants may loop, so they get a small multiple of the time of the right answers, if that is known. */
function limitOf(references: readonly ItemResult[], { judgeTimeoutMs }: ExperimentOptions) {
  if (references.length === 0) return {}
  const longest = Math.max(...references.map(({ juryMs }) => juryMs))
  const mostMs = Math.max(leastMs, Math.ceil(factor * longest))
  return { judgeTimeoutMs: Math.min(judgeTimeoutMs ?? mostMs, mostMs) }
}

function withoutReference(plan: MutationPlan): MutationPlan {
  return { ...plan, steps: plan.steps.filter(({ kind }) => kind !== 'reference') }
}

/** The items with a reference, and those with wrong solutions alone. */
async function itemsToTry(
  dataset: Dataset,
  { filter }: Pick<ExperimentOptions, 'filter'>,
): Promise<ReadonlyMap<string, DatasetItem>> {
  const items = new Map<string, DatasetItem>()
  for await (const item of dataset.items(filter))
    if ((item.reference !== null || hasWrong(dataset, item)) && !item.noChange) items.set(item.id, item)
  if (items.size === 0) refuseEmpty(dataset, new Map())
  return items
}

function hasWrong({ directory }: Dataset, { path }: DatasetItem): boolean {
  return directory !== null && path !== null && existsSync(join(directory, path, 'wrong'))
}

/** The settings that chose the mutants, for the message of a refused `resume`. */
function chosenBy({ perItem, where, seed, operators }: ChoiceRules) {
  return { perItem, where: where === 'rest' ? 'all' : where, seed, operators: operators.map(({ name }) => name).sort() }
}

/** Equal for equal plans: a resumed run must have the mutants that it began with. */
function digestOf(plans: readonly (readonly [string, MutationPlan])[]): string {
  const steps = plans.map(([id, plan]) => [id, plan.steps, [...plan.sources]])
  return createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 16)
}

function refuseEmpty({ name }: Dataset, plans: ReadonlyMap<string, MutationPlan>): never {
  const [problem] = [...plans.values()].flatMap(({ problems }) => problems)
  const why = problem === undefined ? '' : ` (${problem})`
  const remedy = 'Select items whose reference changes a source.'
  const message = `runMutants: the dataset ${name} has no selected item that can be mutated${why}. ${remedy}`
  optionInvalid('dataset', message)
}

function refuseUnlimited(): never {
  const message =
    'runMutants: "untilKilled" asks members that cost money. Set the budget of the experiment in dollars, or --budget.'
  optionInvalid('untilKilled', message)
}

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

interface MutationParts {
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
  readonly variants?: VariantReport
  /** `vet.strict` of the experiment. */
  readonly strict?: number | null
}

function mutationReportOf(parts: MutationParts): MutationReport {
  const { result, plans, rules, threshold, skippedMembers, proofOf, variants = null, strict = null } = parts
  const trials = new Map(result.items.map((item) => [trialKey(item), item]))
  const items = [...plans].flatMap(([id, plan]) => (hasMutants(plan) ? [itemOf(id, plan, trials, parts)] : []))
  const counted = items.filter(({ referencePasses }) => referencePasses)
  const report: Omit<MutationReport, 'conclusion'> = {
    schemaVersion: 1,
    kind: 'mutate',
    experiment: result.experimentName,
    runId: result.id,
    complete:
      result.status === 'completed' && result.counts.notRun === 0 && !items.some(hasUnreached) && !isOpen(variants),
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
    variants,
    killers: killersIn(counted),
    skippedMembers,
    threshold,
    judgeCostUsd: result.judgeCostUsd,
    durationMs: result.durationMs,
  }
  return Object.freeze({ ...report, conclusion: conclusionOf(report, strict) })
}

function itemOf(
  itemId: string,
  plan: MutationPlan,
  trials: ReadonlyMap<string, ItemResult>,
  { known, proofOf }: Pick<MutationParts, 'known' | 'proofOf'>,
): ItemMutants {
  const { steps, counts, sources } = plan
  const reference = known.get(itemId) ?? trials.get(trialKey({ itemId, repetition: 1 }))
  // Wrong solutions of an item without a reference are judged by themselves.
  const isAlone = steps[0]?.kind === 'solution' && !known.has(itemId)
  const passes = isAlone || reference?.passed === true
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

/** The mutants of an item that the jury passed. */
function survivorsOf({ itemId, mutants, sources }: ItemMutants): readonly Compared[] {
  return mutants
    .filter(({ outcome }) => outcome === 'survived')
    .map((mutant) => {
      const { repetition, path } = mutant
      const source = sources[path] ?? ''
      return { itemId, repetition, path, source, text: mutated(source, mutant) }
    })
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
  const isUndecided = outcome === 'not-judged' || outcome === 'broke'
  return {
    repetition,
    outcome,
    killers: outcome === 'killed' || outcome === 'timeout' ? failedMembers(trial) : [],
    problem: isUndecided && trial !== undefined ? reasonOf(trial) : null,
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

function conclusionOf(report: Omit<MutationReport, 'conclusion'>, strict: number | null): MutationReport['conclusion'] {
  const { items, survival, threshold, complete, counts, proven } = report
  const solutions = items.flatMap((item) => item.solutions)
  const isAbove = threshold !== null && (survival.byItem.mean ?? 0) > threshold
  const isProven = threshold === null && (proven ?? []).length > 0
  const { count, of } = tooStrict(report.variants)
  const isStrict = count > 0 && count / of > (strict ?? 0)
  if (isAbove || isProven || isStrict || solutions.some(({ outcome }) => outcome === 'survived')) return 'holes'
  const judged = counts.judged + solutions.filter(isJudged).length + of
  const isUnsound = items.some(({ referencePasses }) => !referencePasses)
  return isUnsound || !complete || judged === 0 || counts.notJudged > 0 ? 'nothing-said' : 'held'
}
