import { type Check, flatten } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { counted } from '../../result/amounts.js'
import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { shortened } from '../escape/markdown.js'
import { plainBlock, plainLine } from '../escape/terminal.js'
import { commandData, commandProperty } from '../escape/workflow-command.js'

/** How `githubAnnotations` reports. */
export interface GithubAnnotationsOptions {
  /** The most lines. Default 10, which is what GitHub shows of one kind in a step. */
  readonly limit?: number
}

const longestMessage = 4_000

/**
 * Workflow commands for GitHub Actions: an error for each failed check that has a place in the workspace, a warning for
 * each flaky item. Nothing that is told can be a command of its own.
 *
 * @throws `option-invalid`
 *
 * @example
 * for (const line of githubAnnotations(result)) console.log(line)
 */
export function githubAnnotations(result: ExperimentResult, options?: GithubAnnotationsOptions): readonly string[] {
  const { limit = 10 } = checkOptions('githubAnnotations', options, { limit: option.integer(0) })
  const errors = result.items.flatMap((item) => (item.passed === true ? [] : errorsOf(item)))
  const warnings = result.flakyItems.map((itemId) => flakyWarning(result, itemId))
  return [...new Set([...errors, ...warnings])].slice(0, limit)
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
    ...(file === undefined ? [] : [`file=${commandProperty(plainLine(file))}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${commandProperty(plainLine(title))}`,
  ]
  return `::${level} ${properties.join(',')}::${commandData(shortened(plainBlock(message), longestMessage))}`
}
