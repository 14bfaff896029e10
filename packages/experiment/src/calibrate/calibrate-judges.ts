import type { Judge, Jury } from '@jurist/core'
import {
  checkOptions,
  described,
  isPlainObject,
  type OptionDescriptions,
  option,
  optionInvalid,
  recordOf,
} from '@jurist/core/internal'
import { type Dataset, type DatasetPath, isDatasetPath } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import { counted, grouped, pEquals, percent, points } from '../result/amounts.js'
import type { ExperimentResult } from '../result/records.js'
import { meanOf } from '../result/statistics/descriptive.js'
import { duelByUnit, holmAdjusted } from '../result/statistics/paired-tests.js'
import type { Interval } from '../result/summary.js'
import { isSafeName } from '../store/names.js'
import { calibrate } from './calibrate.js'
import { type CalibrateOptions, calibrateRules, calibrateSettings, type ReportOptions } from './calibrate-options.js'
import type { CalibrationResult } from './calibration.js'
import { labelProblemsIn } from './check-labels.js'
import { calibrationHost } from './host.js'
import { labelledItems } from './labelled-items.js'
import { type RecordedOptions, recorded, recordedNames } from './recorded.js'
import { calibrationOf } from './report/calibration-report.js'
import { factsOf } from './report/scored-trial.js'
import { scorerInfo } from './scorer.js'

/** One judge among several on the same items. */
export interface JudgeRow {
  readonly judge: string
  /** The stored run. */
  readonly run: string
  readonly trials: number
  /** Trials that it decided and that have a label: agreement and kappa are of these. */
  readonly scored: number
  readonly matches: number
  readonly agreement: number | null
  /** Clustered where items are repeated or depend on each other. */
  readonly interval: Interval | null
  readonly kappa: number | null
  /** Judgments that change when the places are exchanged; `null`: no places were exchanged. */
  readonly flipRate: number | null
  /** Pairs that the flip rate is of. */
  readonly flipPairs: number
  /** The cost of all its judgments, including those of exchanged places; `null` if no cost is known. */
  readonly costUsd: number | null
  /** Trials that declared a cost. */
  readonly pricedTrials: number
}

/** Two judges on the items that both were scored on, whose repetitions count as one: one is right more often, or neither is. */
export interface JudgeComparison {
  readonly judges: readonly [one: string, other: string]
  /** Items that both were scored on; clusters where items depend on each other. */
  readonly pairs: number
  /** Pairs on which the first one is right more often. */
  readonly onlyOne: number
  /** Pairs on which the other one is. */
  readonly onlyOther: number
  /** The first one's mean agreement less the other's, on these pairs; `null`: there are none. */
  readonly difference: number | null
  /** McNemar, exact and two-sided. */
  readonly pValue: number
  /** The same after Holm's correction for all pairs of judges. */
  readonly holm: number
  readonly isDifferent: boolean
}

/** Several judges on the same labelled items. */
export interface JudgesCalibration {
  readonly name: string
  /** Each judge's own calibration. */
  readonly calibrations: Readonly<Record<string, CalibrationResult>>
  /** The judge that agrees most often first. */
  readonly table: readonly JudgeRow[]
  /** Each pair of judges; the smallest p value first. */
  readonly comparisons: readonly JudgeComparison[]
  /** Notes for the reader, as plain sentences. */
  readonly notes: readonly string[]
}

const significance = 0.05

type Calibrations = Readonly<Record<string, Pick<CalibrationResult, 'result'>>>

/**
 * Each pair of judges by McNemar's exact test, the family-wise error over all pairs controlled after Holm 1979. Repetitions of an
 * item, and items of a cluster, depend on each other: each item or cluster counts once, for the judge that is right more
 * often on the trials that both were scored on.
 *
 * @param calibrations by judge
 * @returns each pair of judges, the smallest p value first
 */
export function judgeComparisons(calibrations: Calibrations): readonly JudgeComparison[] {
  const judges = Object.entries(calibrations).map(([name, { result }]) => ({ name, matches: matchesByTrial(result) }))
  const compared = judges.flatMap((one, index) => judges.slice(index + 1).map((other) => comparisonOf(one, other)))
  const adjusted = holmAdjusted(compared.map(({ pValue }) => pValue))
  return compared
    .map((comparison, index) => {
      const holm = adjusted[index] ?? 1
      return { ...comparison, holm, isDifferent: holm < significance }
    })
    .sort((one, other) => one.pValue - other.pValue)
}

