import { checkOptions } from '@jurist/core/internal'
import type { Comparison } from '../compare/comparison.js'
import type { ExperimentResult } from '../result/records.js'
import { markdownText } from './escape/markdown.js'
import { markdownSections } from './section/markdown-sections.js'
import { growthSteps, variantSection } from './story/growth-sections.js'
import { failureSection, figureSections, itemSection } from './story/run-sections.js'
import { judgeKeys, runName } from './trial-outcome.js'

/** How `markdownReport` reports. */
export interface MarkdownReportOptions {
  /** Comparisons of each later result with the one before it; one that is missing is made. */
  readonly comparisons?: readonly Comparison[]
}

const mostFailures = 200

/**
 * One result as a summary; several, in the order in which they were made, as a growth story: a table of the variants, then
 * each beside the one before it with its finding and hypothesis, regressions first, and notes on regressions that a rising
 * mean would hide.
 *
 * @throws `option-invalid`
 *
 * @example
 * await writeFile('growth.md', markdownReport([plain, withPlan, withKnowledge]))
 */
export function markdownReport(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  options?: MarkdownReportOptions,
): string {
  const { comparisons = [] } = checkOptions('markdownReport', options, {
    comparisons: { wants: 'a list of comparisons', holds: Array.isArray },
  })
  return results.length === 1 ? summaryOf(results[0]) : growthOf(results, comparisons)
}

function summaryOf(result: ExperimentResult): string {
  const keys = judgeKeys(Object.keys(result.scores))
  const sections = [...figureSections(result), ...itemSection(result, keys), ...failureSection(result, mostFailures)]
  return [`# ${markdownText(runName(result))}`, '', facts(result), '', markdownSections(sections, 2)].join('\n')
}

function facts({ id, dataset, startedAt, status, lineage }: ExperimentResult): string {
  const again = lineage === null ? '' : ` Judged again from ${lineage.rejudgedFrom}; no agent was called.`
  const place = `${dataset.name} ${dataset.version}`
  return `Run ${markdownText(id)} over ${markdownText(place)}, ${startedAt}, ${status}.${markdownText(again)}`
}

function growthOf(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  comparisons: readonly Comparison[],
): string {
  const [first] = results
  const steps = growthSteps(results, comparisons).map(({ title, sections }) =>
    [`## ${markdownText(title)}`, '', markdownSections(sections, 3)].join('\n'),
  )
  return [
    `# ${markdownText(first.experimentName)}: how it grew`,
    '',
    markdownSections([variantSection(results)], 2),
    ...steps,
  ].join('\n')
}
