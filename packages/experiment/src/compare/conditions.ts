import { type Json, type JsonObject, JuristError } from '@jurist/core'
import type { ConditionDifference } from '../result/condition.js'
import type { RunResult } from '../result/trial-figures.js'
import type { CompareSettings } from './compare-options.js'

/** What experiments are about: these differ between runs that are compared. */
const variedByNature = [
  'model',
  'prompt',
  'systemPrompt',
  'agent',
  'knowledge',
  'agentModels',
  // What tokens cost changes no verdict.
  'modelPrices',
] as const

/** `dataset` is compared item by item, and what was already counted is not a condition of the measurement. */
const neverCompared: ReadonlySet<string> = new Set(['dataset', 'costAlreadyCounted'])

/** The fields of a run that decide whether it can be compared with another. */
export type MeasuredRun = Pick<RunResult, 'id' | 'kind' | 'lineage' | 'conditions' | 'configuration'>

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

/** As `conditionDifferences`, for a caller that decides what follows from a difference that is not allowed. */
export function allDifferences(
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

/** What may differ unless the caller says otherwise: for calibrations the judge under test, too. */
function freeToVary(baseline: MeasuredRun, candidate: MeasuredRun): readonly string[] {
  const underTest = baseline.kind === 'judge' && candidate.kind === 'judge' ? ['candidate', 'judgeModels'] : []
  return [...variedByNature, ...underTest, ...variedBy(baseline), ...variedBy(candidate)]
}

/** The conditions that the variant of a run gave a value of its own. */
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
