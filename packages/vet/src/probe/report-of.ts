import { flatten } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { type ExperimentResult, type ItemResult, reasonOf } from '@jurist/experiment/result'
import type { DecidedTrials } from '../establish/established-item.js'
import { referenceName } from '../reference-agent.js'
import type { Probe } from './probe.js'
import type { ProbeChoice } from './probe-options.js'
import { type Applicable, type ItemPlan, idleName, nameOf } from './probe-plan.js'
import type { MemberCount, ProbeHole, ProbeOutcome, ProbeReport, ProbeRow, ReferenceFailure } from './probe-report.js'

export interface ReportParts {
  readonly result: ExperimentResult
  readonly plans: ReadonlyMap<string, ItemPlan>
  readonly applicable: Applicable
  /** Trials that another run has made. */
  readonly decided: DecidedTrials
  readonly choice: ProbeChoice
  readonly isolation: string
  readonly noChangeItems: number
  readonly skippedMembers: readonly string[]
  /** The reasons for accepted probes, by probe name. */
  readonly accepted: ReadonlyMap<string, string>
}

interface ProbeTrial {
  readonly name: string
  readonly item: ItemResult
  readonly outcome: ProbeOutcome
}

export function reportOf(parts: ReportParts): ProbeReport {
  const { result, plans, choice, isolation, noChangeItems, skippedMembers } = parts
  const trials = trialsOf(parts)
  const rows = [
    ...choice.probes.map((probe) => rowOf(probe, trials, parts)),
    ...choice.skipped.map(({ probe, reason }) => ({ ...rowOf(probe, [], parts), skipped: reason })),
  ]
  const report: Omit<ProbeReport, 'conclusion'> = {
    schemaVersion: 1,
    kind: 'probe',
    experiment: result.experimentName,
    runId: result.id,
    complete: result.status === 'completed' && result.counts.notRun === 0,
    items: plans.size,
    triedItems: { any: itemsOf(choice.probes, trials), leak: itemsOf(choice.probes.filter(isLeak), trials) },
    noChangeItems,
    isolation,
    members: membersIn(result),
    skippedMembers,
    reference: referenceOf(trials),
    idle: {
      applicable: named(trials, idleName).length,
      passed: named(trials, idleName).flatMap(({ outcome, item }) => (outcome === 'passed' ? item.itemId : [])),
    },
    probes: rows,
    judgeCostUsd: result.judgeCostUsd,
    durationMs: result.durationMs,
  }
  return Object.freeze({ ...report, conclusion: conclusionOf(report) })
}

function isLeak({ pattern }: Probe): boolean {
  return pattern === 'leak'
}

/** The number of items on which one of these probes was tried, except `idle`. */
function itemsOf(probes: readonly Probe[], trials: readonly ProbeTrial[]): number {
  const names = new Set(probes.flatMap(({ name }) => (isBefore(name) ? [] : name)))
  return new Set(trials.flatMap(({ name, item }) => (names.has(name) ? item.itemId : []))).size
}

/** Whether a trial is one of those that show whether other probes prove anything. */
function isBefore(name: string): boolean {
  return name === idleName || name === referenceName
}

function trialsOf({ result, plans, decided }: ReportParts): readonly ProbeTrial[] {
  const trialOf = (name: string, item: ItemResult) => ({ name, item, outcome: outcomeOf(item) })
  const known = [...plans.keys()].flatMap((id) => {
    const { reference = null, idle = null } = decided.get(id) ?? {}
    return [
      ...(reference === null ? [] : [trialOf(referenceName, reference)]),
      ...(idle === null ? [] : [trialOf(idleName, idle)]),
    ]
  })
  const own = result.items.flatMap((item) => {
    const step = plans.get(item.itemId)?.[item.repetition - 1]
    return step === undefined ? [] : trialOf(nameOf(step), item)
  })
  const trials: readonly ProbeTrial[] = [...known, ...own]
  const trivial = new Set(
    trials.flatMap(({ name, item, outcome }) => (name === idleName && outcome === 'passed' ? item.itemId : [])),
  )
  return trials.map((trial) => {
    const isTrivial = trial.outcome === 'passed' && !isBefore(trial.name) && trivial.has(trial.item.itemId)
    return isTrivial ? { ...trial, outcome: 'trivial' } : trial
  })
}

