import {
  abstain,
  blamed,
  type Check,
  fail,
  type JsonObject,
  type Judge,
  type Judgment,
  type JudgmentContext,
  JuristError,
  numerical,
  type Workspace,
} from '@jurist/core'
import {
  checkOptions,
  concluded,
  described,
  describeJudge,
  giveInfo,
  type OptionDescriptions,
  option,
  optionInvalid,
  printed,
} from '@jurist/core/internal'
import { type CoverageOptions, coverageRules, currentRules, measuredAfter, percentRule } from './coverage-options.js'
import { type Counter, type CoverageReport, combined, type Metric, notCounted } from './coverage-report.js'
import { reportsIn } from './find-coverage.js'
import { chunksOf, readReport, writtenAtMs } from './read-coverage.js'

type CurrentCoverage =
  | Extract<Measured, { readonly kind: 'measured' }>
  /** The context does not contain the start of the agent, so the age of a report is unknown. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The agent left no report of its work, or one that counts nothing. */
  | { readonly kind: 'unfit'; readonly reason: string; readonly paths: readonly string[] }

/** File systems use a clock that ticks every few milliseconds. */
const clockTickMs = 10

/** Measures coverage after the agent, and checks the age of the report. */
async function currentCoverage(
  context: JudgmentContext,
  metric: Metric,
  options: Pick<CoverageOptions, 'report' | 'notBefore'>,
): Promise<CurrentCoverage> {
  try {
    return await coverageOf(context, metric, options)
  } catch (thrown) {
    const isGarbled = JuristError.is(thrown, 'report-corrupt') || JuristError.is(thrown, 'report-unsupported')
    throw isGarbled && !hasAgent(context) ? thrown : blamed(context.workspace, thrown)
  }
}

/**
 * Whether an agent worked in the workspace, so that it caused an invalid report. Without an agent, as when a directory
 * is judged by itself, an invalid report is an ERROR, and one that counts nothing decides nothing.
 */
function hasAgent({ status }: JudgmentContext): boolean {
  return status !== 'unknown'
}

async function coverageOf(
  context: JudgmentContext,
  metric: Metric,
  { report, notBefore }: Pick<CoverageOptions, 'report' | 'notBefore'>,
): Promise<CurrentCoverage> {
  const { workspace, signal, startedAt } = context
  const paths = await reportsIn(workspace, report, signal)
  if (notBefore === 'agent-start' && paths.length > 0) {
    if (startedAt === undefined) return { kind: 'unknown', reason: 'the context does not say when the run started' }
    for (const path of paths) {
      const writtenAt = writtenAtMs(workspace, path)
      if (writtenAt === undefined)
        return { kind: 'unknown', reason: 'the workspace does not say when the report was written' }
      if (writtenAt + clockTickMs < Date.parse(startedAt))
        return { kind: 'unfit', reason: 'the report is older than the run', paths: [path] }
    }
  }
  const measured = await measure(workspace, metric, paths, signal)
  switch (measured.kind) {
    case 'measured':
      return measured
    case 'missing':
      return { kind: 'unfit', reason: 'no report was found', paths: [] }
    case 'uncounted':
      return hasAgent(context)
        ? { kind: 'unfit', reason: measured.reason, paths }
        : { kind: 'unknown', reason: measured.reason }
    default:
      return measured satisfies never
  }
}

/** Returns the location of a check that has exactly one report. */
function locationOf(paths: readonly string[]): { readonly location?: { readonly path: string } } {
  const [path] = paths
  return path === undefined || paths.length > 1 ? {} : { location: { path } }
}

/** Formats a percentage with at most two decimals. */
function shown(percent: number): string {
  return `${Math.round(percent * 100) / 100} %`
}

/** Coverage of one kind in the reports of a workspace. */
type Measured =
  | { readonly kind: 'measured'; readonly percent: number; readonly paths: readonly string[] }
  | { readonly kind: 'uncounted'; readonly reason: string }
  | { readonly kind: 'missing' }

