import { randomUUID } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { DatasetItem, Experiment, ExperimentOptions, Reporter } from '@jurist/experiment'
import type { Dataset } from '@jurist/experiment/dataset'
import { openedDataset } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { establishItems, plannedTrials } from '../establish/establish.js'
import { countedCanaries, type EstablishReport, enoughCanaries } from '../establish/establish-report.js'
import { canaryLines } from '../establish/report-sections.js'
import type { RunMutantsOptions } from '../mutate/mutate-options.js'
import type { ItemMutants, MutationReport } from '../mutate/mutation-report.js'
import { type KnownReferences, runMutants } from '../mutate/run-mutants.js'
import { idleName } from '../probe/probe-plan.js'
import type { ProbeReport, ProbeRow } from '../probe/probe-report.js'
import { type PreparedProbes, performProbes, prepareProbes } from '../probe/run-probes.js'
import { partOfVetting, unfinishedVetting } from '../resumed-runs.js'
import { checkItemSettings } from '../settings/item-settings.js'
import type { LabelledRun } from '../variants/labelled-trials.js'
import { tooStrict } from '../variants/variant-report.js'
import type {
  BenchmarkCard,
  CardCheck,
  CardMutants,
  CardProbes,
  CardSettings,
  CheckState,
  Share,
} from './benchmark-card.js'

/** Options of `vet`. Each of them has a default. */
export interface VetOptions {
  /**
   * `quick`: each item is tried once with its right answer, once without, and with 2 mutants, with the tests and
   * canaries of its `tests.lock.json` if the lock belongs to this version of the item; each probe is tried on one item,
   * and on the others only if it passed there. `full`: 5 times, 10 mutants, and also the slow probes. Default
   * `standard`: 3 times, 5 mutants.
   */
  readonly level?: 'quick' | 'standard' | 'full'
  /** A whole number that determines the item on which `quick` tries each probe first. Default 1. */
  readonly seed?: number
  /**
   * Whether right solutions in other forms are judged, as many per item as mutants. Default: only with the level `full`.
   */
  readonly variants?: boolean
  /** With `variants`, stored runs with their labels: as in `runMutants`. */
  readonly labelled?: readonly LabelledRun[]
  /** Names of probes that may pass, in addition to `vet.accepted` of the experiment. Default: none. */
  readonly allow?: readonly string[]
  /** Whether jury members that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** Whether probes that leave processes behind run without a sandbox. Default `false`: they are skipped. */
  readonly withoutSandbox?: boolean
  /** Whether probes run that send requests to servers of others. Default `false`: they are skipped. */
  readonly online?: boolean
  /** `latest` continues the newest unfinished vetting without repeating its finished runs. Default: a new vetting. */
  readonly resume?: 'latest'
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
  /** Called before the first trial. */
  readonly onPlan?: (plan: VetPlan) => void
}

/** The plan of a vetting, as far as it is known in advance. */
export interface VetPlan {
  readonly items: number
  /** The approximate number of trials in all runs: searching for the tests of a lock and probes that pass add some. */
  readonly trials: number
  /** An estimate from the `tests.lock.json` of the items and the concurrency; `null` if no item has one. */
  readonly expectedMs: number | null
}

const rules: { readonly [name in keyof Required<VetOptions>]: OptionRule } = {
  level: option.oneOf('quick', 'standard', 'full'),
  variants: option.boolean,
  labelled: { wants: 'an array of runs with labels', holds: Array.isArray },
  allow: option.strings,
  free: option.boolean,
  withoutSandbox: option.boolean,
  online: option.boolean,
  resume: option.oneOf('latest'),
  seed: option.integer(0),
  signal: option.anything,
  onEvent: option.function,
  onPlan: option.function,
}

const repeats = { quick: 1, standard: 3, full: 5 } as const
const mutantsPerItem = { quick: 2, standard: 5, full: 10 } as const

