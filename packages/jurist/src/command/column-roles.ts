import type { Dataset } from '@jurist/experiment/dataset'
import { safeLine } from '@jurist/kit/terminal'

const words: { readonly [role: string]: string } = { reference: 'reference data' }

/**
 * What each column of a file of rows is read as, for people: `question → task, answer → expected, note → metadata`;
 * `undefined` for a dataset without columns.
 */
export function columnRoles(columns: Dataset['columns']): string | undefined {
  if (columns === undefined || columns.length === 0) return undefined
  return columns.map(({ column, role }) => `${safeLine(column)} → ${words[role] ?? role}`).join(', ')
}
