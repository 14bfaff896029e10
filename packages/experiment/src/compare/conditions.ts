import { type Json, type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ConditionDifference } from '../errors.js'
import type { RunRecord } from '../result/records.js'
import type { RunResult } from '../result/trial-figures.js'
import type { CompareSettings } from './compare-options.js'

/** Conditions that experiments are meant to vary. */
const variedByNature = [
  'model',
  'prompt',
  'systemPrompt',
  'agent',
  'knowledge',
  'agentModels',
  // Prices of tokens never change a verdict.
  'modelPrices',
] as const

/** `dataset` is compared item by item, and `costAlreadyCounted` does not affect the measurement. */
const neverCompared: ReadonlySet<string> = new Set(['dataset', 'costAlreadyCounted'])

/** The fields of a run that decide whether it can be compared with another. */
type MeasuredRun = Pick<RunResult, 'id' | 'kind' | 'lineage' | 'conditions' | 'configuration'>

/**
 * The conditions in which two runs differ, sorted by name; those that may differ are `allowed`.
 *
 * @throws `conditions-differ` when one may not, naming every difference
 */
export function conditionDifferences(
  baseline: MeasuredRun,
  candidate: MeasuredRun,
  settings: Pick<CompareSettings, 'vary' | 'ignores'>,
): readonly ConditionDifference[] {
  const differences = allDifferences(baseline, candidate, settings)
  const refused = differences.filter(({ allowed }) => !allowed)
  if (refused.length > 0) refuse(refused, differences)
  return differences
}

/** Like `conditionDifferences`, for callers that handle differences that are not allowed themselves. */
function allDifferences(
  baseline: MeasuredRun,
  candidate: MeasuredRun,
  { vary, ignores }: Partial<Pick<CompareSettings, 'vary' | 'ignores'>> = {},
): readonly ConditionDifference[] {
  const free = new Set(vary ?? freeToVary(baseline, candidate))
  if (rootOf(baseline) === rootOf(candidate)) free.add('jury')
  const names = new Set([...Object.keys(baseline.conditions), ...Object.keys(candidate.conditions)])
  return [...names].sort().flatMap((condition) => {
    if (neverCompared.has(condition)) return []
    const difference = differenceOf(condition, baseline.conditions, candidate.conditions)
    const allowed = free.has(condition) || ignores?.(condition) === true
    return difference === null ? [] : { ...difference, allowed }
  })
}

function differenceOf(
  condition: string,
  before: JsonObject,
  after: JsonObject,
): Omit<ConditionDifference, 'allowed'> | null {
  const [inBefore, inAfter] = [Object.hasOwn(before, condition), Object.hasOwn(after, condition)]
  const [baseline, candidate] = [declaredValue(before, condition), declaredValue(after, condition)]
  if (inBefore !== inAfter) return { condition, baseline, candidate, reason: 'undeclared' }
  return sameJson(baseline, candidate) ? null : { condition, baseline, candidate, reason: 'differs' }
}

function declaredValue(conditions: JsonObject, condition: string): Json {
  return Object.hasOwn(conditions, condition) ? (conditions[condition] ?? null) : null
}

/** Conditions that may differ unless the caller excludes them: for calibrations also the judge under test. */
function freeToVary(baseline: MeasuredRun, candidate: MeasuredRun): readonly string[] {
  const underTest = baseline.kind === 'judge' && candidate.kind === 'judge' ? ['candidate', 'judgeModels'] : []
  return [...variedByNature, ...underTest, ...variedBy(baseline), ...variedBy(candidate)]
}

/** The conditions that the variant of a run sets. */
function variedBy({ configuration }: MeasuredRun): readonly string[] {
  const varied = Object.hasOwn(configuration, 'variedConditions') ? configuration['variedConditions'] : []
  return Array.isArray(varied) ? varied.filter((name) => typeof name === 'string') : []
}

/** The run that invoked the agents: runs with the same one differ in how they were judged, on purpose. */
function rootOf({ id, lineage }: MeasuredRun): string {
  return lineage?.root ?? id
}

function said({ condition, baseline, candidate, reason }: ConditionDifference): string {
  if (reason === 'undeclared')
    return `${condition} is declared by the ${baseline === null ? 'candidate' : 'baseline'} only`
  return `${condition} is ${JSON.stringify(baseline)} and ${JSON.stringify(candidate)}`
}

