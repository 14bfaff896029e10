import type { JournalEvent, Json, Phase } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { parseLines } from '@jurist/kit/json'

/** The content of a journal file. */
interface JournalLines {
  /** The header, which describes the trial; `undefined` if it is missing. */
  readonly header: { readonly [name: string]: unknown } | undefined
  /** The value of each further line, in order; `undefined` for a damaged line. */
  readonly records: readonly unknown[]
}

export function journalLines(text: string): JournalLines {
  const values = parseLines(text)
  return { header: values.find(isJournalHeader), records: values.filter((value) => !isJournalHeader(value)) }
}

/** Whether a line of a journal describes its trial. */
export function isJournalHeader(value: unknown): value is { readonly [name: string]: unknown } {
  return isPlainObject(value) && value['type'] === 'header'
}

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

/** The same as entries: a long journal has hundreds of thousands of events. */
const wanted: ReadonlyMap<string, readonly (readonly [field: string, type: string])[]> = new Map(
  Object.entries(fields).map(([type, own]) => [type, Object.entries(own)]),
)

/** Whether a value is an event of a type that is known. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  return isPlainObject(value) && typeof value['type'] === 'string' && Object.hasOwn(fields, value['type'])
}

/** A record of a journal as an event. Journals are untrusted: an event without its fields counts as unknown. */
export function recordedEvent(value: unknown): RecordedEvent {
  if (isJournalEvent(value) && hasFields(value)) return value
  const at = isPlainObject(value) && typeof value['at'] === 'string' ? { at: value['at'] } : {}
  return { type: 'unknown', ...at, value: value as Json }
}

function hasFields(event: { readonly type: string }): boolean {
  const own: { readonly [field: string]: unknown } = event
  return wanted.get(event.type)?.every(([field, type]) => typeof own[field] === type) === true
}

/** The phases of an invocation as events, for agents that record nothing while they work. */
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
    usage,
    costUsd,
    elapsedMs,
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
