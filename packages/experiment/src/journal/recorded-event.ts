import type { JournalEvent, Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

/** An event of a journal, or a record that is not an event of a known type with the fields of that type. */
export type RecordedEvent = JournalEvent | { readonly type: 'unknown'; readonly at?: string; readonly value: Json }

/** The fields that each type of event has, with the types of their values. Inputs and data may be anything; a result is marked when it failed. */
const fields: { readonly [type in JournalEvent['type']]: { readonly [field: string]: string } } = {
  prompt: { text: 'string' },
  'model-call': { model: 'string' },
  'tool-call': { id: 'string', name: 'string' },
  'tool-result': { id: 'string', content: 'string' },
  text: { text: 'string' },
  thinking: { text: 'string' },
  state: { state: 'string' },
  file: { path: 'string', change: 'string' },
  custom: { name: 'string' },
}

/** Whether a value is an event of a type that is known. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  return isPlainObject(value) && typeof value['type'] === 'string' && Object.hasOwn(fields, value['type'])
}

/** A record of a journal as an event. Journals are untrusted: an event without its fields counts as unknown. */
export function recordedEvent(value: unknown): RecordedEvent {
  if (isJournalEvent(value) && hasFields({ ...value }, fields[value.type])) return value
  const at = isPlainObject(value) && typeof value['at'] === 'string' ? { at: value['at'] } : {}
  return { type: 'unknown', ...at, value: value as Json }
}

function hasFields(
  event: { readonly [field: string]: unknown },
  wanted: { readonly [field: string]: string },
): boolean {
  return Object.entries(wanted).every(([field, type]) => typeof event[field] === type)
}
