import { type AgentOutput, asText } from '@jurist/core'
import { isOutput } from '@jurist/core/internal'
import type { ItemResult } from './records.js'

/** The right answer of a trial's item; `null` if the item has none. Runs of an older Jurist have it in the metadata. */
export function expectedOutputOf({
  expectedOutput,
  metadata,
}: Pick<ItemResult, 'expectedOutput' | 'metadata'>): AgentOutput | null {
  const value = expectedOutput ?? metadata['expectedOutput']
  return isOutput(value) ? value : null
}

/** An output as text, cut to what a cell of a spreadsheet holds; `null` without an output. */
export function answerText(output: AgentOutput | undefined): string | null {
  return output === undefined ? null : asText(output).slice(0, 32_000)
}
