import type { AgentOutput, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ItemResult } from './records.js'

/**
 * The right answer of a trial's item; `null` if the item has none. Runs of an older Jurist have it in the metadata.
 *
 * @example
 * asText(expectedOutputOf(item) ?? undefined) // 'Paris'
 */
export function expectedOutputOf({
  expectedOutput,
  metadata,
}: Pick<ItemResult, 'expectedOutput' | 'metadata'>): AgentOutput | null {
  const value = expectedOutput ?? metadata['expectedOutput']
  return isOutput(value) ? value : null
}

function isOutput(value: unknown): value is JsonObject & AgentOutput {
  return isPlainObject(value) && ['text', 'structured', 'multimodal'].includes(String(value['type']))
}