interface Measured {
  readonly name: string
  /** Whether each trial matched its label, and what it depends on. */
  readonly matches: ReadonlyMap<string, { readonly unit: string; readonly match: boolean }>
}

function matchesByTrial({ items }: CalibrationResult['result']): Measured['matches'] {
  return new Map(
    items.flatMap((item) => {
      if (item.passed === null) return []
      const unit = factsOf(item).cluster ?? item.itemId
      return [[JSON.stringify([unit, item.repetition, item.itemId]), { unit, match: item.passed }] as const]
    }),
  )
}

function comparisonOf(one: Measured, other: Measured): Omit<JudgeComparison, 'holm' | 'isDifferent'> {
  const both = [...one.matches].flatMap(([trial, { unit, match }]) => {
    const theirs = other.matches.get(trial)
    return theirs === undefined ? [] : [{ unit, one: match, other: theirs.match }]
  })
  const { differences, ...duel } = duelByUnit(both)
  return {
    judges: [one.name, other.name],
    pairs: differences.length,
    difference: differences.length === 0 ? null : meanOf(differences),
    ...duel,
  }
}

/** The notes on the labels and on the judges together, without those on the figures of one judge. */
export function notesOnLabels({ notes, calibrations }: JudgesCalibration): readonly string[] {
  const own = Object.entries(calibrations).flatMap(([judge, { report }]) =>
    report.notes.map((note) => `${judge}: ${note}`),
  )
  return notes.filter((note) => !own.includes(note))
}

/**
 * Calibrates several judges on the same items, one after the other, and sets them side by side: one table of agreement,
 * kappa, flips and price, and each pair of them by McNemar's exact test with Holm's correction. Each judge is a separate
 * stored run, `name.judge`. If items contain recorded answers with two places exchanged (`metadata.saidSwapped`), these
 * are compared too.
 *
 * @throws what `calibrate` throws, and `option-invalid` where there are no judges
 *
 * @example
 * import { calibrateJudges } from '@jurist/experiment/calibrate'
 *
 * // Rows such as {"id":"1","task":"…","label":"pass","said":{"gpt4":"pass","palm2":"fail"}}
 * const { table, comparisons } = await calibrateJudges({ name: 'pairs', items: 'pairs.jsonl' })
 */
export async function calibrateJudges(options: CalibrateJudgesOptions): Promise<JudgesCalibration> {
  const { name, calibrations } = await plannedJudges(options)
  const made: CalibrationResult[] = []
  for (const calibration of calibrations) {
    if (options.signal?.aborted === true && made.length > 0) break
    made.push(await calibrate(calibration))
  }
  return judgesCalibration(name, made)
}

/**
 * Several judges on the same items in one table, from their stored runs: agreement, kappa, flips and price of each, and every
 * two of them by McNemar's exact test with Holm's correction. Nothing is judged.
 *
 * @param runs of kind `judge`; of two runs of one judge the later one in the list counts
 * @throws `option-invalid` for runs of another kind, and for none
 *
 * @example
 * import { calibrate, judgesCalibrationOf, recorded } from '@jurist/experiment/calibrate'
 *
 * const items = 'pairs.jsonl'
 * const gpt4 = await calibrate({ name: 'pairs', candidate: recorded('gpt4'), items })
 * const palm2 = await calibrate({ name: 'pairs', candidate: recorded('palm2'), items })
 * const { table, comparisons } = judgesCalibrationOf('pairs', [gpt4.result, palm2.result])
 */
export function judgesCalibrationOf(
  name: string,
  runs: readonly ExperimentResult[],
  options?: ReportOptions,
): JudgesCalibration {
  if (runs.length === 0) optionInvalid('runs', 'judgesCalibrationOf: give at least one run of kind judge.')
  return judgesCalibration(
    name,
    runs.map((run) => calibrationOf(run, options)),
  )
}

function judgeOf({ metadata, experimentName }: ExperimentResult): string {
  const { candidate } = metadata
  return typeof candidate === 'string' ? candidate : experimentName
}

/** Everything that follows from the calibrations of several judges. Of two of one judge the later one counts. */
export function judgesCalibration(name: string, made: readonly CalibrationResult[]): JudgesCalibration {
  const calibrations = Object.fromEntries(made.map((calibration) => [judgeOf(calibration.result), calibration]))
  const table = Object.entries(calibrations)
    .map(([judge, calibration]) => rowOf(judge, calibration))
    .sort((one, other) => (other.agreement ?? -1) - (one.agreement ?? -1))
  const comparisons = judgeComparisons(calibrations)
  return { name, calibrations, table, comparisons, notes: notesOf(table, comparisons, calibrations) }
}

