import type { JournalEvent, Json, JsonObject, Phase } from '@jurist/core'
import { frozenJson, isPlainObject } from '@jurist/core/internal'
import { now } from '../run/event-log.js'

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

/** What the phases of an invocation tell, as events: for agents that record nothing while they work. */
export function phaseEvents(phases: readonly Phase[], model: string): readonly JournalEvent[] {
  return phases.flatMap((phase) => [
    ...(phase.prompt === undefined ? [] : [{ type: 'prompt', phase: phase.name, text: phase.prompt } as const]),
    modelCall(phase, model),
    ...toolEvents(phase),
    ...(phase.text === undefined ? [] : [{ type: 'text', phase: phase.name, text: phase.text } as const]),
  ])
}

function modelCall({ name, usage, costUsd, elapsedMs }: Phase, model: string): JournalEvent {
  return {
    type: 'model-call',
    phase: name,
    model,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(elapsedMs === undefined ? {} : { elapsedMs }),
  }
}

/** Each call, followed by its result; results without a call come last. */
function toolEvents({ name, toolUses = [], toolResults = [] }: Phase): readonly JournalEvent[] {
  const results = new Map(toolResults.map((result) => [result.toolUseId, result]))
  const calls = toolUses.flatMap(({ id, name: tool, input }): readonly JournalEvent[] => {
    const call: JournalEvent = { type: 'tool-call', phase: name, id, name: tool, input }
    const result = results.get(id)
    results.delete(id)
    return result === undefined ? [call] : [call, resultEvent(result, name)]
  })
  return [...calls, ...[...results.values()].map((result) => resultEvent(result, name))]
}

function resultEvent(
  { toolUseId, content, failed }: NonNullable<Phase['toolResults']>[number],
  phase: string,
): JournalEvent {
  return { type: 'tool-result', phase, id: toolUseId, failed, content }
}
