import type { JournalEvent, Json, Usage } from '@jurist/core'
import { argumentsOf, isPlainObject, option, usageCounts } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { parseOrUndefined } from '@jurist/kit/json'
import { present } from './checked.js'
import { type GenAiSpan, readSpans } from './otlp-spans.js'
import type { TraceDocument } from './trace-files.js'
import { answerEvents, copiedMessage, type Trajectory } from './trajectory.js'

/** Reads the conversations of OTLP/JSON as events, or returns every problem with its place. */
export function readOtlp(
  documents: readonly TraceDocument[],
): { readonly value: readonly Trajectory[] } | { readonly problems: readonly string[] } {
  const read = readSpans(documents)
  if ('problems' in read) return read
  const { spans, others } = read
  if (spans.length === 0) return { problems: ['it has no span of a model, an agent or a tool'] }
  const traces = groupBy(spans, ({ traceId }) => traceId)
  const talks = groupBy([...traces.values()], (trace) => conversationOf(trace))
  const notes = others.length === 0 ? [] : [`spans that are not of models, agents or tools: ${others.join(', ')}`]
  return { value: [...talks].map(([id, own], index) => conversation(id, own.flat(), index === 0 ? notes : [])) }
}

/** Returns the conversation id of a trace. A trace without one is its own conversation. */
function conversationOf(trace: readonly GenAiSpan[]): string {
  for (const span of trace) {
    const id = span.get('conversation')
    if (typeof id === 'string' && id !== '') return id
  }
  return trace[0]?.traceId ?? ''
}

function conversation(id: string, spans: readonly GenAiSpan[], notes: readonly string[]): Trajectory {
  const talk: Talk = { events: [], users: 0, lastPrompt: undefined, open: new Map(), answered: new Set() }
  const inner = spansOfSubagents(spans)
  const traces = [...groupBy(spans, ({ traceId }) => traceId).values()]
  for (const trace of traces) readTrace(trace, inner, talk)
  const rest = new Set(spans.flatMap((span) => Object.keys(span.rest)))
  const failed = spans.findLast(({ parentSpanId, isFailed }) => parentSpanId === '' && isFailed)
  const agent = spans.map((span) => span.get('agent')).find((name) => typeof name === 'string')
  return {
    name: id,
    session: id,
    traceId: spans.at(-1)?.traceId,
    agent: typeof agent === 'string' ? agent : undefined,
    events: talk.events,
    elapsedMs: traces.reduce((sum, trace) => sum + spanOf(trace), 0),
    failure: failed && (failed.message ?? `The span ${failed.name} failed.`),
    unread: [...rest].map((name) => `attribute ${name}`),
    notes: [
      ...notes,
      ...(inner.size === 0 ? [] : ['the messages and tools of subagents are in the journal; their tokens count']),
      ...(talk.users === 0 ? ['no message of a user: let the exporter send the content of messages'] : []),
    ],
  }
}

/** The time in milliseconds from the first span of a trace to the last one. */
function spanOf(trace: readonly GenAiSpan[]): number {
  const start = trace.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY)
  return trace.reduce((most, { endMs }) => Math.max(most, endMs - start), 0)
}

/** Returns the spans below an agent that another agent called. */
function spansOfSubagents(spans: readonly GenAiSpan[]): ReadonlySet<GenAiSpan> {
  const byId = new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, span]))
  const inner = new Set<GenAiSpan>()
  for (const span of spans) {
    let agents = span.operation === 'agent' ? 1 : 0
    const seen = new Set<GenAiSpan>([span])
    let above = byId.get(`${span.traceId} ${span.parentSpanId}`)
    while (above !== undefined && !seen.has(above)) {
      seen.add(above)
      if (above.operation === 'agent') agents += 1
      above = byId.get(`${above.traceId} ${above.parentSpanId}`)
    }
    if (agents > 1) inner.add(span)
  }
  return inner
}

