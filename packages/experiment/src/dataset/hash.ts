import { hash } from 'node:crypto'
import type { Json } from '@jurist/core'
import type { UnhashedItem } from './item.js'

/**
 * A JSON value as text with the keys of every object sorted by code units and no white space: equal values, equal text.
 *
 * @example
 * canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (isList(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element)}`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort())
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`
  return `{${text}}`
}

// Array.isArray does not narrow readonly arrays away.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** SHA-256 of a text or of bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** What stands for the sources of an item in its hash: a list of files, the git triple, or nothing. */
export interface SourceContents {
  readonly before: Json
  readonly reference: Json
}

/** SHA-256 over everything of an item that defines its task. */
export function itemHash(item: UnhashedItem, sources: SourceContents): string {
  const { task, noChange, tags, knowledgeRefs, expectedOutput, referenceData, metadata } = item
  return sha256(
    canonicalJson({
      task,
      noChange,
      tags,
      knowledgeRefs,
      expectedOutput: expectedOutput as Json,
      referenceData,
      metadata,
      ...sources,
    }),
  )
}