/** Implements `vet` of `vetting.ts`. */
export async function vet(experiment: ExperimentOptions | Experiment, options?: VetOptions): Promise<BenchmarkCard> {
  const given = checkOptions<VetOptions>('vet', options, rules)
  const {
    level = 'standard',
    seed = 1,
    variants = level === 'full',
    labelled = [],
    allow,
    withoutSandbox,
    online,
    resume,
    onPlan,
    ...shared
  } = given
  const isQuick = level === 'quick'
  const resumed = resume === undefined ? undefined : await unfinishedVetting(experiment)
  const metadata = { ...experiment.metadata, ...partOfVetting(resumed?.vetting ?? randomUUID()) }
  const marked = { ...experiment, metadata }
  const resuming = (kind: 'establish' | 'probe' | 'mutate') =>
    resumed?.[kind] === undefined ? {} : { resume: resumed[kind] }
  const isAborted = () => given.signal?.aborted === true
  // Most probes and mutants fail by the judges of their item: where these go first, nothing else need run.
  const { itemJury } = experiment as ExperimentOptions
  const attacked = isQuick && itemJury !== 'replace' ? { ...marked, itemJury: 'first' as const } : marked
  // Preparing the probes takes little time, and allows an estimate for the rest.
  const prepared = isAborted()
    ? null
    : await prepareProbes(attacked, {
        ...shared,
        ...resuming('probe'),
        level: level === 'full' ? 'full' : 'standard',
        ...{ allow, withoutSandbox, online },
      })
  if (prepared !== null) onPlan?.(await vetPlan(marked, prepared, { level, variants }))
  const establishing = { ...shared, ...resuming('establish'), repeat: repeats[level] }
  const { report: established, decided, isFree } = await establishItems(marked, establishing, isQuick)
  const lockOf = (id: string) => established.items.find(({ itemId }) => itemId === id)?.tests ?? undefined
  const probed =
    prepared === null || !established.complete || isAborted()
      ? null
      : await performProbes(prepared, { lockOf, decided, ...(isQuick ? { narrowBy: seed } : {}) })
  const mutating = { ...shared, ...resuming('mutate'), perItem: mutantsPerItem[level], variants, labelled }
  const known = { lockOf, decided: isFree ? decided : new Map() }
  const mutation = probed?.complete !== true || isAborted() ? null : await mutated(attacked, mutating, known)
  const dataset = await openedDataset(experiment)
  return cardOf({
    dataset: await dataset.describe(experiment.filter),
    settings: await settingsOf(dataset, experiment.filter),
    establish: established,
    probe: probed,
    mutation,
    madeAt: new Date().toISOString(),
  })
}

async function vetPlan(
  experiment: ExperimentOptions | Experiment,
  { applicable, choice }: PreparedProbes,
  { level, variants }: Required<Pick<VetOptions, 'level' | 'variants'>>,
): Promise<VetPlan> {
  const items: DatasetItem[] = []
  for await (const item of (await openedDataset(experiment)).items(experiment.filter)) items.push(item)
  const lists = [...applicable.values()]
  const tried = choice.probes.filter(({ name }) => name !== idleName)
  const probing = tried.map((probe) => lists.filter((list) => list.includes(probe)).length)
  const trials = {
    establish: sum(items.map((item) => plannedTrials(item, repeats[level]))),
    probe: sum(level === 'quick' ? probing.map((count) => Math.min(1, count)) : probing),
    mutate:
      items.filter(({ reference, noChange }) => reference !== null && !noChange).length *
      mutantsPerItem[level] *
      (variants ? 2 : 1),
  }
  const seconds = items.flatMap(({ testsLock }) => testsLock?.seconds ?? [])
  const { concurrency = 4 } = experiment
  const all = trials.establish + trials.probe + trials.mutate
  const mean = sum(seconds) / seconds.length
  return {
    items: items.length,
    trials: all,
    expectedMs: seconds.length === 0 ? null : (all * mean * 1000) / concurrency,
  }
}

/** Runs the mutants; `null` if no item has a source that can be mutated. */
async function mutated(
  experiment: ExperimentOptions | Experiment,
  { free, ...options }: RunMutantsOptions & { readonly free?: boolean },
  known: KnownReferences,
): Promise<MutationReport | null> {
  try {
    return await runMutants(experiment, options, known)
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid') && thrown.details.option === 'dataset') return null
    throw thrown
  }
}

