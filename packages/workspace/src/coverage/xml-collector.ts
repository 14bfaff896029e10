import type { CoverageReport } from './coverage-report.js'

/** The attributes of an element, on no prototype. */
export interface Attributes {
  readonly [name: string]: string
}

/** Picks from the elements of a report what counts; nothing else is kept. */
export interface XmlCollector {
  /** @param above the names of the elements around it, the root first */
  open(name: string, attributes: Attributes, above: readonly string[]): void
  report(): CoverageReport
}
