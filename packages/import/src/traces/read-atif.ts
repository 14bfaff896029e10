import type { JournalEvent, Json, JsonObject, Usage } from '@jurist/core'
import { argumentsOf, isPlainObject, option, type Spent } from '@jurist/core/internal'
import * as v from 'valibot'
import { checked, dollars, json, maybe, present, record, text, tokens, unknownFields } from './checked.js'
import { answerEvents, contentText, copiedMessage, type Trajectory } from './trajectory.js'

/** The name of events with the fields of a step that have no counterpart. */
const atifFields = 'atif'

/** Reads an ATIF trajectory as events, or returns every problem with its place. */
export function readAtif(
  value: unknown,
  name: string,
): { readonly value: Trajectory } | { readonly problems: readonly string[] } {
  const read = checked(trajectory, value)
  if ('problems' in read) return read
  const { value: atif } = read
  const { agent, steps } = atif
  const problems = steps.flatMap(stepProblems)
  if (problems.length > 0) return { problems }
  const unread = new Set<string>()
  const events = steps.flatMap((one) => stepEvents(one, agent.model_name ?? undefined, unread))
  for (const field of Object.keys(unknownFields(atif, trajectory) ?? {})) unread.add(field)
  return {
    value: {
      name: ownName(atif) ?? name,
      session: atif.session_id ?? atif.trajectory_id ?? undefined,
      agent: [agent.name, agent.version ?? ''].join(' ').trim(),
      events: [...headEvents(atif), ...events],
      total: totalOf(atif),
      unread: [...unread],
      notes: atifNotes(atif),
      ...filesOf(atif),
    },
  }
}

/** Returns the item that `jurist export` recorded in the trajectory. */
function ownName({ extra }: Atif): string | undefined {
  const jurist = extra?.['jurist']
  const item = isPlainObject(jurist) ? jurist['item'] : undefined
  return typeof item === 'string' ? item : undefined
}

/** Returns the events that `jurist export` stored in a step because ATIF has no field for them. */
function ownEvents({ extra }: AtifStep): readonly JournalEvent[] {
  const events = extra?.['events']
  const isOwn = Array.isArray(events) && events.every((one) => isPlainObject(one) && typeof one['type'] === 'string')
  return isOwn ? (events as unknown as readonly JournalEvent[]) : []
}

/** Results must name a call of their step, and the ids of calls must be unique. */
function stepProblems({ source, tool_calls, observation }: AtifStep, index: number): readonly string[] {
  const calls = (tool_calls ?? []).map(({ tool_call_id }) => tool_call_id)
  const wrong = (observation?.results ?? []).flatMap(({ source_call_id }, at) =>
    typeof source_call_id !== 'string' || calls.includes(source_call_id) || calls.length === 0
      ? []
      : [`steps[${index}].observation.results[${at}].source_call_id names no call of the step`],
  )
  const twice = calls.flatMap((id, at) =>
    calls.indexOf(id) < at ? [`steps[${index}].tool_calls[${at}].tool_call_id occurs twice`] : [],
  )
  const notAgent = calls.length > 0 && source !== 'agent' ? [`steps[${index}].tool_calls needs the source agent`] : []
  return [...wrong, ...twice, ...notAgent]
}

/** Keeps the fields of the trajectory outside its steps. */
function headEvents({ agent, notes, extra, continued_trajectory_ref, subagent_trajectories, ...rest }: Atif) {
  const data = present({
    notes,
    extra: extra?.['jurist'] === undefined ? extra : undefined,
    continued_trajectory_ref,
    subagent_trajectories,
    tool_definitions: agent.tool_definitions,
    agent: agent.extra,
    ...unknownFields(rest, trajectory),
  })
  return data === undefined ? [] : [{ type: 'custom', name: atifFields, data } as const]
}

function stepEvents(one: AtifStep, model: string | undefined, unread: Set<string>): readonly JournalEvent[] {
  const { source, timestamp } = one
  const text = contentText(one.message)
  const rest = restOf(one, unread)
  const said: readonly JournalEvent[] =
    one.is_copied_context === true
      ? [{ type: 'custom', name: copiedMessage, data: { role: source, text } }]
      : source === 'user'
        ? [{ type: 'prompt', text }]
        : source === 'system'
          ? [{ type: 'custom', name: 'system', data: { text } }]
          : agentEvents(one, model, text)
  const results = one.is_copied_context === true ? [] : resultEvents(one)
  const fields: readonly JournalEvent[] = rest === undefined ? [] : [{ type: 'custom', name: atifFields, data: rest }]
  const at = present({ at: timestamp })
  return [...[...said, ...results, ...fields].map((event) => ({ ...at, ...event })), ...ownEvents(one)]
}