function refuse(refused: readonly ConditionDifference[], differences: readonly ConditionDifference[]): never {
  const names = refused.map(({ condition }) => condition)
  throw new JuristError(
    'conditions-differ',
    `The two runs were not measured alike: ${refused.map(said).join('; ')}. Their difference would mean nothing. ` +
      `Measure them alike, or compare anyway with ignoreConditions: ${JSON.stringify(names)}.`,
    { differences },
  )
}

/** Whether two JSON values are equal; the order of keys does not count. */
function sameJson(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (isList(one) || isList(other)) {
    if (!isList(one) || !isList(other) || one.length !== other.length) return false
    return one.every((value, index) => sameJson(value, other[index] ?? null))
  }
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key] ?? null, other[key] ?? null))
}

// Array.isArray does not narrow readonly arrays away.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

export type RunSetup = MeasuredRun & Pick<RunRecord, 'code' | 'dataset' | 'jury'>

/** Something that changed from one run to a later one. */
export interface SetupChange {
  /** `commit`, `dataset`, `jury`, or the name of another condition, such as `model` or `prompt`. */
  readonly what: string
  readonly before: string
  readonly after: string
  /** Whether the two runs cannot be compared because of it. */
  readonly refuses: boolean
}

/**
 * The changes in the setup of a run since an earlier one: the commit, the dataset, the jury, and every other condition
 * that differs.
 */
export function setupChanges(before: RunSetup, after: RunSetup): readonly SetupChange[] {
  return [...commitChange(before, after), ...datasetChange(before, after), ...conditionChanges(before, after)]
}

/** An unknown commit does not count as a change. */
function commitChange({ code: before }: RunSetup, { code: after }: RunSetup): readonly SetupChange[] {
  if (before.gitCommit === null || after.gitCommit === null || before.gitCommit === after.gitCommit) return []
  return [{ what: 'commit', before: commitText(before), after: commitText(after), refuses: false }]
}

function commitText({ gitCommit, dirty }: RunRecord['code']): string {
  return `${gitCommit?.slice(0, commitDigits)}${dirty ? ' with uncommitted changes' : ''}`
}

/** Items are compared one by one, so another dataset does not prevent a comparison. */
function datasetChange({ dataset: before }: RunSetup, { dataset: after }: RunSetup): readonly SetupChange[] {
  if (before.hash === after.hash) return []
  const isNamed = before.name !== after.name || before.version !== after.version
  const textOf = ({ name, version, hash }: RunRecord['dataset']) =>
    isNamed ? `${name} ${version}` : hash.slice(0, hashDigits)
  return [{ what: 'dataset', before: textOf(before), after: textOf(after), refuses: false }]
}

function conditionChanges(before: RunSetup, after: RunSetup): readonly SetupChange[] {
  return allDifferences(before, after).map(({ condition, baseline, candidate, allowed }) => ({
    what: condition,
    ...(condition === 'jury' ? juryTexts(before, after) : { before: valueText(baseline), after: valueText(candidate) }),
    refuses: !allowed,
  }))
}

/** The judges that only one of the juries has; where both have the same, the fingerprints. */
function juryTexts({ jury: before }: RunSetup, { jury: after }: RunSetup): Pick<SetupChange, 'before' | 'after'> {
  const paths = (jury: RunSetup['jury']) => new Set(jury?.judges.map(({ path }) => path.replace(/^\//, '')))
  const [had, has] = [paths(before), paths(after)]
  const [gone, added] = [[...had].filter((path) => !has.has(path)), [...has].filter((path) => !had.has(path))]
  if (gone.length + added.length > 0) return { before: listText(gone), after: listText(added) }
  const print = (jury: RunSetup['jury']) => jury?.fingerprint.slice(0, hashDigits) ?? 'none'
  return { before: print(before), after: print(after) }
}

function listText(names: readonly string[]): string {
  return names.length === 0 ? '–' : cut(names.join(', '))
}

function valueText(value: Json): string {
  if (value === null) return 'none'
  if (typeof value === 'string') return /^[\da-f]{64}$/.test(value) ? value.slice(0, hashDigits) : cut(value)
  return cut(isPlainObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value))
}

const [commitDigits, hashDigits, longest] = [10, 8, 60]

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}