/**
 * Reads the counts of reports.
 *
 * @throws `report-corrupt`, `report-unsupported`, `too-large`
 */
async function measure(
  workspace: Workspace,
  metric: Metric,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Measured> {
  const reports: CoverageReport[] = []
  for (const path of paths) reports.push(await readReport({ path, chunks: chunksOf(workspace, path, signal) }))
  const [first, ...others] = reports
  if (first === undefined) return { kind: 'missing' }
  const counter = combined([first, ...others])[metric] ?? notCounted
  if (counter.percent !== null) return { kind: 'measured', percent: counter.percent, paths }
  return { kind: 'uncounted', reason: whyUncounted(metric, counter, reports) }
}

function whyUncounted(metric: Metric, { total }: Counter, reports: readonly CoverageReport[]): string {
  if (total === 0) return `the report counts 0 ${metric === 'branch' ? 'branches' : `${metric}s`}`
  const hasRate = reports.some((report) => (report[metric]?.percent ?? null) !== null)
  return hasRate ? 'the reports cannot be added up: one has only a rate' : `the report has no ${metric} counters`
}

/**
 * Returns the line coverage to compare with: from the option, otherwise from the metadata, otherwise from the initial
 * state. The first one that exists counts, even if it is not a percentage. A string is the reason why it is unknown.
 */
async function baselineOf(context: JudgmentContext, options: CoverageOptions): Promise<number | string> {
  const given = options.baseline ?? context.metadata['baselineCoverage'] ?? undefined
  if (given !== undefined) return percentOf(given) ?? 'the baseline is not a percentage from 0 to 100'
  const { signal, before } = context
  if (before === undefined)
    return 'there is no baseline to compare with: give the option "baseline", or the context "before"'
  const measured = await measure(before, 'line', await reportsIn(before, options.report, signal), signal)
  switch (measured.kind) {
    case 'measured':
      return measured.percent
    case 'missing':
      return 'there is no baseline: no report was found in what the agent began with'
    case 'uncounted':
      return `there is no baseline: ${measured.reason}`
    default:
      return measured satisfies never
  }
}

/** Reads a number, a numeric string, or the line coverage of a report. */
function percentOf(value: unknown): number | undefined {
  const percent = typeof value === 'object' ? linePercent(value) : typeof value === 'string' ? numberIn(value) : value
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined
}

function linePercent(report: object | null): unknown {
  return (report as { readonly line?: { readonly percent?: unknown } | null } | null)?.line?.percent
}

function numberIn(text: string): number | undefined {
  return /^\d{1,16}(?:\.\d{1,32})?$/.test(text.trim()) ? Number(text) : undefined
}

/** Options of `coverageAtLeast`. */
export type AtLeastOptions = Omit<CoverageOptions, 'baseline'> & { readonly metric?: 'line' | 'branch' | 'method' }
/** Options of `coverageImproved`. */
export type ImprovedOptions = CoverageOptions & { readonly ceiling?: number; readonly floor?: number }
/** Options of `coveragePreserved`. */
export type PreservedOptions = CoverageOptions & { readonly maxDrop?: number }

const atLeastOptions: OptionDescriptions<AtLeastOptions> = {
  ...currentRules,
  metric: described(option.oneOf('line', 'branch', 'method'), 'What is counted.', 'line'),
}
const improvedOptions: OptionDescriptions<ImprovedOptions> = {
  ...coverageRules,
  ceiling: described(option.positive, 'The gain in points that is worth the whole score.', 50),
  floor: described(percentRule, 'The lowest coverage that passes, from 0 to 100.', 0),
}
const preservedOptions: OptionDescriptions<PreservedOptions> = {
  ...coverageRules,
  maxDrop: described(option.nonNegative, 'The largest drop that passes, in points.', 5),
}

/**
 * Passes when coverage is at least `percent`. The score is the coverage, from 0 to 100. Fails without a report, or with
 * one that does not count the metric. Check: `coverage_at_least`. Metadata: `metric`, `requiredCoverage`,
 * `currentCoverage`.
 *
 * @param percent from 0 to 100
 * @param options `metric`: `'line'` (default), `'branch'` or `'method'`; the others as in `CoverageOptions`
 * @throws `option-invalid` for an invalid option, or for a `percent` that is missing or out of range
 *
 * @example
 * import { buildSucceeds } from '@jurist/workspace/commands'
 * import { coverageAtLeast } from '@jurist/workspace/coverage'
 *
 * coverageAtLeast(80, { metric: 'branch', after: buildSucceeds.npm('coverage') })
 */
export function coverageAtLeast(percent: number, options?: AtLeastOptions): Judge {
  requirePercent(percent)
  const { metric = 'line', ...given } = checkOptions('coverageAtLeast', options, atLeastOptions)
  const judge: Judge = async function coverageAtLeast(context: JudgmentContext) {
    const check = (passed: boolean, message: string, paths: readonly string[]): Check => ({
      name: 'coverage_at_least',
      passed,
      message,
      ...locationOf(paths),
    })
    const known = { metric, requiredCoverage: percent }
    const current = await currentCoverage(context, metric, given)
    if (current.kind !== 'measured')
      return withoutFigure(current, known, (reason, paths) => {
        return { score: numerical(0, { max: 100 }), checks: [check(false, reason, paths)] }
      })
    const isEnough = current.percent >= percent - tolerance
    const message = `${metric} coverage is ${shown(current.percent)}; at least ${shown(percent)} is asked for`
    return concluded(isEnough, message, {
      score: numerical(current.percent, { max: 100 }),
      checks: [check(isEnough, message, current.paths)],
      metadata: { ...known, currentCoverage: current.percent },
    })
  }
  return giveInfo(measuredAfter(judge, given), { options: { percent, ...options } })
}

/** A judge that cannot know abstains; a report that is unfit fails. */
function withoutFigure(
  current: Exclude<CurrentCoverage, { readonly kind: 'measured' }>,
  metadata: JsonObject,
  failing: (reason: string, paths: readonly string[]) => NonNullable<Parameters<typeof fail>[1]>,
): Judgment {
  if (current.kind === 'unknown') return abstain(current.reason, { metadata })
  return fail(current.reason, { ...failing(current.reason, current.paths), metadata })
}

function requirePercent(percent: unknown): void {
  if (percentRule.holds(percent)) return
  const problem = `"percent" must be ${percentRule.wants} (got ${printed(percent)})`
  optionInvalid('percent', `coverageAtLeast: ${problem}.`)
}

/**
 * Passes when line coverage rose, or stayed at 100 %, and is at least `floor`. The score is the gain as a share of
 * `ceiling`; the floor never changes it. Abstains without a baseline; fails without a report that counts lines. Checks:
 * `coverage_improved`, with a floor `minimum_coverage_met`. Metadata: `baselineLineCoverage`, `currentLineCoverage`,
 * `improvement`, `ceiling`, `floor`.
 *
 * @param options `ceiling`: the gain in percentage points that has the full score, default 50; `floor`: the lowest
 * coverage that passes, default 0; the others as in `CoverageOptions`
 *
 * @example
 * import { coverageImproved } from '@jurist/workspace/coverage'
 *
 * coverageImproved({ ceiling: 20, floor: 80 })
 */
export function coverageImproved(options?: ImprovedOptions): Judge {
  const { ceiling = 50, floor = 0, ...given } = checkOptions('coverageImproved', options, improvedOptions)
  const judge: Judge = async function coverageImproved(context: JudgmentContext) {
    const baseline = await baselineOf(context, given)
    if (typeof baseline === 'string') return abstain(baseline)
    const known = { baselineLineCoverage: baseline, ceiling, floor }
    const current = await currentCoverage(context, 'line', given)
    if (current.kind !== 'measured')
      return withoutFigure(current, known, (reason, paths) => {
        return { score: 0, checks: checksOf(false, false, floor, reason, paths) }
      })
    const { improvement, score, hasImproved } = gain(baseline, current.percent, ceiling)
    const meetsFloor = current.percent >= floor - tolerance
    const message = `line coverage went from ${shown(baseline)} to ${shown(current.percent)}`
    return concluded(hasImproved && meetsFloor, message, {
      score: numerical(score),
      checks: checksOf(hasImproved, meetsFloor, floor, message, current.paths),
      metadata: { ...known, currentLineCoverage: current.percent, improvement },
    })
  }
  return giveInfo(measuredAfter(judge, given), { options: { ...options } })
}

/** Full coverage cannot rise, so keeping it has the full score. */
function gain(baseline: number, current: number, ceiling: number) {
  const improvement = current - baseline
  if (Math.min(baseline, current) >= 100 - tolerance) return { improvement, score: 1, hasImproved: true }
  const score = Math.min(1, Math.max(0, improvement / ceiling))
  return { improvement, score, hasImproved: improvement > tolerance }
}

function checksOf(
  hasImproved: boolean,
  meetsFloor: boolean,
  floor: number,
  message: string,
  paths: readonly string[],
): readonly Check[] {
  const improved = { name: 'coverage_improved', passed: hasImproved, message, ...locationOf(paths) }
  if (floor === 0) return [improved]
  const required = `${message}; at least ${shown(floor)} is asked for`
  return [improved, { name: 'minimum_coverage_met', passed: meetsFloor, message: required, ...locationOf(paths) }]
}

/**
 * Passes when line coverage dropped by at most `maxDrop` points. Abstains without a baseline; fails without a report
 * that counts lines. Check: `line_coverage_preserved`. Metadata: `baselineLineCoverage`, `currentLineCoverage`,
 * `coverageDrop`, `maxDrop`.
 *
 * @param options `maxDrop`: in percentage points, default 5; the others as in `CoverageOptions`
 *
 * @example
 * import { coveragePreserved } from '@jurist/workspace/coverage'
 *
 * coveragePreserved({ maxDrop: 2, notBefore: 'agent-start' })
 */
export function coveragePreserved(options?: PreservedOptions): Judge {
  const { maxDrop = 5, ...given } = checkOptions('coveragePreserved', options, preservedOptions)
  const judge: Judge = async function coveragePreserved(context: JudgmentContext) {
    const baseline = await baselineOf(context, given)
    if (typeof baseline === 'string') return abstain(baseline)
    const check = (passed: boolean, message: string, paths: readonly string[]): Check => ({
      name: 'line_coverage_preserved',
      passed,
      message,
      ...locationOf(paths),
    })
    const known = { baselineLineCoverage: baseline, maxDrop }
    const current = await currentCoverage(context, 'line', given)
    if (current.kind !== 'measured')
      return withoutFigure(current, known, (reason, paths) => ({ checks: [check(false, reason, paths)] }))
    const drop = baseline - current.percent
    const isPreserved = drop <= maxDrop + tolerance
    const message = `line coverage went from ${shown(baseline)} to ${shown(current.percent)}`
    return concluded(isPreserved, message, {
      checks: [check(isPreserved, `${message}; it may drop by ${maxDrop}`, current.paths)],
      metadata: { ...known, currentLineCoverage: current.percent, coverageDrop: drop },
    })
  }
  return giveInfo(measuredAfter(judge, given), { options: { ...options } })
}

/** Percentages this close are equal, since floating-point errors must not decide. */
const tolerance = 1e-9

describeJudge<AtLeastOptions & { readonly percent: number }>(coverageAtLeast, {
  passes: 'coverage is at least a percentage',
  options: { percent: described(percentRule, 'The lowest coverage that passes, from 0 to 100.'), ...atLeastOptions },
  required: ['percent'],
  make: ({ percent, ...options }) => coverageAtLeast(percent, options),
})
describeJudge<ImprovedOptions>(coverageImproved, {
  passes: 'line coverage rose, or stayed at 100 %',
  options: improvedOptions,
  make: coverageImproved,
})
describeJudge<PreservedOptions>(coveragePreserved, {
  passes: 'line coverage dropped by at most some points',
  options: preservedOptions,
  make: coveragePreserved,
})
