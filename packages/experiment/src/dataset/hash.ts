import { hash } from 'node:crypto'
import type { Json } from '@jurist/core'
import type { UnhashedItem } from './item.js'

/** A JSON value as a string, with sorted keys and without white space: equal values give equal strings. */
export function canonicalJson(value: Json): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return JSON.stringify(value)
  let text = ''
  if (isList(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element)}`
    return `[${text}]`
  }
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort()
  for (const key of keys) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`
  return `{${text}}`
}

// Array.isArray does not narrow readonly arrays away.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** SHA-256 of a string (as UTF-8) or of bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** How the parts of an item that are not themselves in its fields enter its hash. */
export interface HashedParts {
  /** An array of files, the git triple, or `null`. */
  readonly before: Json
  readonly reference: Json
  /** `null` where the input follows from other fields, as that of most rows does. */
  readonly input: Json
}

/** The field of an object in JSON, with its comma, where it has a value: items without it keep the hash that they had. */
function given(name: string, value: Json | undefined): string {
  return value === null || value === undefined ? '' : `"${name}":${canonicalJson(value)},`
}

/**
 * SHA-256 over everything of an item that defines its task: over the canonical JSON of these fields. It is assembled
 * here because their order is known and most of them are empty.
 */
export function itemHash(item: UnhashedItem, { before, reference, input }: HashedParts): string {
  const { task, noChange, tags, knowledgeRefs, expectedOutput, referenceData, metadata } = item
  const { expectedAnyOf, image, judges, repetitions, timeoutMs } = item
  return sha256(
    `{"before":${canonicalJson(before)},${given('expectedAnyOf', expectedAnyOf || null)}` +
      `"expectedOutput":${canonicalJson(expectedOutput as Json)},${given('image', image)}` +
      `${given('input', input)}${given('judges', judges)}"knowledgeRefs":${canonicalJson(knowledgeRefs)},` +
      `"metadata":${canonicalJson(metadata)},"noChange":${noChange},"reference":${canonicalJson(reference)},` +
      `"referenceData":${canonicalJson(referenceData)},${given('repetitions', repetitions)}` +
      `"tags":${canonicalJson(tags)},"task":${JSON.stringify(task)}${timeoutMs === null ? '' : `,"timeoutMs":${timeoutMs}`}}`,
  )
}