function agentEvents(one: AtifStep, model: string | undefined, text: string): readonly JournalEvent[] {
  const { reasoning_content: thinking, tool_calls: calls, metrics } = one
  const call: JournalEvent = {
    type: 'model-call',
    model: one.model_name ?? model ?? 'unknown',
    usage: usageOf(metrics),
    costUsd: metrics?.cost_usd ?? undefined,
  }
  const called = (calls ?? []).map(
    (one): JournalEvent => ({ type: 'tool-call', id: one.tool_call_id, name: one.function_name, input: inputOf(one) }),
  )
  return [...(one.llm_call_count === 0 ? [] : [call]), ...answerEvents([thinking], text, called)]
}

/** Unwraps an input that `jurist export` wrapped because it was not an object. */
function inputOf({ arguments: given, extra }: NonNullable<AtifStep['tool_calls']>[number]): Json {
  const isWrapped = extra?.['jurist'] === 'input' && isPlainObject(given)
  return isWrapped ? ((given['input'] ?? null) as Json) : argumentsOf(given)
}

function withoutMark(call: NonNullable<AtifStep['tool_calls']>[number]) {
  return call.extra?.['jurist'] === 'input' ? { ...call, extra: undefined } : call
}

function resultEvents({ observation, tool_calls: calls }: AtifStep): readonly JournalEvent[] {
  return (observation?.results ?? []).map(({ source_call_id: id, content, extra }): JournalEvent => {
    const text = contentText(content)
    // A result without an id belongs to the only call.
    const only = calls?.length === 1 ? calls[0]?.tool_call_id : undefined
    const call = id ?? only
    if (call === undefined) return { type: 'custom', name: 'observation', data: { text } }
    return { type: 'tool-result', id: call, failed: extra?.['is_error'] === true, content: text }
  })
}

/** Both `prompt_tokens` and `inputTokens` include cached tokens. */
function usageOf(given: AtifStep['metrics']): Usage | undefined {
  const inExtra = (name: string) => {
    const value = given?.extra?.[name]
    return option.integer(0).holds(value) ? (value as number) : undefined
  }
  return present({
    inputTokens: given?.prompt_tokens,
    outputTokens: given?.completion_tokens,
    cacheReadTokens: given?.cached_tokens,
    reasoningTokens: inExtra('reasoning_tokens'),
    cacheWriteTokens: inExtra('cache_creation_input_tokens'),
  })
}

function totalOf({ final_metrics: final }: Atif): Spent | undefined {
  if (final === undefined || final === null) return undefined
  const usage = present({
    inputTokens: final.total_prompt_tokens,
    outputTokens: final.total_completion_tokens,
    cacheReadTokens: final.total_cached_tokens,
  })
  return { usage, costUsd: final.total_cost_usd ?? undefined }
}

/** Returns the fields of a step without a counterpart, and adds unknown ones to `unread`. */
function restOf(one: AtifStep, unread: Set<string>): Json | undefined {
  const calls = one.tool_calls ?? []
  const results = one.observation?.results ?? []
  const name = (prefix: string, fields: { readonly [key: string]: Json } | undefined) => {
    for (const field of Object.keys(fields ?? {})) unread.add(`${prefix}${field}`)
    return fields
  }
  const copied = one.is_copied_context === true
  return present({
    ...name('steps[].', unknownFields(one, step)),
    extra: ownEvents(one).length === 0 ? one.extra : undefined,
    reasoning_effort: one.reasoning_effort,
    llm_call_count: (one.llm_call_count ?? 1) > 1 ? one.llm_call_count : undefined,
    metrics: copied
      ? one.metrics
      : present({
          ...name('steps[].metrics.', unknownFields(one.metrics ?? {}, metrics)),
          extra: one.metrics?.extra,
        }),
    tool_calls: copied
      ? one.tool_calls
      : extras(calls.map(withoutMark), (call) => name('steps[].tool_calls[].', unknownFields(call, toolCall))),
    results: copied
      ? one.observation
      : extras(results, (result) =>
          present({
            ...name('steps[].observation.results[].', unknownFields(result, toolResult)),
            subagent_trajectory_ref: result.subagent_trajectory_ref,
          }),
        ),
    images: imagesIn(one),
  }) as JsonObject | undefined
}

/** Returns the further fields of members that have some; `undefined` if none has. */
function extras<Member extends { readonly extra?: unknown }>(
  members: readonly Member[],
  unknown: (member: Member) => Json | undefined,
): Json | undefined {
  const found = members.map((member) => {
    const more = unknown(member)
    return present({ extra: member.extra, ...(typeof more === 'object' ? more : {}) }) ?? null
  })
  return found.some((one) => one !== null) ? found : undefined
}

function imagesIn({ message, observation }: AtifStep): Json | undefined {
  const contents = [message, ...(observation?.results ?? []).map(({ content }) => content)]
  const images = contents.flatMap((one) => (Array.isArray(one) ? one.filter(({ type }) => type !== 'text') : []))
  return images.length === 0 ? undefined : (images as unknown as Json)
}