/** Reads the files of the Harbor tasks among the items. */
async function settingsOf(dataset: Dataset, filter: ExperimentOptions['filter']): Promise<CardSettings | null> {
  const [findings, notChecked]: [CardSettings['findings'][number][], CardSettings['notChecked'][number][]] = [[], []]
  let read = 0
  for await (const item of dataset.items(filter)) {
    const found = await checkItemSettings(dataset, item)
    if (found === null) continue
    read += 1
    findings.push(...found.findings.map((one) => ({ itemId: item.id, ...one })))
    notChecked.push(...found.notChecked.map((one) => ({ itemId: item.id, ...one })))
  }
  const defects = new Set(findings.flatMap(({ level, itemId }) => (level === 'defect' ? [itemId] : [])))
  return read === 0 ? null : { defects: { count: defects.size, of: read }, findings, notChecked }
}

export interface CardParts {
  readonly dataset: ExperimentResult['dataset']
  readonly settings: CardSettings | null
  readonly establish: EstablishReport
  /** `null` if the probes did not run. */
  readonly probe: ProbeReport | null
  /** `null` if no item can be mutated, or if the mutants did not run. */
  readonly mutation: MutationReport | null
  readonly madeAt: string
}

export function cardOf({ dataset, settings, establish, probe, mutation, madeAt }: CardParts): BenchmarkCard {
  const { experiment, isolation, network, runId, repeat, solvable, trivial, flaky } = establish
  return Object.freeze({
    schemaVersion: 1,
    kind: 'card',
    experiment,
    dataset,
    madeAt,
    isolation,
    ...(network === undefined ? {} : { network }),
    skippedMembers: [...new Set([establish, probe].flatMap((report) => report?.skippedMembers ?? []))],
    establish: { runId, repeat },
    solvable,
    trivial,
    idleNotJudged: establish.items.flatMap(({ itemId, idle }) =>
      idle === null || idle.undecided === 0 ? [] : [{ itemId, reason: idle.reason ?? '' }],
    ),
    flaky: repeat === 1 ? null : flaky,
    canaries: canariesOf(establish),
    probes: probe === null ? null : probesOf(probe),
    mutants: mutation === null ? null : mutantsOf(mutation),
    variants: variantsOf(mutation),
    settings,
    checks: checklist({ establish, probe }),
    conclusion: (settings?.defects.count ?? 0) > 0 ? 'problems' : conclusionOf(establish, probe, mutation),
  })
}

function canariesOf(establish: EstablishReport): BenchmarkCard['canaries'] {
  const counts = establish.items.flatMap((item) => countedCanaries(item) ?? [])
  if (counts.length === 0) return null
  const enough = counts.filter((count) => count >= enoughCanaries).length
  return { enough: { count: enough, of: counts.length }, notices: canaryLines(establish) }
}

function probesOf(report: ProbeReport): CardProbes {
  const rows = report.probes.filter(({ name }) => name !== idleName)
  const tried = rows.filter(({ applicable }) => applicable > 0)
  const leaks = tried.filter(({ pattern }) => pattern === 'leak')
  return {
    runId: report.runId,
    gameable: { count: openItems(rows).size, of: report.triedItems.any },
    leaks: leaks.length === 0 ? null : { count: openItems(leaks).size, of: report.triedItems.leak },
    tried: tried.length,
    trials: coverageOf(rows),
    notApplicable: rows.filter(({ applicable, skipped }) => applicable === 0 && skipped === null).length,
    skipped: rows.filter(({ skipped }) => skipped !== null).length,
    notJudged: rows.reduce((sum, { outcomes }) => sum + outcomes['not-judged'] + outcomes.error, 0),
    holes: report.probes
      .filter(({ passed }) => passed.length > 0)
      .map(({ name, what, remedy, passed, accepted }) => ({
        probe: name,
        what,
        items: passed.map(({ itemId }) => itemId),
        members: [...new Set(passed.flatMap(({ members }) => members))],
        remedy,
        accepted,
      })),
  }
}

/** The pairs of a probe and an item that were tried, out of all possible ones. */
function coverageOf(rows: readonly ProbeRow[]): Share {
  const count = sum(rows.map(({ applicable }) => applicable))
  return { count, of: count + sum(rows.map(({ notTried }) => notTried)) }
}

function openItems(rows: readonly ProbeRow[]): ReadonlySet<string> {
  const open = rows.filter(({ accepted }) => accepted === null)
  return new Set(open.flatMap(({ passed }) => passed.map(({ itemId }) => itemId)))
}

