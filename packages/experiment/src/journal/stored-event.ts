import type { JournalEvent, Json, JsonObject } from '@jurist/core'
import { frozenJson } from '@jurist/core/internal'
import { now } from '../run/event-log.js'

/** The longest text of an event that is kept, in bytes of UTF-8. */
const longest = 64 * 1024

/**
 * An event as it is kept: a frozen copy with its time and phase, long texts cut.
 *
 * @throws `metadata-invalid` when it is no JSON
 */
export function storedEvent(event: JournalEvent): JournalEvent {
  const { type, at = now(), phase = 'agent', ...rest } = frozenJson(withoutUndefined(event), ['event']) as JsonObject
  const { fields, truncated } = cutFields(rest)
  return Object.freeze({ type, at, phase, ...fields, ...(truncated ? { truncated } : {}) }) as unknown as JournalEvent
}

function withoutUndefined(event: JournalEvent): object {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))
}

function cutFields(event: JsonObject): { readonly fields: JsonObject; readonly truncated: boolean } {
  const fields: { [name: string]: Json } = {}
  let truncated = false
  for (const [name, value] of Object.entries(event)) {
    const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : ''
    const long = text.length > longest / 3 && Buffer.byteLength(text) > longest
    fields[name] = long ? beginningOf(text) : value
    truncated ||= long
  }
  return { fields, truncated }
}

/** As many whole characters as fit. */
function beginningOf(text: string): string {
  const bytes = Buffer.alloc(longest)
  const { read } = new TextEncoder().encodeInto(text, bytes)
  return text.slice(0, read)
}
