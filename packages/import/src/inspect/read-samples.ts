import type { JournalEvent, Json } from '@jurist/core'
import { argumentsOf, type Spent, totalSpent } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import { commandLine } from '@jurist/kit/command-line'
import { present } from '../traces/checked.js'
import { type TraceFile, unreadable } from '../traces/trace-files.js'
import { answerEvents, contentText, type Trajectory } from '../traces/trajectory.js'
import { type InspectMessage, type InspectSample, unknownOf } from './log-schema.js'
import type { InspectLog } from './read-log.js'
import { keyOf, type SampleScore, scoresOf } from './scores.js'

/** The part of a sample that is neither conversation nor score. */
export type SampleFacts = Pick<
  InspectSample,
  'id' | 'epoch' | 'target' | 'metadata' | 'limit' | 'error' | 'working_time'
>

/** The part of a sample that is kept in memory. */
export interface ReadSample {
  readonly sample: SampleFacts
  readonly question: string
  readonly output: string | undefined
  readonly scores: readonly SampleScore[]
  readonly trajectory: Trajectory
}

/**
 * Reads the samples of a log one by one. Notes report what is not imported and what is unusual.
 *
 * @throws `usage-invalid` for a duplicate sample
 */
export async function readSamples(
  file: TraceFile,
  log: InspectLog,
): Promise<{ readonly samples: readonly ReadSample[]; readonly notes: readonly string[] }> {
  const { model } = log.header.eval
  const samples: ReadSample[] = []
  const notes = new Map<string, number>()
  const note = (text: string) => void notes.set(text, (notes.get(text) ?? 0) + 1)
  const known = new Set<string>()
  for await (const one of log.samples) {
    const key = keyOf(one.id, one.epoch)
    if (known.has(key)) throw unreadable(file.shown, [`sample ${one.id} occurs twice in epoch ${one.epoch}`])
    known.add(key)
    const trajectory = trajectoryOf(one, model)
    const scores = scoresOf(one)
    samples.push({ sample: kept(one), question: questionOf(one), output: outputOf(one), scores, trajectory })
    for (const field of trajectory.unread) note(`${field}: unknown`)
    for (const { name, value, number } of scores)
      if (number === undefined) note(`${name}: the value ${JSON.stringify(value)} has no number, so its judge abstains`)
    if (one.limit) note(`limit: ended at a ${one.limit.type} limit`)
    if (one.error) note('error: not judged, as in the figures of Inspect')
  }
  const keys = log.keys()
  const keyed =
    keys === 0 ? [] : [`strings that look like keys are replaced by *** in the run (${counted(keys, 'string')})`]
  const counts = [...notes].map(([text, count]) => `${text} (${counted(count, 'trial')})`)
  return { samples, notes: [...headNotes(log, samples), ...keyed, ...counts] }
}

function kept({ id, epoch, target, metadata, limit, error, working_time }: InspectSample): SampleFacts {
  return { id, epoch, target, metadata, limit, error, working_time }
}

function headNotes({ header, isUnfinished }: InspectLog, samples: readonly ReadSample[]): readonly string[] {
  const { results, status, error } = header
  const total = results?.total_samples
  return [
    ...(isUnfinished ? ['the log is not finished: it has no results'] : []),
    ...(!isUnfinished && status !== 'success' && status
      ? [`the evaluation ended with "${status}"${error ? `: ${error.message.split('\n', 1)[0]}` : ''}`]
      : []),
    ...(samples.length > 0 && samples.every(({ scores }) => scores.length === 0)
      ? [`it has no scores: judge its run with ${commandLine('rejudge', 'RUN', '--jury', 'NAME')}`]
      : []),
    ...(typeof total === 'number' && total !== samples.length
      ? [`the log counts ${total} samples and holds ${samples.length}`]
      : []),
  ]
}

/** Returns the last answer of the model. */
function outputOf({ output }: InspectSample): string | undefined {
  const said = output?.choices?.[0]?.message?.content
  const text = output?.completion ?? (said === undefined || said === null ? undefined : textOf(said))
  return text === undefined || text === '' ? undefined : text
}

