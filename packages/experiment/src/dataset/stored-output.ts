import { type AgentOutput, structuredOutput, textOutput } from '@jurist/core'
import type { DatasetItem } from './item.js'
import { isOutputObject } from './item-fields.js'

/** The output that an item has already, in `metadata.output`, where a row's column goes; `undefined` without one. */
export function outputOfItem({ metadata }: Pick<DatasetItem, 'metadata'>): AgentOutput | undefined {
  const output = Object.hasOwn(metadata, 'output') ? metadata['output'] : undefined
  if (output === undefined || output === null) return undefined
  if (typeof output === 'string') return textOutput(output)
  return isOutputObject(output) ? (output as unknown as AgentOutput) : structuredOutput(output)
}
