import type { ContextInput, Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'

/** What a candidate is shown of an item unless the caller says otherwise: an output that was made before. */
export function outputOf({ task, metadata, expectedOutput, referenceData }: DatasetItem): ContextInput {
  const output = Object.hasOwn(metadata, 'output') ? metadata['output'] : undefined
  return {
    goal: task,
    ...(output === undefined ? {} : { agentOutput: agentOutput(output) }),
    ...(expectedOutput === null ? {} : { expectedOutput }),
    ...(referenceData.length === 0 ? {} : { referenceData }),
    metadata,
  }
}

function agentOutput(data: Json): NonNullable<ContextInput['agentOutput']> {
  return typeof data === 'string' ? data : { type: 'structured', data }
}

/** The label of an item unless the caller says otherwise. */
export function labelOf({ metadata }: DatasetItem): string | null {
  return textOf(metadata, 'label') ?? textOf(metadata, 'expectedVerdict')
}

/** What annotators said of an item unless the caller says otherwise: texts and numbers by name. */
export function annotatorsOf({ metadata }: DatasetItem): Readonly<Record<string, string | number>> {
  const given = Object.hasOwn(metadata, 'annotators') ? metadata['annotators'] : undefined
  if (!isPlainObject(given)) return {}
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  )
}

function textOf(metadata: DatasetItem['metadata'], key: string): string | null {
  const value = Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null
  if (value === null || typeof value === 'string') return value
  return JSON.stringify(value)
}