function rowOf(judge: string, { result, report }: CalibrationResult): JudgeRow {
  const { agreement, kappa, counts, consistency } = report
  return {
    judge,
    run: result.id,
    trials: counts.trials,
    scored: counts.scored,
    matches: counts.matches,
    agreement: agreement.value,
    interval: agreement.wilson ?? agreement.bootstrap,
    kappa: kappa.value,
    flipRate: consistency.swap?.flipRate ?? null,
    flipPairs: consistency.swap?.items ?? 0,
    costUsd: result.judgeCostUsd,
    pricedTrials: result.items.filter(({ judgeCostUsd }) => judgeCostUsd !== null).length,
  }
}

function notesOf(
  table: readonly JudgeRow[],
  comparisons: readonly JudgeComparison[],
  calibrations: Readonly<Record<string, CalibrationResult>>,
): readonly string[] {
  const own = Object.entries(calibrations).flatMap(([judge, { report }]) =>
    report.notes.map((note) => `${judge}: ${note}`),
  )
  return [...bestNotes(table, comparisons), ...unevenNotes(table), ...own]
}

/** Whether the best of the table is better than the next, or only the first of several that are indistinguishable. */
function bestNotes(table: readonly JudgeRow[], comparisons: readonly JudgeComparison[]): readonly string[] {
  const [best, ...others] = table.filter(({ agreement }) => agreement !== null)
  if (best === undefined || others.length === 0) return []
  const alike = others.filter(({ judge }) => !isBetter(best.judge, judge, comparisons)).map(({ judge }) => judge)
  const rate = `${best.judge} agrees most often, ${percent(best.agreement)}`
  if (alike.length === 0) {
    const [next] = others
    const duel = comparisons.find(({ judges }) => judges.includes(best.judge) && judges.includes(next?.judge ?? ''))
    const difference =
      duel === undefined
        ? ''
        : ` (the next one, ${next?.judge}: ${points(-Math.abs(duel.difference ?? 0))} points, ${pEquals(duel.holm)} after Holm)`
    return [`${rate}, and is better than every other judge${difference}.`]
  }
  return [
    `${rate}; not distinguishable from it: ${alike.join(', ')} (exact McNemar after Holm). The cheapest of these may suffice.`,
  ]
}

function isBetter(best: string, judge: string, comparisons: readonly JudgeComparison[]): boolean {
  const duel = comparisons.find(({ judges }) => judges.includes(best) && judges.includes(judge))
  if (duel?.isDifferent !== true || duel.difference === null) return false
  return duel.judges[0] === best ? duel.difference > 0 : duel.difference < 0
}

/** Rates of different trials cannot be put in an order. */
function unevenNotes(table: readonly JudgeRow[]): readonly string[] {
  const counts = table.map(({ scored }) => scored)
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  if (fewest === most) return []
  return [
    `The judges were scored on ${grouped(fewest)} to ${counted(most, 'trial')}: agreement and kappa are each of their own trials, and only the comparisons are of the trials that both were scored on.`,
  ]
}

/**
 * Reports problems with the labels of a calibration without calling the candidate: missing labels, and labels that the
 * scorer does not know. They are an error if no label can be used, else warnings; `[]` if there are none.
 *
 * @throws `option-invalid`, `dataset-invalid`
 */
export async function labelProblems(
  options: CalibrateOptions | CalibrateJudgesOptions | LabelledTiers,
): Promise<readonly DatasetProblem[]> {
  const settings = calibrateSettings(await oneOf(options))
  const { items, version } = await labelledItems(settings, await calibrationHost())
  return labelProblemsIn(settings, items, version.name)
}

/** The tiers of a cascade, which the same labels judge. */
interface LabelledTiers extends Pick<CalibrateOptions, 'name' | 'items' | 'expected'> {
  readonly tiers: readonly { readonly candidate: CalibrateOptions['candidate'] }[]
}

/** The calibration of one judge: the labels of several judges, and of several tiers, are the same. */
async function oneOf(options: CalibrateOptions | CalibrateJudgesOptions | LabelledTiers): Promise<CalibrateOptions> {
  if ('tiers' in options) {
    const { name, items, expected, tiers } = options
    const [first] = tiers
    return { name, items, expected, candidate: first?.candidate ?? (() => false) }
  }
  if ('candidate' in options) return options
  const [first] = (await plannedJudges(options)).calibrations
  return first as CalibrateOptions
}

