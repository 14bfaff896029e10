import { error, flatten, type JournalEvent } from '@jurist/core'
import { checkOptions, failureOf, option, type VerdictRow } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { phaseEvents } from '../journal/journal-events.js'
import { trajectory } from '../journal/trajectory.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type {
  Diagnosis,
  DiagnosticInput,
  DiagnosticRule,
  Finding,
  GapCategory,
  ItemDiagnosis,
  Remediation,
} from './diagnosis.js'
import { editedUntested, loop, readWithoutWrite, repeatedError } from './rules/behaviour.js'
import { isNamed, mergedRemedies, remediesOf } from './rules/rule.js'
import {
  agentFailed,
  commandFailed,
  comparisonFailed,
  judgeAbstained,
  judgeError,
  setupFailed,
} from './rules/trials.js'
import { criterionUnclear, jurySplit, knowledgeUnread, toolUnused } from './rules/whole-runs.js'

/**
 * The rules that `diagnose` has: first those that are certain, then those based on evidence of judges, then those based
 * on the behaviour of the agent.
 *
 * @example
 * import { type DiagnosticRule, defaultRules, diagnose } from '@jurist/experiment'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const noFinding: DiagnosticRule = { id: 'none', description: 'Finds nothing.', category: 'planning', match: () => [] }
 * await diagnose([aResult()], { rules: [noFinding, ...defaultRules] })
 */
export const defaultRules: readonly DiagnosticRule[] = Object.freeze([
  agentFailed,
  setupFailed,
  judgeError,
  judgeAbstained,
  commandFailed,
  comparisonFailed,
  criterionUnclear,
  knowledgeUnread,
  toolUnused,
  repeatedError,
  loop,
  readWithoutWrite,
  editedUntested,
  jurySplit,
])

/** How runs are diagnosed. */
export interface DiagnoseOptions {
  /** Tried in order. Default `defaultRules`. */
  readonly rules?: readonly DiagnosticRule[]
  /** Reads the journal of a trial. Default: the phases of its invocation. */
  readonly journals?: ReadJournal
  /**
   * Called once, with the findings that no rule resolves. The findings that its remedies name as a source are resolved.
   */
  readonly explain?: (unresolved: readonly Finding[]) => Promise<readonly Remediation[]>
}

const fewRuns = 3

/**
 * Why trials did not pass, over one run or several: each failed check is given to rules, the first that explains it puts
 * it into a category; items whose trials end differently are named; remedies are ordered by the number of their findings.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { diagnose } from '@jurist/experiment'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const { dominant, remediations, unresolved } = await diagnose([aResult(), aResult()])
 */
export async function diagnose(results: readonly ExperimentResult[], options?: DiagnoseOptions): Promise<Diagnosis> {
  const {
    rules = defaultRules,
    journals,
    explain,
  } = checkOptions('diagnose', options, {
    rules: { wants: 'an array of rules', holds: Array.isArray },
    journals: option.function,
    explain: option.function,
  })
  const warnings = warningsOf(results)
  const trials = await diagnosedTrials(results, rules, journals, warnings)
  const perItem = perItemOf(trials)
  const findings = [...trials.flatMap((trial) => trial.findings), ...unstableFindings(perItem)]
  const unresolved = findings.filter(({ category }) => category === null)
  const explained = await explanations(unresolved, explain, warnings)
  return {
    runs: results.length,
    findings,
    distribution: distributionOf(findings),
    dominant: dominantOf(findings),
    perItem,
    stability: stabilityOf(perItem),
    remediations: mergedRemedies([...remediesOf(findings, rules), ...explained]),
    unresolved: unresolved.filter((finding) => !isNamed(finding, explained)),
    warnings,
  }
}

async function diagnosedTrials(
  results: readonly ExperimentResult[],
  rules: readonly DiagnosticRule[],
  journals: ReadJournal | undefined,
  warnings: string[],
): Promise<readonly DiagnosedTrial[]> {
  const trials: DiagnosedTrial[] = []
  for (const run of results)
    for (const item of run.items) {
      const inputs = await inputsOf(item, run, results, journals)
      trials.push({ item, findings: inputs.flatMap((input) => findingsOf(input, rules, warnings)) })
    }
  return trials
}

/** The findings of the first rule that finds anything. Without one, the finding has no category. */
function findingsOf(input: DiagnosticInput, rules: readonly DiagnosticRule[], warnings: string[]): readonly Finding[] {
  for (const rule of rules) {
    const found = matched(rule, input, warnings)
    if (found.length > 0) return found
  }
  const { item, path, check, judgment } = input
  const { itemId, repetition } = item
  return [{ itemId, repetition, path, check, category: null, rule: null, message: judgment.reasoning }]
}

function matched(rule: DiagnosticRule, input: DiagnosticInput, warnings: string[]): readonly Finding[] {
  try {
    return rule.match(input)
  } catch (thrown) {
    const warning = `The rule ${rule.id} threw and found nothing: ${failureOf(thrown).message}`
    if (!warnings.includes(warning)) warnings.push(warning)
    return []
  }
}

async function explanations(
  unresolved: readonly Finding[],
  explain: DiagnoseOptions['explain'],
  warnings: string[],
): Promise<readonly Remediation[]> {
  if (explain === undefined || unresolved.length === 0) return []
  try {
    return await explain(unresolved)
  } catch (thrown) {
    warnings.push(`What no rule resolves could not be explained: ${failureOf(thrown).message}`)
    return []
  }
}

