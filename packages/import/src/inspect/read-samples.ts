import { createHash } from 'node:crypto'
import {
  abstain,
  fail,
  type JournalEvent,
  type Json,
  type Judge,
  type Judgment,
  type Jury,
  jury,
  numerical,
  pass,
  type Vote,
} from '@jurist/core'
import { argumentsOf, isPlainObject, type Spent, totalSpent } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import { commandLine } from '@jurist/kit/command-line'
import { present } from '../traces/checked.js'
import { type TraceFile, unreadable } from '../traces/trace-files.js'
import { answerEvents, contentText, type Trajectory } from '../traces/trajectory.js'
import { type InspectLog, type InspectMessage, type InspectSample, unknownOf } from './read-log.js'

/** The key for the facts of a sample in the metadata of its trial. */
export const inspectFacts = 'inspect'

/** The key of a trial's scores: the id and the epoch in its metadata. */
function trialKey(metadata: { readonly [key: string]: unknown }): string {
  const { id, epoch } = (metadata[inspectFacts] ?? {}) as { readonly id?: unknown; readonly epoch?: unknown }
  return keyOf(id, epoch)
}

/** Builds the key from an id and an epoch. The number 1 and the string "1" are different ids. */
export function keyOf(id: unknown, epoch: unknown): string {
  return JSON.stringify([id, epoch])
}

interface SampleScore {
  /** The name of the scorer, followed by that of the score if it gives several: `many.a`. */
  readonly name: string
  /** The value in the log; `null` for NaN, a string for an infinity. */
  readonly value: Json
  /** The number that Inspect counts it as, which may be infinite; `undefined` if none exists. */
  readonly number: number | undefined
  readonly answer?: string
  readonly explanation?: string
}

/** The grades of Inspect, and the words that it reads as numbers, in small letters. */
const numbers: { readonly [word: string]: number } = { c: 1, p: 0.5, i: 0, n: 0, yes: 1, true: 1, no: 0, false: 0 }

/**
 * Reads the scores of a sample. Values become numbers as in Inspect's `value_to_float`: C is 1, P is 0.5, I and N are
 * 0, yes and true are 1, no and false are 0, and a numeric string is its number.
 */
function scoresOf({ scores, score }: InspectSample): readonly SampleScore[] {
  const all = Object.entries(scores ?? (score ? { score } : {}))
  return all.flatMap(([name, { value, answer, explanation }]) => {
    const said = present({ answer, explanation })
    const parts = isPlainObject(value)
      ? Object.entries(value).map(([key, part]) => [scoreName(name, key), part as Json] as const)
      : [[scoreName(name), value ?? null] as const]
    return parts.map(([full, part]) => ({ name: full, value: part, number: numberOf(part), ...said }))
  })
}

const longestName = 64

/** Names a score or a part of one as in the log, as far as the name is valid for a judge. */
export function scoreName(name: string, key?: string): string {
  const full = key === undefined ? name : `${name}.${key}`
  const safe = full.replace(/\p{Cc}/gu, '-').trim()
  const named = safe === '' || /^\d+$/.test(safe) ? `score ${safe}`.trim() : safe
  if (named.length <= longestName) return named
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8)
  return `${named.slice(0, longestName - 9).replace(/[\uD800-\uDBFF]$/, '')}-${hash}`
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase()
  // Grades are capital letters.
  if (Object.hasOwn(numbers, word) && (word.length > 1 || value !== word)) return numbers[word]
  if (/^-?Infinity$/.test(value)) return Number(value)
  return /^\s*-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined
}

/** The scores of trials, by `trialKey`. */
export type StoredScores = ReadonlyMap<string, readonly SampleScore[]>

/** The settings for judging by recorded scores. */
interface ScoreReading {
  readonly scores: StoredScores
  /** The score that decides a trial. */
  readonly headline: string
  /** The lowest number that passes. */
  readonly threshold: number
}

/**
 * Returns a jury with a judge for each score, which repeats the recorded value. The headline alone decides: scorers
 * measure different things, and Inspect does not combine them.
 */
export function recordedJury(reading: ScoreReading): Jury {
  const all = [...reading.scores.values()].flat()
  const names = [...new Set([reading.headline, ...all.map(({ name }) => name)])]
  const judges = Object.fromEntries(names.map((name) => [name, recordedJudge(name, rangeOf(name, all), reading)]))
  const { headline } = reading
  const headlineDecides: Vote = function headlineDecides(ballots) {
    return ballots.find(({ name }) => name === headline)?.judgment ?? abstain(`There is no score ${headline}.`)
  }
  return jury({ judges, vote: headlineDecides })
}

interface Range {
  readonly min: number
  readonly max: number
}

/** From 0 to 1, extended to the smallest and the largest number. */
function rangeOf(name: string, all: readonly SampleScore[]): Range {
  let [min, max] = [0, 1]
  for (const one of all) {
    if (one.name !== name || one.number === undefined || !Number.isFinite(one.number)) continue
    min = Math.min(min, one.number)
    max = Math.max(max, one.number)
  }
  return { min, max }
}

function recordedJudge(name: string, range: Range, { scores, threshold }: ScoreReading): Judge {
  return function recordedScore({ metadata }): Judgment {
    const score = scores.get(trialKey(metadata))?.find((one) => one.name === name)
    if (score === undefined) return abstain(`The log has no score ${JSON.stringify(name)} of this sample.`)
    const { number, value, answer, explanation } = score
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    const extras = { metadata: { value, ...(answer === undefined ? {} : { answer }) } }
    const because = explanation === undefined || explanation.trim() === '' ? '' : `: ${explanation}`
    if (number === undefined) return abstain(`The value ${shown} has no number${because}`, extras)
    const judged = number >= threshold ? pass : fail
    // A score is finite: infinities become the ends of the range.
    const within = Math.min(range.max, Math.max(range.min, number))
    return judged(`${shown}${because}`, { score: numerical(within, range), ...extras })
  }
}

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