function readTrace(trace: readonly GenAiSpan[], inner: ReadonlySet<GenAiSpan>, talk: Talk): void {
  const inCalls = factsInCalls(trace.filter((span) => span.operation === 'chat' && !inner.has(span)))
  for (const span of trace) {
    const at = new Date(span.startMs).toISOString()
    const add = (event: JournalEvent) => talk.events.push({ ...event, at })
    if (Object.keys(span.rest).length > 0)
      add({ type: 'custom', name: 'otlp', data: { span: span.name, attributes: span.rest } })
    if (inner.has(span)) readInner(span, add)
    else if (span.operation === 'chat') readChat(span, talk, add)
    else if (span.operation === 'tool') readTool(span, talk, add)
    else readAgent(span, inCalls, talk, add)
  }
  // The answer comes from the agent if its model calls do not contain one.
  const [agent] = trace.filter((span) => span.operation === 'agent' && !inner.has(span))
  if (agent === undefined || inCalls.answer) return
  const at = new Date(agent.endMs).toISOString()
  for (const { text } of messagesOf(agent.get('output'), 'assistant'))
    if (text !== '') talk.events.push({ type: 'text', text, at })
}

type Add = (event: JournalEvent) => void

function readInner(span: GenAiSpan, add: Add): void {
  if (span.operation === 'chat') add(modelCall(span))
  const data = Object.fromEntries(
    (['input', 'output', 'toolName', 'toolArguments', 'toolResult'] as const).flatMap((meaning) => {
      const value = span.get(meaning)
      return value === undefined ? [] : [[meaning, value]]
    }),
  )
  add({ type: 'custom', name: 'subagent', data: { span: span.name, ...data } })
}

/** Which facts the model calls of a trace contain. The others come from the span of their agent. */
interface FactsInCalls {
  readonly input: boolean
  readonly answer: boolean
  readonly usage: boolean
}

function factsInCalls(chats: readonly GenAiSpan[]): FactsInCalls {
  return {
    input: chats.some((chat) => chat.get('input') !== undefined),
    answer: chats.some((chat) => answerOf(chat).length > 0),
    usage: chats.some((chat) => usageOf(chat) !== undefined),
  }
}

function readAgent(span: GenAiSpan, inCalls: FactsInCalls, talk: Talk, add: Add): void {
  if (!inCalls.input) readInput(messagesOf(span.get('input'), 'user'), talk, add)
  // The tokens of an agent are those of its model calls, unless these do not report any.
  if (!inCalls.usage) add(modelCall(span))
}

function readChat(span: GenAiSpan, talk: Talk, add: Add): void {
  const input = messagesOf(span.get('input'), 'user')
  const system = messagesOf(span.get('system'), 'system')
  if (talk.users === 0) for (const { text } of system) add({ type: 'custom', name: 'system', data: { text } })
  readInput(input, talk, add)
  add(modelCall(span))
  for (const { text, thinking, calls } of answerOf(span)) {
    answerEvents([thinking], text, calls).forEach(add)
    for (const { id, name } of calls) talk.open.set(id, name)
  }
}

/** Returns the answer of a model: messages, and tool calls that its convention stores separately. */
function answerOf(span: GenAiSpan): readonly Message[] {
  const messages = messagesOf(span.get('output'), 'assistant')
  const calls = callsOf(span.get('outputCalls'))
  const own = messages.filter(({ text, thinking, calls: made }) => text !== '' || thinking !== '' || made.length > 0)
  return calls.length === 0 ? own : [...own, { role: 'assistant', text: '', thinking: '', calls, results: new Map() }]
}