function questionOf({ input }: InspectSample): string {
  if (typeof input === 'string') return input
  const asked = input.flatMap((one) => (one.role === 'user' ? [textOf(one.content)] : []))
  return asked.join('\n\n')
}

function trajectoryOf(given: InspectSample, model: string): Trajectory {
  const one = withAttachments(given)
  const { messages, total_time: seconds, model_usage: usages, uuid } = one
  const total = totalSpent(Object.values(usages ?? {}).map(spentOf))
  return {
    name: String(one.id),
    session: uuid ?? undefined,
    events: (messages ?? []).flatMap((message) => messageEvents(message, model)),
    // A cost without tokens is not imported.
    total: total.usage === undefined ? undefined : total,
    elapsedMs: typeof seconds === 'number' ? Math.round(seconds * 1000) : undefined,
    unread: Object.keys(unknownOf(one)),
    notes: [],
  }
}

function messageEvents(message: InspectMessage, model: string): readonly JournalEvent[] {
  const text = textOf(message.content)
  switch (message.role) {
    case 'system':
      return [{ type: 'custom', name: 'system', data: { text } }]
    case 'user':
      return [{ type: 'prompt', text }]
    case 'assistant':
      return assistantEvents(message, text, model)
    case 'tool':
      return resultEvents(message, text)
    default:
      return message.role satisfies never
  }
}

function assistantEvents({ content, tool_calls: calls, model: own }: InspectMessage, text: string, model: string) {
  const thoughts = (Array.isArray(content) ? content : []).map(({ type, reasoning, summary }) =>
    type === 'reasoning' ? reasoning || summary : undefined,
  )
  const called = (calls ?? []).map(
    ({ id, function: name, arguments: input }): JournalEvent => ({
      ...{ type: 'tool-call', id: id ?? name, name },
      input: argumentsOf(input),
    }),
  )
  return [{ type: 'model-call', model: own ?? model } as const, ...answerEvents(thoughts, text, called)]
}

/** A failed tool call has an error, with or without content. */
function resultEvents({ tool_call_id: id, error }: InspectMessage, text: string): readonly JournalEvent[] {
  const content = [text, error?.message ?? ''].filter((one) => one !== '').join('\n')
  if (typeof id !== 'string') return [{ type: 'custom', name: 'observation', data: { text: content } }]
  return [{ type: 'tool-result', id, failed: error !== undefined && error !== null, content }]
}

function textOf(content: InspectMessage['content']): string {
  return contentText(Array.isArray(content) ? content.filter(({ type }) => type !== 'reasoning') : content)
}

/** Inspect's `input_tokens` excludes tokens of the cache, `inputTokens` includes them. */
function spentOf(one: NonNullable<InspectSample['model_usage']>[string]): Spent {
  const { input_tokens: input, input_tokens_cache_read: read, input_tokens_cache_write: written } = one
  return {
    usage: present({
      inputTokens: typeof input === 'number' ? input + (read ?? 0) + (written ?? 0) : undefined,
      outputTokens: one.output_tokens,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      reasoningTokens: one.reasoning_tokens,
    }),
    costUsd: one.total_cost ?? undefined,
  }
}

/** A sample may refer to an attachment any number of times, so the expanded text is limited. */
const maxAttachedCharacters = 32 * 1024 * 1024

/** Replaces references to attachments by their texts. Images stay references. */
function withAttachments(one: InspectSample): InspectSample {
  const { attachments, messages } = one
  if (!attachments || Object.keys(attachments).length === 0) return one
  let left = maxAttachedCharacters
  const filled = (text: string) =>
    text.replace(/attachment:\/\/([0-9a-f]{8,64})/g, (reference, key: string) => {
      const attached = Object.hasOwn(attachments, key) ? attachments[key] : undefined
      if (attached === undefined || attached.startsWith('data:') || attached.length > left) return reference
      left -= attached.length
      return attached
    })
  return { ...one, messages: (messages ?? []).map((message) => filledIn(message, filled) as InspectMessage) }
}

function filledIn(value: unknown, filled: (text: string) => string): unknown {
  if (typeof value === 'string') return filled(value)
  if (Array.isArray(value)) return value.map((one) => filledIn(one, filled))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one as Json, filled)]))
}
