/** How `comparisonReport` and `judgesReport` report. */
export interface ComparisonReportOptions {
  /** Default `console`. */
  readonly format?: 'console' | 'markdown'
  /** Whether a terminal shows colours. Default `false`. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
}
