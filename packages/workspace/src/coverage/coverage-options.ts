import type { Judge } from '@jurist/core'
import { type OptionRule, option } from '@jurist/core/internal'
import type { CoverageReport } from './coverage-report.js'
import { reportRule } from './find-coverage.js'

/** What the judges of coverage take. */
export interface CoverageOptions {
  /**
   * What coverage was before: line coverage from 0 to 100, or a report. Default: `baselineCoverage` of the metadata, else
   * the report in `context.before`.
   */
  readonly baseline?: number | CoverageReport
  /** The path of the report, or globs; several files are added up. Default: the usual places of builds. */
  readonly report?: string | readonly string[]
  /** `'agent-start'`: a report that was written before the agent started fails. Default: any age. */
  readonly notBefore?: 'agent-start'
  /**
   * The judge whose command measures coverage, such as `buildSucceeds.npm('coverage')`: it runs first, in the copy in which
   * the report is then read, and every report that was there before is taken away. Unless it passes, coverage is not judged.
   * `'agent'`: the report that the agent left is believed. Default: that too, but an ERROR where other judges of the same
   * jury run commands, since what these write is not seen here.
   */
  readonly after?: Judge | 'agent'
}

/** A percentage as an option. */
export const percentRule: OptionRule = {
  wants: 'a number from 0 to 100',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 100,
}

/** The rules of the options that every judge of coverage has. */
export const currentRules: {
  readonly report: OptionRule
  readonly notBefore: OptionRule
  readonly after: OptionRule
} = {
  report: reportRule,
  notBefore: option.oneOf('agent-start'),
  after: option.either(option.oneOf('agent'), { wants: 'a judge', holds: (value) => typeof value === 'function' }),
}

/** With the baseline. A number that is no percentage leaves nothing to compare with, as in the metadata. */
export const coverageRules: { readonly [name in keyof Required<CoverageOptions>]: OptionRule } = {
  ...currentRules,
  baseline: {
    wants: 'a number from 0 to 100 or a coverage report',
    holds: (value) =>
      typeof value === 'number' ||
      (typeof value === 'object' && value !== null && 'line' in value && 'format' in value),
  },
}
