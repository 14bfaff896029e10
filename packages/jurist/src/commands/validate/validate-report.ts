import type { Dataset } from '@jurist/experiment/dataset'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine, wrapped } from '@jurist/kit/terminal'
import { columnRoles } from '../../command-kit/configured-experiment.js'

export interface Found {
  readonly file: string
  readonly place: string
  readonly problem: string
  readonly remedy: string
  readonly severity: 'error' | 'warning'
}

type Columns = NonNullable<Dataset['columns']>

/** Formats a line for each file of rows with the roles of its columns. */
export function columnLines(columns: ReadonlyMap<string, Columns>): readonly string[] {
  return [...columns].map(([name, uses]) => `${safeLine(name)}: columns read as ${columnRoles(uses)}`)
}

const narrow = 80
const placeWidth = 18

/** Formats the problems by file, each with its place and remedy. Similar warnings share an entry with their number. */
export function reportOf(found: readonly Found[], checked: string, columns: number): string {
  if (found.length === 0) return `No problem found in ${checked}. Nothing was run.`
  const groups = new Map<string, { first: Found; times: number }>()
  for (const [at, one] of found.entries()) {
    const kind = kindOf(one, at)
    const { first = one, times = 0 } = groups.get(kind) ?? {}
    groups.set(kind, { first, times: times + 1 })
  }
  const shown = [...groups.values()]
  const files = [...new Set(shown.map(({ first }) => first.file))]
  const blocks = files.map((file) => {
    const lines = shown.filter(({ first }) => first.file === file).flatMap((one) => linesOf(one, columns))
    return [safeLine(file), ...lines].join('\n')
  })
  const errors = found.filter(({ severity }) => severity === 'error').length
  const warnings = found.length - errors
  const count = `${counted(errors, 'error')}${warnings > 0 ? `, ${counted(warnings, 'warning')}` : ''}`
  const all = counted(new Set(found.map(({ file }) => file)).size, 'file')
  const alike =
    shown.length < found.length ? ' Of warnings that are alike the first is shown; --format json has all.' : ''
  return [...blocks, '', ...wrapped(`${count} in ${all}. Nothing was run.${alike}`, columns)].join('\n')
}

/** Similar warnings differ only in the file and in row numbers. Errors are never combined. */
function kindOf({ place, problem, remedy, severity }: Found, at: number): string {
  return severity === 'error' ? `${at}` : `${place.replaceAll(/\d+/g, '0')}\n${problem}\n${remedy}`
}

function linesOf(
  { first, times }: { readonly first: Found; readonly times: number },
  columns: number,
): readonly string[] {
  const { problem, remedy, severity } = first
  const place = `  ${safeLine(first.place).padEnd(placeWidth)} `
  const kind = severity === 'error' ? '' : times === 1 ? 'warning: ' : `warning, ${times} times: `
  const text = `${kind}${safeLine(problem)}  ${safeLine(remedy)}`.trimEnd()
  if (columns < narrow) return [place.trimEnd(), ...wrapped(text, columns - 4).map((line) => `    ${line}`)]
  const [head = '', ...rest] = wrapped(text, columns - place.length)
  return [`${place}${head}`, ...rest.map((line) => `${' '.repeat(placeWidth + 3)}${line}`)]
}
