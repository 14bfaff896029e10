import { type AgentOutput, asText } from '@jurist/core'
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