/** How several judges are calibrated on the same items: as one is, but for the candidate. */
export interface CalibrateJudgesOptions extends Omit<CalibrateOptions, 'candidate' | 'candidateName'> {
  /**
   * Judges and juries by name, or the names of judges whose answers the items contain in `metadata.said`. Default: all
   * judges with recorded answers.
   */
  readonly judges?: Readonly<Record<string, Judge | Jury>> | readonly string[]
  /** How the answers recorded in the items are read. */
  readonly recorded?: Omit<RecordedOptions, 'name'>
}

/** A calibration of several judges, ready to be made: one calibration for each. */
export interface PlannedJudges {
  readonly name: string
  readonly calibrations: readonly CalibrateOptions[]
}

const judgesByName = recordOf('judges by name', option.function)

/** The options that only the calibration of several judges has. */
export const severalJudgesRules: OptionDescriptions<Pick<CalibrateJudgesOptions, 'judges' | 'recorded'>> = {
  judges: {
    wants: 'judges by name, or an array of names',
    holds: (value) => option.strings.holds(value) || judgesByName.holds(value),
    description:
      'Several judges, in one table. Default without a candidate: all whose answers are recorded in the items.',
  },
  recorded: described(option.record, 'How the answers recorded in the items are read.'),
}

/**
 * The calibrations that `calibrateJudges` makes, one for each judge, without making them.
 *
 * @throws `option-invalid`, and what opening and reading the items throws
 */
export async function plannedJudges(options: CalibrateJudgesOptions): Promise<PlannedJudges> {
  const { candidate: _one, candidateName: _name, ...rules } = calibrateRules
  const {
    judges,
    recorded: reading,
    ...rest
  } = checkOptions<CalibrateJudgesOptions>('calibrateJudges', options, { ...rules, ...severalJudgesRules })
  if (rest.items === undefined) return refuse('items', 'give "items"')
  const items = isDatasetPath(rest.items) ? await (await calibrationHost()).openDataset(rest.items) : rest.items
  const list = await listOf(items)
  const named = judges === undefined || isNames(judges) ? replayed(judges, list, rest, reading) : Object.entries(judges)
  if (named.length === 0)
    return refuse('judges', 'there are no judges. Give "judges", or items with metadata.said: { "gpt4": "pass" }')
  const calibrations = named.map(([judge, candidate]) => {
    return { ...rest, name: runName(rest.name, judge), candidate, candidateName: judge, items }
  })
  return { name: rest.name, calibrations }
}

async function listOf(items: Exclude<CalibrateOptions['items'], DatasetPath>): Promise<readonly DatasetItem[]> {
  if (Array.isArray(items)) return items.filter((item) => isPlainObject(item?.metadata))
  const list: DatasetItem[] = []
  for await (const item of (items as Dataset).items()) list.push(item)
  return list
}

// Array.isArray does not narrow readonly arrays away.
function isNames(judges: NonNullable<CalibrateJudgesOptions['judges']>): judges is readonly string[] {
  return Array.isArray(judges)
}

/** Judges that replay the answers recorded in the items; the scorer decides how words and numbers are read. */
function replayed(
  names: readonly string[] | undefined,
  items: readonly DatasetItem[],
  { scorer }: Pick<CalibrateOptions, 'scorer'>,
  reading: CalibrateJudgesOptions['recorded'],
): readonly (readonly [string, Judge])[] {
  const known = recordedNames(items)
  const unknown = names?.filter((name) => !known.includes(name)) ?? []
  if (unknown.length > 0)
    return refuse(
      'judges',
      `no item keeps an answer of ${unknown.join(', ')}. ${known.length === 0 ? 'Items keep answers in metadata.said' : `Answers are kept of ${known.join(', ')}`}`,
    )
  const kind = scorer === undefined ? null : scorerInfo(scorer)
  const usual: RecordedOptions = {
    ...(kind?.name === 'exactCategoryMatch' ? { categories: 'any' } : {}),
    ...(kind === null || kind.numeric === null ? {} : { range: kind.numeric }),
  }
  return (names ?? known).map((name) => [name, recorded(name, { ...usual, ...reading })] as const)
}

/** The name of a judge's run: characters that a directory name may not contain become "-". */
export function runName(name: string, judge: string): string {
  const wanted = `${name}.${judge.replace(/[^A-Za-z0-9._-]+/g, '-')}`.slice(0, 64).replace(/\.+$/, '')
  return isSafeName(wanted) ? wanted : name
}

function refuse(name: string, problem: string): never {
  optionInvalid(name, `calibrateJudges: ${problem}.`)
}