function mutantsOf({ runId, counts, survival, threshold, items, skippedMembers }: MutationReport): CardMutants {
  const solutions = items.flatMap((item) => item.solutions)
  return {
    runId,
    survived: { count: counts.survived, of: counts.judged },
    survivors: items.flatMap(survivorsOf),
    notJudged: counts.notJudged,
    skippedMembers,
    mean: survival.byItem.mean,
    interval: survival.byItem.interval,
    threshold,
    wrongSolutions: {
      count: solutions.filter(({ outcome }) => outcome === 'survived').length,
      of: solutions.length,
    },
  }
}

function variantsOf(mutation: MutationReport | null): BenchmarkCard['variants'] {
  if (mutation === null || mutation.variants === null) return null
  const { runId, variants } = mutation
  const judged = variants.items.flatMap(({ itemId, variants: own }) => own.map((one) => ({ itemId, ...one })))
  return {
    runId,
    strict: tooStrict(variants),
    demanding: {
      count: variants.items.filter(({ demands }) => demands.length > 0).length,
      of: variants.items.length,
    },
    demands: variants.items
      .filter(({ demands, notChecked }) => demands.length + notChecked.length > 0)
      .map(({ itemId, demands, notChecked }) => ({ itemId, demands, notChecked })),
    judged: judged.filter(({ outcome }) => /^(?:passed|too-strict|suspected)$/.test(outcome)).length,
    findings: judged.filter(({ outcome }) => outcome === 'too-strict' || outcome === 'suspected'),
  }
}

function survivorsOf({ itemId, referencePasses, mutants }: ItemMutants): CardMutants['survivors'] {
  // Mutants of an item do not count if its reference does not pass.
  const survived = referencePasses ? mutants.filter(({ outcome }) => outcome === 'survived') : []
  return survived.map(({ repetition, path, line, operator }) => ({ itemId, repetition, path, line, operator }))
}

function conclusionOf(
  establish: EstablishReport,
  probe: ProbeReport | null,
  mutation: MutationReport | null,
): BenchmarkCard['conclusion'] {
  const hasHoles = probe?.conclusion === 'holes' || mutation?.conclusion === 'holes'
  if (establish.conclusion === 'problems' || hasHoles) return 'problems'
  const isSaid = probe?.conclusion === 'held' && (mutation?.conclusion !== 'nothing-said' || awaitsMembers(mutation))
  return establish.conclusion === 'sound' && isSaid ? 'sound' : 'nothing-said'
}

/**
 * Whether the mutants await only paid members, and there is no requirement for mutants: then it is enough that the
 * whole jury judged the right answers and the probes.
 */
function awaitsMembers({ complete, skippedMembers, threshold, items }: MutationReport): boolean {
  const isDemanded = threshold !== null || items.some(({ solutions }) => solutions.length > 0)
  return complete && skippedMembers.length > 0 && !isDemanded
}

interface Reports {
  readonly establish: EstablishReport
  readonly probe: ProbeReport | null
}

type Finding = readonly [state: CheckState, evidence: string]

interface Entry {
  readonly id: string
  readonly what: string
  readonly find: (reports: Reports) => Finding
}

/**
 * The entries of the Agentic Benchmark Checklist for which running tasks gives evidence. Those that need a reader (tool
 * versions, documentation, statistics of a publication) are left out. The wording is ours.
 *
 * Source: Zhu et al., "Establishing Best Practices for Building Rigorous Agentic Benchmarks", 2025, arXiv 2507.02825.
 */
const entries: readonly Entry[] = [
  { id: 'T.4', what: 'No state of one trial reaches the next', find: repeated },
  { id: 'T.5', what: 'The right answer is out of reach', find: byProbes(({ pattern }) => pattern === 'leak') },
  { id: 'T.7', what: 'The jury agrees with the right answers', find: agreed },
  { id: 'T.8', what: 'Every task can be solved', find: solved },
  { id: 'T.9', what: 'There is a solver for every task', find: withReference },
  {
    id: 'T.10',
    what: 'No shortcut passes',
    find: byProbes(({ pattern }) => pattern !== 'leak' && pattern !== 'words'),
  },
  { id: 'O.b.2', what: 'Listing all answers fails', find: byProbes(({ name }) => name === 'dump-everything') },
  {
    id: 'O.b.3',
    what: 'Guessing fails',
    find: byProbes(({ name }) => name === 'constant-answer' || name === 'empty-object'),
  },
  {
    id: 'O.c.2',
    what: 'Judges that are models resist orders of the agent',
    find: byProbes(({ name }) => name === 'prompt-injection'),
  },
  { id: 'O.d.1', what: 'Tests tell a solution from none', find: tested },
]