function warningsOf(results: readonly ExperimentResult[]): string[] {
  const isJudged = results.some(({ items }) => items.some(({ judged }) => judged !== 'not-judged'))
  return [
    ...(results.length < fewRuns
      ? [`Only ${results.length} of at least ${fewRuns} runs: chance may look like a cause.`]
      : []),
    ...(isJudged ? [] : ['Nothing was judged: that says nothing about failures.']),
  ]
}

/** Reads the journal of a trial. */
export type ReadJournal = (item: ItemResult) => Promise<readonly JournalEvent[]>

/**
 * The problems of a trial: one input for each failed check of a judge that did not pass, or for the judge, or the trial.
 */
async function inputsOf(
  item: ItemResult,
  run: ExperimentResult,
  results: readonly ExperimentResult[],
  journals: ReadJournal | undefined,
): Promise<readonly DiagnosticInput[]> {
  const wrong = item.verdict === null ? unjudged(item) : unpassed(item.verdict)
  if (wrong.length === 0) return []
  const events = (await journals?.(item)) ?? eventsOfPhases(item)
  const way = events.length === 0 ? null : trajectory(events)
  return wrong.map((one) => ({ item, ...one, trajectory: way, run, results, events }))
}

type Wrong = Pick<DiagnosticInput, 'path' | 'judgment' | 'check'>

function unpassed(verdict: NonNullable<ItemResult['verdict']>): readonly Wrong[] {
  const rows = flatten(verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  return rows.flatMap(wrongIn)
}

function wrongIn({ path, judgment }: VerdictRow): readonly Wrong[] {
  const failed = judgment.checks.filter(({ passed }) => !passed)
  if (failed.length === 0) return [{ path, judgment, check: null }]
  return failed.map(({ name }) => ({ path, judgment, check: name }))
}

/** The problem of a trial that ended before it was judged. A trial that was not meant to be judged has none. */
function unjudged({ failure, agent }: ItemResult): readonly Wrong[] {
  if (failure === null || agent === 'cancelled') return []
  const { message, name, code } = failure
  const cause = Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) })
  return [{ path: '', judgment: error(message.trim() === '' ? name : message, cause), check: null }]
}

function eventsOfPhases({ detail }: ItemResult): readonly JournalEvent[] {
  return detail?.kind === 'agent' ? phaseEvents(detail.invocation.phases ?? [], 'unknown') : []
}

interface DiagnosedTrial {
  readonly item: ExperimentResult['items'][number]
  readonly findings: readonly Finding[]
}

/** Each item over all its trials: why it failed, whether it passed, and whether that is always the same. */
function perItemOf(trials: readonly DiagnosedTrial[]): Diagnosis['perItem'] {
  const byItem = groupBy(trials, ({ item }) => item.itemId)
  return Object.fromEntries([...byItem].map(([itemId, same]) => [itemId, diagnosisOf(same)]))
}

function diagnosisOf(trials: readonly DiagnosedTrial[]): ItemDiagnosis {
  const dominant = trials.map(({ findings }) => dominantOf(findings))
  const outcomes = trials.map(({ item }) => item.passed)
  return { dominant, outcomes, stable: new Set(dominant).size <= 1 && new Set(outcomes).size <= 1 }
}

/** The share of stable items among those with two outcomes or more. */
function stabilityOf(perItem: Diagnosis['perItem']): number | null {
  const repeated = Object.values(perItem).filter(({ outcomes }) => outcomes.length > 1)
  return repeated.length === 0 ? null : repeated.filter(({ stable }) => stable).length / repeated.length
}

/** A finding for each item that ends differently from trial to trial. */
function unstableFindings(perItem: Diagnosis['perItem']): readonly Finding[] {
  const unstable = Object.entries(perItem).filter(([, { stable, outcomes }]) => !stable && outcomes.length > 1)
  return unstable.map(([itemId, { outcomes }]) => {
    const passes = outcomes.filter((passed) => passed === true).length
    return {
      itemId,
      repetition: 1,
      path: '',
      check: null,
      category: 'stochasticity',
      rule: 'unstable-item',
      message: `${itemId} ends differently from trial to trial: ${passes} of ${outcomes.length} passed.`,
    }
  })
}

const none: { readonly [category in GapCategory]: 0 } = {
  execution: 0,
  planning: 0,
  knowledge: 0,
  tooling: 0,
  analysis: 0,
  criteria: 0,
  evaluation: 0,
  stochasticity: 0,
  environment: 0,
}
const order = Object.keys(none) as readonly GapCategory[]

/** How often each category occurs among the findings that have one. */
function distributionOf(findings: readonly Finding[]): Diagnosis['distribution'] {
  const known = findings.filter(({ category }) => category !== null)
  const entries = order.map((category) => {
    const count = known.filter((finding) => finding.category === category).length
    return [category, { count, fraction: known.length === 0 ? 0 : count / known.length }] as const
  })
  return Object.fromEntries(entries) as Diagnosis['distribution']
}

/** The most frequent category; of equals the one that comes first in the order of `GapCategory`. */
function dominantOf(findings: readonly Finding[]): GapCategory | null {
  const distribution = distributionOf(findings)
  const count = (category: GapCategory) => distribution[category].count
  const most = order.reduce((best, category) => (count(category) > count(best) ? category : best))
  return count(most) === 0 ? null : most
}
