import type { Json } from '@jurist/core'
import { checkOptions, isPlainObject, option } from '@jurist/core/internal'
import { right } from '@jurist/kit/terminal'
import { compare } from '../compare/compare.js'
import type { Comparison } from '../compare/comparison.js'
import { comparedTogether } from '../compare/several-runs.js'
import { dollars, duration, grouped, percent, rateInterval, score, unknown } from '../result/amounts.js'
import { judgesSummary } from '../result/judge-figures.js'
import type { ExperimentResult } from '../result/records.js'
import { judgeKeys } from '../result/scores.js'
import { tokensOf } from '../result/spending.js'
import { judgesThatRan } from '../result/undecided-judges.js'
import type { KeptScans } from '../scan/finding-text.js'
import { certificateSections } from './content/certification.js'
import { comparisonSections } from './content/comparison.js'
import { judgeSections } from './content/judges.js'
import { failureDetails, failureSection, figureSections, itemSection, judgedSection, runName } from './content/run.js'
import { scanSections } from './content/scan.js'
import { markdownText } from './escape.js'
import { type ColumnOf, markdownDetails, markdownSections, type Section, valuesSection } from './sections.js'

/** How `markdownReport` reports. */
export interface MarkdownReportOptions {
  /** Comparisons of each later result with the one before it; one that is missing is made. */
  readonly comparisons?: readonly Comparison[]
  /** The kept findings of scans, by the ids of the runs. Default: none. */
  readonly scans?: KeptScans
}

const mostFailures = 200
const mostDetails = 50

/**
 * One result as a summary; several, in the order in which they were made, as a growth story: a table of the variants, then
 * each beside the one before it with its finding and hypothesis, regressions first, and notes on regressions that a rising
 * mean would hide.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { markdownReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await writeFile('growth.md', markdownReport([aResult({ variant: 'plain' }), aResult({ variant: 'with-plan' })]))
 */
export function markdownReport(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  options?: MarkdownReportOptions,
): string {
  const { comparisons = [], scans = {} } = checkOptions('markdownReport', options, {
    comparisons: { wants: 'an array of comparisons', holds: Array.isArray },
    scans: option.record,
  })
  return results.length === 1 ? summaryOf(results[0], scans) : growthOf(results, comparisons, scans)
}

function summaryOf(result: ExperimentResult, scans: KeptScans): string {
  const keys = judgesThatRan(result.items)
  const sections = [
    ...figureSections(result),
    ...judgeSections(judgesSummary(result.items)),
    ...certificateSections(result),
    ...scanSections(result, scans),
    ...itemSection(result, keys),
    ...failureSection(result, mostFailures),
  ]
  const details = failureDetails(result, mostDetails).map(markdownDetails)
  const judged = markdownSections(judgedSection([result]), 2)
  return [
    `# ${markdownText(runName(result))}`,
    ...(judged === '' ? [] : ['', judged.trimEnd()]),
    '',
    facts(result),
    '',
    markdownSections(sections, 2),
    ...details,
  ].join('\n')
}

function facts({ id, dataset, startedAt, status, lineage }: ExperimentResult): string {
  const again = lineage === null ? '' : ` Judged again from ${lineage.rejudgedFrom}; no agent was called.`
  const place = `${dataset.name} ${dataset.version}`
  return `Run ${markdownText(id)} over ${markdownText(place)}, ${startedAt}, ${status}.${markdownText(again)}`
}

function growthOf(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  comparisons: readonly Comparison[],
  scans: KeptScans,
): string {
  const [first] = results
  const steps = growthSteps(results, comparisons).map(({ title, sections }) =>
    [`## ${markdownText(title)}`, '', markdownSections(sections, 3)].join('\n'),
  )
  return [
    `# ${markdownText(first.experimentName)}: how it grew`,
    '',
    markdownSections(
      [
        ...judgedSection(results),
        ...variantSection(results),
        ...results.flatMap((result) =>
          scanSections(result, scans).map((section) => ({ ...section, title: `Scan of ${runName(result)}` })),
        ),
      ],
      2,
    ),
    ...steps,
  ].join('\n')
}

/**
 * One step of a growth story: a run, the problem found before it and the expected effect, and its comparison with the run
 * before.
 */
interface GrowthStep {
  readonly title: string
  readonly sections: readonly Section[]
}

/** Several runs in the order in which they were made: a line for each. */
function variantSection(results: readonly ExperimentResult[]): readonly Section[] {
  const keys = judgeKeys(results.flatMap(({ scores }) => Object.keys(scores)))
  const ofAll = ({ passRate, passRateOfAll }: ExperimentResult) =>
    passRate === passRateOfAll ? '' : ` (${percent(passRateOfAll)} of all)`
  return valuesSection('Variants', results, [
    ['Variant', runName],
    [right('n'), ({ counts }) => `${grouped(counts.decided)} of ${grouped(counts.planned)}`],
    [right('Pass rate'), (result) => `${percent(result.passRate)}${ofAll(result)}`],
    [right('95 %'), ({ passRateInterval: interval }) => (interval === null ? unknown : rateInterval(interval))],
    ...keys.map((key): ColumnOf<ExperimentResult> => [right(key), ({ scores }) => score(scores[key]?.mean)]),
    [right('Cost per trial'), (result) => dollars(costPerTrial(result))],
    [right('Tokens'), ({ usage }) => grouped(tokensOf(usage))],
    [right('Time'), ({ agentMs }) => duration(agentMs?.mean ?? null)],
  ])
}

function costPerTrial({ counts, costUsd, unpricedTrials }: ExperimentResult): number | null {
  const priced = counts.run - unpricedTrials
  return costUsd === null || priced === 0 ? null : costUsd / priced
}

/**
 * Each later run compared with the one before it. A comparison that is not given is made, whatever conditions differ; the tests of all of them are corrected together.
 */
function growthSteps(results: readonly ExperimentResult[], comparisons: readonly Comparison[]): readonly GrowthStep[] {
  const steps = results.slice(1).map((candidate, index) => {
    const baseline = results[index] ?? candidate
    const given = comparisons.find((one) => one.baseline.id === baseline.id && one.candidate.id === candidate.id)
    return { baseline, candidate, compared: given ?? compare(baseline, candidate, { ignoreConditions: true }) }
  })
  const together = comparedTogether(steps.map(({ compared }) => compared))
  return steps.map(({ baseline, candidate, compared }, index) => {
    const [head, ...rest] = comparisonSections(together[index] ?? compared)
    const lines = [...iterationLines(candidate), ...(head?.lines ?? [])]
    return { title: runName(candidate), sections: [{ title: `After ${runName(baseline)}`, lines }, ...rest] }
  })
}

/** The problem found before a variant was made, and the expected effect of the variant. */
function iterationLines({ configuration }: ExperimentResult): readonly string[] {
  const { iteration } = configuration
  if (!isPlainObject(iteration)) return []
  const { finding, hypothesis } = iteration as { readonly [name: string]: Json }
  return [
    ...(typeof finding === 'string' ? [`Finding: ${finding}`] : []),
    ...(typeof hypothesis === 'string' ? [`Hypothesis: ${hypothesis}`] : []),
  ]
}
