import { type AgentOutput, asText, type Json } from '@jurist/core'
import { isOutput } from '@jurist/core/internal'
import { sourceTexts } from '../invocation.js'
import type { ItemResult } from './records.js'

/** The right answer of a trial's item; `null` if the item has none. Runs of an older Jurist have it in the metadata. */
export function expectedOutputOf({
  expectedOutput,
  metadata,
}: Pick<ItemResult, 'expectedOutput' | 'metadata'>): AgentOutput | null {
  const value = expectedOutput ?? metadata['expectedOutput']
  return isOutput(value) ? value : null
}

/** The agent's answer; `undefined` without an answer, and in a run that only judged. */
export function outputOf({ detail }: Pick<ItemResult, 'detail'>): AgentOutput | undefined {
  return detail?.kind === 'agent' ? detail.invocation.output : undefined
}

/** The sources that the answer should rest on: those of the item, or else those that the agent retrieved. */
export function sourcesOf({ metadata, detail }: Pick<ItemResult, 'metadata' | 'detail'>): readonly string[] {
  const { referenceData } = metadata
  const given = Array.isArray(referenceData) ? referenceData.filter((text) => typeof text === 'string') : []
  return given.length > 0 || detail?.kind !== 'agent' ? given : sourceTexts(detail.invocation.metadata)
}

/** An output as text, cut to what a cell of a spreadsheet holds; `null` without an output. */
export function answerText(output: AgentOutput | undefined): string | null {
  return output === undefined ? null : asText(output).slice(0, 32_000)
}

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
