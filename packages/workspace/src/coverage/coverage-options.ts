import { type OptionRule, option } from '@jurist/core'
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
}

/** A percentage as an option. */
export const percentRule: OptionRule = {
  wants: 'a number from 0 to 100',
  holds: (value) => typeof value === 'number' && value >= 0 && value <= 100,
}

/** The rules of the options that every judge of coverage has. */
export const currentRules: { readonly report: OptionRule; readonly notBefore: OptionRule } = {
  report: reportRule,
  notBefore: option.oneOf('agent-start'),
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
