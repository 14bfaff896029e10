import { checkOptions, option } from '@jurist/core/internal'
import type { Comparison } from '../../compare/comparison.js'
import type { ExperimentResult } from '../../result/records.js'
import { markdownText } from '../escape/markdown.js'
import { markdownSections } from '../section/markdown-sections.js'
import { comparisonSections } from '../story/comparison-sections.js'
import { failureSection, figureSections } from '../story/run-sections.js'
import { runName } from '../trial-outcome.js'

/** How `githubSummary` reports. */
export interface GithubSummaryOptions {
  /** With the baseline. */
  readonly comparison?: Comparison
}

/** What GitHub takes for one step: 1 MiB. */
const mostBytes = 1_048_576
const mostFailures = 1_000

/**
 * A run as a job summary of GitHub Actions: figures, the comparison when there is one, and what did not pass. At most 1 MiB:
 * beyond that the end is left out, which is said.
 *
 * @throws `option-invalid`
 *
 * @example
 * await appendFile(process.env.GITHUB_STEP_SUMMARY, githubSummary(result, { comparison }))
 */
export function githubSummary(result: ExperimentResult, options?: GithubSummaryOptions): string {
  const { comparison } = checkOptions('githubSummary', options, { comparison: option.record })
  const sections = [
    ...figureSections(result),
    ...(comparison === undefined ? [] : comparisonSections(comparison)),
    ...failureSection(result, mostFailures),
  ]
  return withinBytes(`## ${markdownText(runName(result))}\n\n${markdownSections(sections, 3)}`)
}

/** The text up to the last whole line that fits. */
function withinBytes(text: string): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= mostBytes) return text
  const notice = '\n\nThe summary is longer than GitHub takes; the rest is left out.\n'
  const kept = new TextDecoder().decode(bytes.subarray(0, mostBytes - notice.length))
  return `${kept.slice(0, kept.lastIndexOf('\n'))}${notice}`
}