function outcomeOf(item: ItemResult): ProbeOutcome {
  const { agent, judged, passed } = item
  if (passed === true || factsOf(item).found.length > 0) return 'passed'
  if (agent === 'error' || agent === 'timeout') return 'error'
  return judged === 'fail' ? 'held' : 'not-judged'
}

function named(trials: readonly ProbeTrial[], name: string): readonly ProbeTrial[] {
  return trials.filter((trial) => trial.name === name)
}

function rowOf(
  { name, pattern, what, remedy }: Probe,
  all: readonly ProbeTrial[],
  { plans, applicable, accepted }: ReportParts,
): ProbeRow {
  const trials = named(all, name)
  const fitting = [...applicable.values()].filter((probes) => probes.some((one) => one.name === name)).length
  const outcomes = { passed: 0, held: 0, 'not-judged': 0, error: 0, trivial: 0 }
  for (const { outcome } of trials) outcomes[outcome] += 1
  const undecided = trials.filter(({ outcome }) => outcome === 'not-judged' || outcome === 'error')
  return {
    ...{ name, pattern, what, remedy },
    applicable: trials.length,
    notTried: fitting - trials.length,
    notApplicable: plans.size - fitting,
    outcomes,
    members: memberCounts(trials),
    passed: trials.flatMap(({ outcome, item }) => (outcome === 'passed' ? holeOf(item) : [])),
    accepted: accepted.get(name) ?? null,
    skipped: null,
    problems: [...new Set(undecided.map(({ item }) => reasonOf(item)))].slice(0, 3),
  }
}

function memberCounts(trials: readonly ProbeTrial[]): Readonly<Record<string, MemberCount>> {
  const counts: Record<string, MemberCount> = {}
  for (const { item } of trials)
    for (const { path, status } of judgmentsOf(item)) {
      if (status !== 'pass' && status !== 'fail') continue
      const { passed, judged } = counts[path] ?? { passed: 0, judged: 0 }
      counts[path] = { passed: passed + (status === 'pass' ? 1 : 0), judged: judged + 1 }
    }
  return counts
}

/** Returns the judgment of each jury member, with its path as in the description of a jury. */
function judgmentsOf({ verdict }: ItemResult) {
  if (verdict === null) return []
  return flatten(verdict).flatMap(({ path, kind, judgment }) =>
    kind === 'judge' ? { path: path.slice(1), status: judgment.status } : [],
  )
}

function membersIn({ jury, items }: ExperimentResult): readonly string[] {
  const described = jury?.judges.map(({ path }) => path) ?? []
  const seen = items.flatMap((item) => judgmentsOf(item).map(({ path }) => path))
  const known = new Set(seen)
  return [...new Set([...described.filter((path) => known.has(path)), ...seen])]
}

function holeOf(item: ItemResult): ProbeHole {
  const { said, changes, found } = factsOf(item)
  const { files = [], commands = [] } = changes
  return {
    itemId: item.itemId,
    repetition: item.repetition,
    members: judgmentsOf(item).flatMap(({ path, status }) => (status === 'pass' ? path : [])),
    files,
    commands,
    output: said,
    found,
  }
}

/** Returns what the agent of the run recorded about its probe. */
function factsOf({ detail }: ItemResult) {
  const { said, changes, found } = (detail?.kind === 'agent' && detail.invocation.metadata) || {}
  return {
    said: typeof said === 'string' ? said : null,
    changes: (isPlainObject(changes) ? changes : {}) as Partial<Pick<ProbeHole, 'files' | 'commands'>>,
    found: (Array.isArray(found) ? found : []) as readonly string[],
  }
}

function referenceOf(trials: readonly ProbeTrial[]): ProbeReport['reference'] {
  const own = named(trials, referenceName)
  const failed = own.flatMap(({ outcome, item }): readonly ReferenceFailure[] =>
    outcome === 'passed' ? [] : [{ itemId: item.itemId, repetition: item.repetition, outcome, reason: reasonOf(item) }],
  )
  return { applicable: own.length, passed: own.length - failed.length, failed }
}

function conclusionOf({ probes, reference, complete }: Omit<ProbeReport, 'conclusion'>): ProbeReport['conclusion'] {
  const counted = probes.filter(({ accepted }) => accepted === null)
  if (counted.some(({ passed }) => passed.length > 0)) return 'holes'
  const isOpen = counted.some(({ outcomes }) => outcomes['not-judged'] + outcomes.error > 0)
  return isOpen || reference.failed.length > 0 || !complete ? 'nothing-said' : 'held'
}
