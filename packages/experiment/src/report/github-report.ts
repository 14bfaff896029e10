import { type Check, flatten } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import type { Comparison } from '../compare/comparison.js'
import { conclusionIn } from '../compare/tally.js'
import { counted, grouped, percent, points } from '../result/amounts.js'
import { splitTrials } from '../result/quarantine.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { type UndecidedJudge, undecidedJudgeLine, undecidedJudges } from '../result/undecided-judges.js'
import { comparisonSections } from './content/comparison.js'
import { failureDetails, failureSection, figureSections, judgedSection, runName } from './content/run.js'
import { commandData, commandProperty, markdownText, shortened } from './escape.js'
import { markdownDetails, markdownSections } from './sections.js'

/** How `githubAnnotations` reports. */
export interface GithubAnnotationsOptions {
  /** The most lines. Default 10, since GitHub shows at most 10 of one kind for each step. */
  readonly limit?: number
}

const longestMessage = 4_000

/**
 * Workflow commands for GitHub Actions: first an error for each judge that never judged, an error for each failed check that has a place in the workspace, a warning for
 * each flaky item. No text of a result can become a separate command.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { githubAnnotations } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * for (const line of githubAnnotations(aResult())) console.log(line)
 */
export function githubAnnotations(result: ExperimentResult, options?: GithubAnnotationsOptions): readonly string[] {
  const { limit = 10 } = checkOptions('githubAnnotations', options, { limit: option.integer(0) })
  const judges = undecidedJudges(result).map(judgeAnnotation)
  const errors = splitTrials(result, result.items).counted.flatMap((item) =>
    item.passed === true ? [] : errorsOf(item),
  )
  const warnings = result.flakyItems.map((itemId) => flakyWarning(result, itemId))
  return [...new Set([...judges, ...errors, ...warnings])].slice(0, limit)
}

function judgeAnnotation(judge: UndecidedJudge): string {
  const isError = judge.decided === 0 && !judge.isAllowed
  const title = judge.decided === 0 ? 'A judge never judged' : 'A judge left much undecided'
  return command(isError ? 'error' : 'warning', { message: undecidedJudgeLine(judge), title })
}

function errorsOf(item: ItemResult): readonly string[] {
  if (item.verdict === null) return []
  const judges = flatten(item.verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status === 'fail')
  return judges.flatMap(({ path, judgment }) =>
    judgment.checks.flatMap((check) => {
      const { location } = check
      return check.passed || location === undefined ? [] : [errorAt(location, check, `${item.itemId} ${path.slice(1)}`)]
    }),
  )
}

function errorAt(location: NonNullable<Check['location']>, { name, message }: Check, subject: string): string {
  const text = message === '' ? name : `${name}: ${message}`
  return command('error', {
    message: text,
    title: subject,
    file: location.path,
    ...(location.line === undefined ? {} : { line: String(location.line) }),
  })
}

function flakyWarning({ items }: ExperimentResult, itemId: string): string {
  const decided = items.filter((item) => item.itemId === itemId && item.passed !== null)
  const passes = decided.filter(({ passed }) => passed === true).length
  return command('warning', {
    message: `${itemId} passed ${passes} of ${counted(decided.length, 'trial')}.`,
    title: 'Flaky item',
  })
}

interface Annotation {
  readonly message: string
  readonly title: string
  readonly file?: string
  readonly line?: string
}

function command(level: 'error' | 'warning', { message, title, file, line }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${commandProperty(safeLine(file))}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${commandProperty(safeLine(title))}`,
  ]
  return `::${level} ${properties.join(',')}::${commandData(shortened(safeBlock(message), longestMessage))}`
}

/** How `githubSummary` reports. */
export interface GithubSummaryOptions {
  /** With the baseline. */
  readonly comparison?: Comparison
}

/** GitHub accepts 1 MiB for each step. */
const mostBytes = 1_048_576
const mostFailures = 1_000
const mostDetails = 100

/**
 * A run as a job summary of GitHub Actions: a line with ✅ or ❌, figures, the comparison if there is one, the trials that
 * did not pass, and their evidence in folded blocks. At most 1 MiB: a longer summary is cut, with a note.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { appendFile } from 'node:fs/promises'
 * import { githubSummary } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * await appendFile(process.env.GITHUB_STEP_SUMMARY ?? 'summary.md', githubSummary(aResult()))
 */
export function githubSummary(result: ExperimentResult, options?: GithubSummaryOptions): string {
  const { comparison } = checkOptions('githubSummary', options, { comparison: option.record })
  const sections = [
    ...judgedSection([result]),
    ...figureSections(result),
    ...(comparison === undefined ? [] : comparisonSections(comparison)),
    ...failureSection(result, mostFailures),
  ]
  const whole = `## ${headline(result, comparison)}\n\n${markdownSections(sections, 3)}\n`
  return withinBytes(whole, failureDetails(result, mostDetails).map(markdownDetails))
}

/**
 * `❌ repair: 12 of 28 passed, 42.9 % (-3.6 points against the baseline)`. With a baseline ✅ means that the run is not worse
 * beyond chance, without one that every planned trial passed; a judge that never judged makes it ❌.
 */
function headline(result: ExperimentResult, comparison: Comparison | undefined): string {
  const { passes, decided, planned } = result.counts
  const isJudged = undecidedJudges(result).every(({ decided, isAllowed }) => decided > 0 || isAllowed)
  const isFine = isJudged && (comparison === undefined ? passes === planned : conclusionIn(comparison) !== 'regressed')
  const delta = comparison?.passRate?.delta
  const against = delta === undefined ? '' : ` (${points(delta)} points against the baseline)`
  const rate = `${grouped(passes)} of ${grouped(decided)} passed, ${percent(result.passRate)}${against}`
  return `${isFine ? '✅' : '❌'} ${markdownText(`${runName(result)}: ${rate}`)}`
}

const notice = '\nThe summary is longer than GitHub takes; the rest is left out.\n'

/** The text up to the last whole line that fits, then the parts that fit, none of them cut. */
function withinBytes(text: string, parts: readonly string[]): string {
  const bytes = new TextEncoder().encode(text)
  const room = mostBytes - notice.length
  if (bytes.length > room) {
    const kept = new TextDecoder().decode(bytes.subarray(0, room - 3))
    return `${kept.slice(0, kept.lastIndexOf('\n'))}\n${notice}`
  }
  const shown = [text]
  let size = bytes.length
  for (const part of parts) {
    size += new TextEncoder().encode(part).length + 1
    if (size > room) return [...shown, notice].join('\n')
    shown.push(part)
  }
  return shown.join('\n')
}
