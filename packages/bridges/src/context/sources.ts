import type { JsonObject } from '@jurist/core'
import type { SafeReader } from './safe-reader.js'
import { toJson } from './to-json.js'

/** A document or page that an answer is based on. */
export interface RetrievedSource {
  readonly id: string
  readonly type: 'url' | 'document'
  readonly title?: string
  readonly url?: string
  readonly text?: string
  readonly mediaType?: string
  readonly score?: number
  readonly metadata?: JsonObject
}

export function uniqueSources(sources: readonly RetrievedSource[]): readonly RetrievedSource[] {
  const byId = new Map<string, RetrievedSource>()
  for (const source of sources) if (!byId.has(source.id)) byId.set(source.id, source)
  return [...byId.values()]
}

/**
 * Sources with the same id and different texts are pieces of one document; the later ones get the suffixes `-2`, `-3`,
 * ….
 */
export function distinctSources(sources: readonly RetrievedSource[]): readonly RetrievedSource[] {
  const pieces = new Map<string, Set<string | undefined>>()
  const taken = new Set(sources.map(({ id }) => id))
  return sources.flatMap((source) => {
    const texts = pieces.get(source.id) ?? new Set()
    pieces.set(source.id, texts)
    if (texts.has(source.text)) return []
    texts.add(source.text)
    if (texts.size === 1) return [source]
    let number = texts.size
    while (taken.has(`${source.id}-${number}`)) number += 1
    const id = `${source.id}-${number}`
    taken.add(id)
    return [{ ...source, id }]
  })
}

/** For use as reference data. */
export function sourceTexts(sources: readonly RetrievedSource[]): readonly string[] {
  return sources.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

/** `undefined` if the value is empty or not an object. */
export function metadataIn(reader: SafeReader): JsonObject | undefined {
  const json = toJson(reader.value)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  return Object.keys(json).length === 0 ? undefined : (json as JsonObject)
}
