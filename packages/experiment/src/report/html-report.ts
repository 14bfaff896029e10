import { checkOptions, option } from '@jurist/core/internal'
import type { Comparison } from '../compare/comparison.js'
import type { ExperimentResult } from '../result/records.js'
import { markup } from './escape/markup.js'
import { htmlPage } from './html/page.js'
import { htmlTrial } from './html/trial.js'
import { htmlSections } from './section/html-sections.js'
import { growthSteps, variantSection } from './story/growth-sections.js'
import { figureSections, itemSection } from './story/run-sections.js'
import { judgeKeys, runName } from './trial-outcome.js'

/** How `htmlReport` reports. */
export interface HtmlReportOptions {
  /** Comparisons of each later result with the one before it; one that is missing is made. */
  readonly comparisons?: readonly Comparison[]
  /** Whether the answers of agents are shown. Default `false`: they may hold what is not for everybody. */
  readonly includeOutputs?: boolean
}

/**
 * Results as one page that can be sent to anybody: no script, nothing loaded from anywhere. Figures, items, for each trial
 * the tree of its verdict with every check; of several results the growth story as well.
 *
 * @throws `option-invalid`
 *
 * @example
 * await writeFile('report.html', htmlReport([result]))
 */
export function htmlReport(
  results: readonly [ExperimentResult, ...ExperimentResult[]],
  options?: HtmlReportOptions,
): string {
  const { comparisons = [], includeOutputs = false } = checkOptions('htmlReport', options, {
    comparisons: { wants: 'a list of comparisons', holds: Array.isArray },
    includeOutputs: option.boolean,
  })
  const [first] = results
  const title = results.length === 1 ? runName(first) : `${first.experimentName}: how it grew`
  const story = results.length === 1 ? [] : [growth(results, comparisons)]
  const runs = results.map((result) => run(result, includeOutputs, results.length > 1))
  return htmlPage(title, [`<h1>${markup(title)}</h1>`, ...story, ...runs].join('\n'))
}

function growth(results: readonly ExperimentResult[], comparisons: readonly Comparison[]): string {
  const steps = growthSteps(results, comparisons).map(({ title, sections }) =>
    [`<h2>${markup(title)}</h2>`, htmlSections(sections, 3)].join('\n'),
  )
  return [htmlSections([variantSection(results)], 2), ...steps].join('\n')
}

function run(result: ExperimentResult, includeOutputs: boolean, isOneOfSeveral: boolean): string {
  const { id, dataset, startedAt, status, lineage } = result
  const keys = judgeKeys(Object.keys(result.scores))
  const again = lineage === null ? '' : ` Judged again from ${lineage.rejudgedFrom}; no agent was called.`
  const facts = `Run ${id} over ${dataset.name} ${dataset.version}, ${startedAt}, ${status}.${again}`
  return [
    ...(isOneOfSeveral ? [`<h2>${markup(`Run: ${runName(result)}`)}</h2>`] : []),
    `<p>${markup(facts)}</p>`,
    htmlSections([...figureSections(result), ...itemSection(result, keys)], isOneOfSeveral ? 3 : 2),
    `<h${isOneOfSeveral ? 3 : 2}>Trials</h${isOneOfSeveral ? 3 : 2}>`,
    ...result.items.map((item) => htmlTrial(item, includeOutputs)),
  ].join('\n')
}
