import type { JudgmentContext } from '@jurist/core'
import type { CoverageOptions } from './coverage-options.js'
import { measure } from './measure.js'

/** What coverage was before, or why nobody knows. */
export type Baseline =
  | { readonly kind: 'known'; readonly percent: number }
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * The line coverage to compare with: of the option, else of the metadata, else of what the agent began with. The first
 * that is there counts, also when it is no percentage.
 */
export async function baselineOf(context: JudgmentContext, options: CoverageOptions): Promise<Baseline> {
  const given = options.baseline ?? context.metadata['baselineCoverage'] ?? undefined
  if (given !== undefined) {
    const percent = percentOf(given)
    if (percent !== undefined) return { kind: 'known', percent }
    return { kind: 'unknown', reason: 'the baseline is no percentage from 0 to 100' }
  }
  if (context.before === undefined) return { kind: 'unknown', reason: 'there is no baseline to compare with' }
  const { signal, before } = context
  const measured = await measure({ workspace: before, signal, metric: 'line', report: options.report })
  switch (measured.kind) {
    case 'measured':
      return { kind: 'known', percent: measured.percent }
    case 'missing':
      return { kind: 'unknown', reason: 'there is no baseline: no report was found in what the agent began with' }
    case 'uncounted':
      return { kind: 'unknown', reason: `there is no baseline: ${measured.reason}` }
    default:
      return measured satisfies never
  }
}

/** A number, a text of one, or the line coverage of a report. */
function percentOf(value: unknown): number | undefined {
  const percent = typeof value === 'object' ? linePercent(value) : typeof value === 'string' ? numberIn(value) : value
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined
}

function linePercent(report: object | null): unknown {
  return (report as { readonly line?: { readonly percent?: unknown } | null } | null)?.line?.percent
}

function numberIn(text: string): number | undefined {
  return /^\d{1,16}(?:\.\d{1,32})?$/.test(text.trim()) ? Number(text) : undefined
}