/** Adds a call with its result. The span is the only source of a call that no model answer contains. */
function readTool(span: GenAiSpan, talk: Talk, add: Add): void {
  const name = String(span.get('toolName') ?? span.name)
  const named = span.get('toolCallId')
  const id = typeof named === 'string' && named !== '' ? named : (openCall(talk, name) ?? span.spanId)
  const [given, result] = [span.get('toolArguments'), span.get('toolResult')]
  if (!talk.open.has(id)) {
    const input = typeof given === 'string' ? ((parseOrUndefined(given) as Json | undefined) ?? given) : (given ?? null)
    add({ type: 'tool-call', id, name, input })
    talk.open.set(id, name)
  }
  if (talk.answered.has(id) || (result === undefined && !span.isFailed)) return
  talk.answered.add(id)
  const elapsedMs = span.endMs - span.startMs
  add({ type: 'tool-result', id, failed: span.isFailed, content: contentText(result ?? span.message), elapsedMs })
}

/** Returns the first call of the tool without a result. */
function openCall({ open, answered }: Talk, name: string): string | undefined {
  return [...open].find(([id, called]) => called === name && !answered.has(id))?.[0]
}

function modelCall(span: GenAiSpan): JournalEvent {
  const costUsd = span.get('costUsd')
  const model = span.get('model')
  return {
    type: 'model-call',
    model: typeof model === 'string' ? model : 'unknown',
    usage: usageOf(span),
    costUsd: typeof costUsd === 'number' && costUsd >= 0 ? costUsd : undefined,
    elapsedMs: span.endMs - span.startMs,
  }
}

function usageOf(span: GenAiSpan): Usage | undefined {
  const known = usageCounts.map((name) => [name, span.get(name)]).filter(([, value]) => option.integer(0).holds(value))
  return present(Object.fromEntries(known))
}

/** A message of a model call, independent of the convention. */
interface Message {
  readonly role: string
  readonly text: string
  readonly thinking: string
  readonly calls: readonly Extract<JournalEvent, { readonly type: 'tool-call' }>[]
  /** The results of tools, by call id. */
  readonly results: ReadonlyMap<string, string>
}

type Fields = { readonly [name: string]: Json | undefined }

/**
 * Reads the messages of an attribute, given as JSON text or data, in the forms of OpenTelemetry (`parts`),
 * OpenInference (`message`) and the AI SDK (`content`). A plain string is one message.
 *
 * @param role the role of messages without one
 */
function messagesOf(value: Json | undefined, role: string): readonly Message[] {
  const given = typeof value === 'string' ? (parseOrUndefined(value) ?? value) : value
  if (given === undefined || given === null || given === '') return []
  if (Array.isArray(given)) return given.flatMap((one) => messageOf(one as Json, role))
  if (isPlainObject(given)) {
    const { messages, prompt, system } = given as Fields
    if (messages === undefined && prompt === undefined) return messageOf(given as Json, role)
    return [...messagesOf(system, 'system'), ...messagesOf(messages ?? prompt, role)]
  }
  return [{ role, text: String(given), thinking: '', calls: [], results: new Map() }]
}

