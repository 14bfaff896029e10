import type { Json } from '@jurist/core'

/** Beginnings that a spreadsheet interprets as a formula: a sign, also full-width or after white space. */
const formula = /^'*(?:[\s\u0000]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])/

/**
 * A value as a cell of CSV (RFC 4180): nothing for `null`, objects and lists as JSON, and an apostrophe before a string
 * that a spreadsheet would run as a formula. Numbers stay numbers, negative ones too.
 */
export function csvCell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = formula.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A string that `csvCell` wrote, read from its cell: without the apostrophe before a formula. */
export function csvText(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}
