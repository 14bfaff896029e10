import { type Json, type JsonObject, JuristError } from '@jurist/core'
import type { ConditionDifference } from '../result/condition.js'
import type { RunResult } from '../result/trial-figures.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ItemChange, SignTest } from './comparison.js'

/** What a note is written from: a comparison without its notes. */
export type Compared = Omit<Comparison, 'notes'>

const named = 5

/** What a reader of a comparison should know. */
export function comparisonNotes(compared: Compared, changedItems: readonly string[]): readonly string[] {
  return [
    ...sizeNote(compared),
    ...hiddenRegressions(compared),
    ...(changedItems.length === 0
      ? []
      : [
          `${counted(changedItems.length, 'item')} set another task in the two runs and cannot be compared: ${list(changedItems)}.`,
        ]),
    ...(compared.unpairedTrials === 0
      ? []
      : [
          `${counted(compared.unpairedTrials, 'trial')} had no partner in the other run and count in no paired number.`,
        ]),
  ]
}

/** How many more items there would have to be, or why no number would do. */
export function sizeNote({
  conclusion,
  passRate,
  moreItems,
}: Pick<Compared, 'conclusion' | 'passRate' | 'moreItems'>): readonly string[] {
  const items = passRate?.items ?? 0
  if (conclusion === 'insufficient-data')
    return [
      `Too little to say: ${counted(items, 'item')} decided in both runs. ${counted(moreItems ?? 0, 'more item')} needed.`,
    ]
  if (conclusion !== 'no-difference-detected') return []
  if (moreItems === null) return [passRate === null ? 'No item was decided in both runs.' : balanceText(passRate.test)]
  return [
    `A difference as large as this one, if it is real, would take about ${counted(moreItems, 'more item')} to detect ` +
      '(in 4 of 5 experiments).',
  ]
}

function balanceText({ better, worse }: SignTest): string {
  if (better + worse === 0) return 'No item got better or worse.'
  return better === worse
    ? 'As many items got better as got worse.'
    : 'The items that got better and those that got worse cancel each other out.'
}

/** A mean that rises, or stays, may hide items that fell. */
function hiddenRegressions({ passRate, items, scores, checks }: Compared): readonly string[] {
  const worse = items.filter(({ passDelta }) => (passDelta ?? 0) < 0)
  const ofPassRate =
    passRate !== null && passRate.delta >= 0 && worse.length > 0
      ? [`The pass rate did not fall, but ${counted(worse.length, 'item')} got worse: ${list(worse.map(idOf))}.`]
      : []
  const ofScores = Object.entries({ ...scores, ...checks }).flatMap(([key, { delta, regressions }]) =>
    delta !== null && delta > 0 && regressions > 0
      ? [`The mean of ${key} rose, but it fell on ${counted(regressions, 'item')}.`]
      : [],
  )
  return [...ofPassRate, ...ofScores]
}

function idOf({ itemId }: ItemChange): string {
  return itemId
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function list(ids: readonly string[]): string {
  const more = ids.length - named
  return more > 0 ? `${ids.slice(0, named).join(', ')} and ${more} more` : ids.join(', ')
}

/** What experiments are about: these differ between runs that are compared. */
const variedByNature = ['model', 'prompt', 'systemPrompt', 'agent', 'knowledge'] as const

/** `dataset` is compared item by item, and what was already counted is no condition of the measurement. */
const neverCompared: ReadonlySet<string> = new Set(['dataset', 'costAlreadyCounted'])

/**
 * The conditions in which two runs differ, sorted by name; those that may differ are `allowed`.
 *
 * @throws `conditions-differ` when one may not, naming every difference
 */
export function conditionDifferences(
  baseline: RunResult,
  candidate: RunResult,
  { vary, ignores }: Pick<CompareSettings, 'vary' | 'ignores'>,
): readonly ConditionDifference[] {
  const free = new Set(vary ?? freeToVary(baseline, candidate))
  if (rootOf(baseline) === rootOf(candidate)) free.add('jury')
  const names = new Set([...Object.keys(baseline.conditions), ...Object.keys(candidate.conditions)])
  const differences = [...names].sort().flatMap((condition) => {
    if (neverCompared.has(condition)) return []
    const difference = differenceOf(condition, baseline.conditions, candidate.conditions)
    return difference === null ? [] : { ...difference, allowed: free.has(condition) || ignores(condition) }
  })
  const refused = differences.filter(({ allowed }) => !allowed)
  if (refused.length > 0) refuse(refused, differences)
  return differences
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
function freeToVary(baseline: RunResult, candidate: RunResult): readonly string[] {
  const underTest = baseline.kind === 'judge' && candidate.kind === 'judge' ? ['candidate'] : []
  return [...variedByNature, ...underTest, ...variedBy(baseline), ...variedBy(candidate)]
}

/** The conditions that the variant of a run gave a value of its own. */
function variedBy({ configuration }: RunResult): readonly string[] {
  const varied = Object.hasOwn(configuration, 'variedConditions') ? configuration['variedConditions'] : []
  return Array.isArray(varied) ? varied.filter((name) => typeof name === 'string') : []
}

/** The run that invoked the agents: runs with the same one differ in how they were judged, on purpose. */
function rootOf({ id, lineage }: RunResult): string {
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