function checklist(reports: Reports): readonly CardCheck[] {
  return entries.map(({ id, what, find }) => {
    const [state, evidence] = find(reports)
    return { id, what, state, evidence }
  })
}

function repeated({ establish: { repeat, flaky, complete } }: Reports): Finding {
  if (repeat === 1) return ['not-checked', 'each item was tried once']
  const evidence = `equal trials ended differently on ${flaky.count} of ${counted(flaky.of, 'item')}, each tried ${repeat} times`
  return [flaky.count > 0 ? 'fails' : complete ? 'holds' : 'not-checked', evidence]
}

function agreed({ establish: { items, solvable } }: Reports): Finding {
  const judged = items.flatMap(({ reference }) => (reference === null ? [] : reference))
  const [passed, trials] = [sum(judged.map((one) => one.passed)), sum(judged.map((one) => one.trials))]
  return [byShare(solvable, items.length), `${passed} of ${counted(trials, 'trial')} with the right answer passed`]
}

function solved({ establish: { items, solvable } }: Reports): Finding {
  const evidence = `the right answer passes on ${solvable.count} of ${counted(items.length, 'item')}`
  return [byShare(solvable, items.length), evidence]
}

function byShare({ count, of }: EstablishReport['solvable'], items: number): CheckState {
  if (count < of) return 'fails'
  return of === items && items > 0 ? 'holds' : 'not-checked'
}

function withReference({ establish: { items } }: Reports): Finding {
  const known = items.filter(({ reference }) => reference !== null).length
  return [
    known === items.length ? 'holds' : 'fails',
    `the right answer is known for ${known} of ${counted(items.length, 'item')}`,
  ]
}

function tested({ establish: { items } }: Reports): Finding {
  const known = items.flatMap(({ tests }) => (tests === null ? [] : tests))
  if (known.length === 0) return ['not-checked', 'no judge reports tests by name']
  const telling = known.filter(({ failToPass }) => failToPass.length > 0).length
  const evidence = `on ${telling} of ${counted(known.length, 'item')} with named tests, some fail before and pass with the right answer`
  return [telling === known.length ? 'holds' : 'fails', evidence]
}

function byProbes(isMeant: (row: ProbeRow) => boolean): Entry['find'] {
  return ({ probe }) => {
    if (probe === null) return ['not-checked', 'the probes did not run']
    const rows = probe.probes.filter((row) => row.name !== idleName && isMeant(row))
    const through = rows.filter(({ passed }) => passed.length > 0)
    const open = through.filter(({ accepted }) => accepted === null)
    if (open.length > 0) return ['fails', `${named(open)} got through`]
    const problem = notSaid(rows, probe.complete)
    if (problem !== null) return ['not-checked', problem]
    const { count, of } = coverageOf(rows)
    if (count < of)
      return [
        'not-checked',
        `${counted(rows.filter(isTelling).length, 'probe')} tried, each on one item first: ${count} of ${of} trials that are possible`,
      ]
    const [first] = through
    if (first !== undefined) return ['accepted', `${named(through)} got through: ${first.accepted}`]
    return ['holds', `${counted(rows.filter(isTelling).length, 'probe')} tried, and none got through`]
  }
}

/** Returns the reason why the failure of these probes proves nothing; `null` if it does prove something. */
function notSaid(rows: readonly ProbeRow[], isComplete: boolean): string | null {
  if (!isComplete) return 'the run of the probes is not complete'
  const open = rows.filter(({ outcomes }) => outcomes['not-judged'] + outcomes.error > 0)
  if (open.length > 0) return `${named(open)} could not be judged`
  const skipped = rows.filter((row) => row.skipped !== null)
  if (skipped.length > 0) return `${named(skipped)} not tried: ${skipped[0]?.skipped}`
  return rows.some(isTelling) ? null : 'no such probe can be tried here'
}

/** Whether the probe has a telling result on some item. */
function isTelling({ outcomes }: ProbeRow): boolean {
  return outcomes.held + outcomes.passed > 0
}

function named(rows: readonly ProbeRow[]): string {
  return rows.map(({ name }) => name).join(', ')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