function messageOf(given: Json, preset: string): readonly Message[] {
  if (typeof given === 'string') return messagesOf(given, preset)
  if (!isPlainObject(given)) return []
  const outer = given as Fields
  const fields = isPlainObject(outer['message']) ? (outer['message'] as Fields) : outer
  const role = typeof fields['role'] === 'string' ? fields['role'] : preset
  const content = fields['parts'] ?? fields['contents'] ?? fields['content']
  const parts = (Array.isArray(content) ? content : content === undefined ? [] : [content]) as readonly Json[]
  const calls = [...parts, ...listOf(fields['tool_calls'])].flatMap(callIn)
  const results = new Map(parts.flatMap(resultIn))
  const answers = fields['tool_call_id']
  if (typeof answers === 'string') results.set(answers, partsText(parts))
  return [{ role: answers === undefined ? role : 'tool', ...textsIn(parts), calls, results }]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** Reads the tool calls of `ai.response.toolCalls`. */
function callsOf(value: Json | undefined): Message['calls'] {
  const given = typeof value === 'string' ? parseOrUndefined(value) : value
  return listOf(given as Json | undefined).flatMap((one) =>
    callIn(isPlainObject(one) ? { type: 'tool-call', ...one } : one),
  )
}

function callIn(part: Json): Message['calls'] {
  if (!isPlainObject(part)) return []
  const outer = part as Fields
  const fields = isPlainObject(outer['tool_call']) ? (outer['tool_call'] as Fields) : outer
  const made = fields['function']
  const { type } = fields
  const isCall = type === 'tool_call' || type === 'tool-call' || type === 'tool_use' || isPlainObject(made)
  if (!isCall) return []
  const own = isPlainObject(made) ? (made as Fields) : fields
  const input = own['arguments'] ?? own['input'] ?? own['args']
  return [
    {
      type: 'tool-call',
      id: String(fields['id'] ?? fields['toolCallId'] ?? ''),
      name: String(own['name'] ?? own['toolName'] ?? 'unknown'),
      input: argumentsOf(input),
    },
  ]
}

function resultIn(part: Json): readonly (readonly [string, string])[] {
  if (!isPlainObject(part)) return []
  const fields = part as Fields
  const types: readonly unknown[] = ['tool_call_response', 'tool-result', 'tool_result']
  if (!types.includes(fields['type'])) return []
  const id = fields['id'] ?? fields['toolCallId'] ?? fields['tool_use_id'] ?? ''
  const result = fields['response'] ?? fields['result'] ?? fields['output'] ?? fields['content']
  return [[String(id), contentText(result)]]
}

function contentText(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

function textsIn(parts: readonly Json[]): { readonly text: string; readonly thinking: string } {
  const thoughts = parts.filter((part) => isPlainObject(part) && part['type'] === 'reasoning')
  return { text: partsText(parts.filter((part) => !thoughts.includes(part))), thinking: partsText(thoughts) }
}

function partsText(parts: readonly Json[]): string {
  return parts.flatMap(partText).join('\n')
}

function partText(part: Json): readonly string[] {
  if (typeof part === 'string') return [part]
  if (!isPlainObject(part) || resultIn(part as Json).length > 0 || callIn(part as Json).length > 0) return []
  const outer = part as Fields
  const fields = isPlainObject(outer['message_content']) ? (outer['message_content'] as Fields) : outer
  const text = fields['text'] ?? fields['content']
  if (typeof text === 'string') return [text]
  return [`[${String(fields['type'] ?? 'unknown')}]`]
}

/** The state while a conversation is read. */
interface Talk {
  readonly events: JournalEvent[]
  /** The number of user messages so far. */
  users: number
  lastPrompt: string | undefined
  /** The calls without a result, and the ids of those with one. */
  readonly open: Map<string, string>
  readonly answered: Set<string>
}

/** Adds the messages of a model's or agent's input that are new. */
function readInput(messages: readonly Message[], talk: Talk, add: Add): void {
  for (const { results } of messages)
    for (const [id, content] of results) {
      if (!talk.open.has(id) || talk.answered.has(id)) continue
      talk.answered.add(id)
      add({ type: 'tool-result', id, failed: false, content })
    }
  const users = messages.filter(({ role, text }) => role === 'user' && text !== '')
  const last = users.at(-1)
  if (last === undefined) return
  const isFirst = talk.users === 0
  if (!isFirst && users.length <= talk.users && last.text === talk.lastPrompt) return
  if (isFirst) readHistory(messages, last, add)
  else for (const { text } of users.slice(talk.users, -1)) add({ type: 'prompt', text })
  talk.users = Math.max(talk.users, users.length)
  talk.lastPrompt = last.text
  add({ type: 'prompt', text: last.text })
}

/** Adds the messages from before the trace. */
function readHistory(messages: readonly Message[], last: Message, add: Add): void {
  for (const message of messages) {
    const { role, text } = message
    if (message === last) return
    if (text === '') continue
    if (role === 'system' || role === 'developer') add({ type: 'custom', name: 'system', data: { text } })
    else if (role === 'user') add({ type: 'custom', name: copiedMessage, data: { role: 'user', text } })
    else if (role === 'assistant') add({ type: 'custom', name: copiedMessage, data: { role: 'agent', text } })
  }
}