// The Agent Trajectory Interchange Format 1.0 to 1.8. Later versions only add fields. Undeclared fields count as
// unknown.

/** A part of a content: text, or an image that is described by its location. */
const part = v.looseObject({ type: text, text: maybe(text), source: maybe(json) })

const content = v.union([text, v.array(part)], 'must be a string or an array of parts')

const toolCall = v.looseObject({
  tool_call_id: text,
  function_name: text,
  arguments: json,
  extra: maybe(record),
})

const toolResult = v.looseObject({
  source_call_id: maybe(text),
  content: maybe(content),
  subagent_trajectory_ref: maybe(json),
  extra: maybe(record),
})

const metrics = v.looseObject({
  prompt_tokens: maybe(tokens),
  completion_tokens: maybe(tokens),
  cached_tokens: maybe(tokens),
  cost_usd: maybe(dollars),
  extra: maybe(record),
})

const step = v.looseObject({
  step_id: v.pipe(v.number('must be a number'), v.safeInteger('must be a whole number')),
  timestamp: maybe(text),
  source: v.picklist(['system', 'user', 'agent'], 'must be system, user or agent'),
  model_name: maybe(text),
  reasoning_effort: maybe(v.union([text, v.number()], 'must be a string or a number')),
  message: maybe(content),
  reasoning_content: maybe(text),
  tool_calls: maybe(v.array(toolCall, 'must be an array')),
  observation: maybe(v.looseObject({ results: maybe(v.array(toolResult, 'must be an array')) })),
  metrics: maybe(metrics),
  is_copied_context: maybe(v.boolean('must be true or false')),
  llm_call_count: maybe(tokens),
  extra: maybe(record),
})

const finalMetrics = v.looseObject({
  total_prompt_tokens: maybe(tokens),
  total_completion_tokens: maybe(tokens),
  total_cached_tokens: maybe(tokens),
  total_cost_usd: maybe(dollars),
  total_steps: maybe(tokens),
  extra: maybe(record),
})

const versions = /^ATIF-v1\.[0-8]$/

const trajectory = v.looseObject({
  schema_version: v.pipe(text, v.regex(versions, 'must be ATIF-v1.0 to ATIF-v1.8')),
  session_id: maybe(text),
  trajectory_id: maybe(text),
  agent: v.looseObject({
    name: text,
    version: maybe(text),
    model_name: maybe(text),
    tool_definitions: maybe(json),
    extra: maybe(record),
  }),
  steps: v.array(step, 'must be an array'),
  notes: maybe(text),
  final_metrics: maybe(finalMetrics),
  continued_trajectory_ref: maybe(json),
  subagent_trajectories: maybe(v.array(record, 'must be an array')),
  extra: maybe(record),
})

type Atif = v.InferOutput<typeof trajectory>
type AtifStep = v.InferOutput<typeof step>

/** Returns the files that a trajectory names. */
function filesOf({ steps, continued_trajectory_ref: next }: Atif): Pick<Trajectory, 'subagentFiles' | 'nextFile'> {
  const results = steps.flatMap(({ observation }) => observation?.results ?? [])
  const references = results.flatMap(({ subagent_trajectory_ref: one }) => (Array.isArray(one) ? one : [one]))
  const paths = references.flatMap((one) => (isPlainObject(one) ? [one['trajectory_path']] : []))
  const subagentFiles = paths.filter((path) => typeof path === 'string')
  return {
    subagentFiles: subagentFiles.length === 0 ? undefined : subagentFiles,
    nextFile: typeof next === 'string' ? next : undefined,
  }
}

function atifNotes(atif: Atif): readonly string[] {
  const { steps, subagent_trajectories: subagents } = atif
  const copied = steps.filter((one) => one.is_copied_context === true).length
  return [
    ...(copied === 0 ? [] : [`${copied} copied steps are history: their tokens and tool calls do not count`]),
    ...(subagents?.length
      ? [`${subagents.length} trajectories of subagents are in the journal; their tokens do not count`]
      : []),
    ...(isOtherSum(atif) ? ['its steps add up to other tokens than its final_metrics: those of the steps count'] : []),
  ]
}

/** Whether the totals of a trajectory differ from the sums of its steps. */
function isOtherSum({ steps, final_metrics: final }: Atif): boolean {
  const own = steps.filter(({ is_copied_context: isCopied, metrics: given }) => isCopied !== true && given)
  const sum = (name: 'prompt_tokens' | 'completion_tokens') =>
    own.reduce((total, { metrics: given }) => total + (given?.[name] ?? 0), 0)
  const differs = (total: number | null | undefined, steps: number) => typeof total === 'number' && total !== steps
  if (own.length === 0) return false
  return (
    differs(final?.total_prompt_tokens, sum('prompt_tokens')) ||
    differs(final?.total_completion_tokens, sum('completion_tokens'))
  )
}
