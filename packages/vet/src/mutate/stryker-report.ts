import { lineFinder } from './mutants.js'
import type { JudgedMutant, MutantOutcome, MutationReport } from './mutation-report.js'

const statuses: Readonly<Record<MutantOutcome, string>> = {
  killed: 'Killed',
  timeout: 'Timeout',
  survived: 'Survived',
  'not-judged': 'Pending',
  broke: 'RuntimeError',
  'not-run': 'Pending',
}

const languages: readonly (readonly [RegExp, string])[] = [
  [/\.[cm]?tsx?$/, 'typescript'],
  [/\.py$/, 'python'],
  [/\.java$/, 'java'],
  [/\.go$/, 'go'],
  [/\.rs$/, 'rust'],
  [/\.cs$/, 'csharp'],
  [/\.(?:cc|cpp|cxx|c|h|hpp|hh)$/, 'cpp'],
]

/**
 * Converts a report to the schema of Stryker (mutation-testing-report-schema 2), for its viewer and dashboards. File
 * names have the form `<item>/<path>`.
 *
 * @example
 * import { runMutants, strykerReport } from '@jurist/vet'
 *
 * const report = await runMutants({ name: 'fix', dataset: 'dataset', jury: async () => true })
 * console.log(JSON.stringify(strykerReport(report)))
 */
export function strykerReport({ items }: MutationReport): StrykerReport {
  const files = items.flatMap(({ itemId, sources, mutants }) =>
    Object.entries(sources).map(([path, source]) => {
      const language = languages.find(([ending]) => ending.test(path))?.[1] ?? 'javascript'
      const own = mutants.filter((mutant) => mutant.path === path).map((mutant) => mutantIn(itemId, source, mutant))
      return [`${itemId}/${path}`, { language, source, mutants: own }] as const
    }),
  )
  return { schemaVersion: '2', thresholds: { high: 95, low: 85 }, files: Object.fromEntries(files) }
}

/** A report of mutants in the schema of Stryker. */
export interface StrykerReport {
  readonly schemaVersion: '2'
  /** Percentages of killed mutants: at `high` and above, a viewer shows a value as good, and below `low` as bad. */
  readonly thresholds: { readonly high: number; readonly low: number }
  readonly files: Readonly<Record<string, StrykerFile>>
}

/** A source with its mutants. */
export interface StrykerFile {
  readonly language: string
  readonly source: string
  readonly mutants: readonly StrykerMutant[]
}

/** A mutant. Lines and columns are counted from 1. */
export interface StrykerMutant {
  readonly id: string
  readonly mutatorName: string
  readonly replacement: string
  readonly status: string
  readonly location: { readonly start: StrykerPosition; readonly end: StrykerPosition }
  readonly statusReason?: string
}

/** A place in a source. */
export interface StrykerPosition {
  readonly line: number
  readonly column: number
}

function mutantIn(itemId: string, source: string, mutant: JudgedMutant): StrykerMutant {
  const lineOf = lineFinder(source)
  const position = (offset: number) => ({
    line: lineOf(offset),
    column: offset - source.lastIndexOf('\n', offset - 1),
  })
  const reason = mutant.problem ?? (mutant.killers.length === 0 ? null : `failed by ${mutant.killers.join(', ')}`)
  return {
    id: `${itemId}/${mutant.repetition}`,
    mutatorName: mutant.operator,
    replacement: mutant.text,
    status: statuses[mutant.outcome],
    location: { start: position(mutant.start), end: position(mutant.end) },
    ...(reason === null ? {} : { statusReason: reason }),
  }
}
