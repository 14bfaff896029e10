import type { Dataset } from '@jurist/experiment/dataset'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine } from '@jurist/kit/terminal'
import { columnRoles } from './configured-experiment.js'

/** One thing that `validate` found. */
export interface Found {
  readonly file: string
  readonly place: string
  readonly problem: string
  readonly remedy: string
  readonly severity: 'error' | 'warning'
}

type Columns = NonNullable<Dataset['columns']>

/** A line for each file of rows: the roles of its columns. */
export function columnLines(columns: ReadonlyMap<string, Columns>): readonly string[] {
  return [...columns].map(([name, uses]) => `${safeLine(name)}: columns read as ${columnRoles(uses)}`)
}

/** The problems by file, each with its place, what is wrong and what to do. */
export function reportOf(found: readonly Found[], checked: string): string {
  const files = [...new Set(found.map(({ file }) => file))]
  const blocks = files.map((file) => {
    const lines = found.filter((one) => one.file === file).map(lineOf)
    return [safeLine(file), ...lines].join('\n')
  })
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  const count = `${counted(errors, 'error')}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}`
  if (found.length === 0) return `No problem found in ${checked}. Nothing was run.`
  return [...blocks, '', `${count} in ${counted(files.length, 'file')}. Nothing was run.`].join('\n')
}

function lineOf({ place, problem, remedy, severity }: Found): string {
  const kind = severity === 'warning' ? 'warning: ' : ''
  return `  ${safeLine(place).padEnd(18)} ${kind}${safeLine(problem)}  ${safeLine(remedy)}`.trimEnd()
}
