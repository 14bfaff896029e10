import type { JournalEvent } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

const types: { readonly [type in JournalEvent['type']]: true } = {
  prompt: true,
  'model-call': true,
  'tool-call': true,
  'tool-result': true,
  text: true,
  thinking: true,
  state: true,
  file: true,
  custom: true,
}

/** Whether a value is an event of a type that is known. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  return isPlainObject(value) && typeof value['type'] === 'string' && Object.hasOwn(types, value['type'])
}
