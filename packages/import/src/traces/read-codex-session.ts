import { readSafely, type SafeReader, usageFrom } from '@jurist/bridges/internal'
import type { JournalEvent, Json, Usage } from '@jurist/core'
import { argumentsOf, isPlainObject } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import { parseObject } from '@jurist/kit/json'
import type { TraceDocument } from './trace-files.js'
import type { Trajectory } from './trajectory.js'

/** The state while a rollout is read. */
interface Rollout {
  readonly events: JournalEvent[]
  readonly unread: Set<string>
  model: string
  /** The index of the first event of the current model call; `undefined` between calls. */
  began: number | undefined
  /** The total of the last token count. Codex repeats counts. */
  counted: string | undefined
  /** The number of turns that the user took back. */
  abandoned: number
  /** The messages that the user typed. Empty in rollouts of old versions, which do not mark them. */
  readonly typed: ReadonlySet<string>
}

/** Events that repeat response items, or only mark their begin and end. */
const repeated: ReadonlySet<string> = new Set([
  ...['agent_message', 'agent_reasoning', 'agent_reasoning_raw_content'],
  ...['item_started', 'item_completed', 'exec_command_begin', 'exec_command_end', 'raw_response_item'],
  ...['task_started', 'task_complete', 'turn_started', 'turn_complete'],
])

/** Matches messages that Codex adds to the context in the user's name, for rollouts that do not mark typed messages. */
const injected =
  /^\s*(<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill)|# AGENTS\.md instructions)/

/** Converts the lines of a rollout file of Codex (`~/.codex/sessions`) to events. */
export function readCodexSession(documents: readonly TraceDocument[], name: string, warnings: string[]): Trajectory {
  const lines = documents.map(({ value, place }) => readSafely(value, warnings, place))
  const state = { model: 'unknown', began: undefined, counted: undefined, abandoned: 0 }
  const rollout: Rollout = { events: [], unread: new Set(), typed: typedIn(lines), ...state }
  for (const line of lines) readLine(line, rollout)
  endCall(rollout, undefined)
  const meta = lines.find((line) => line.get('type').value === 'session_meta')?.get('payload')
  const id = meta?.get('id').string() ?? meta?.get('session_id').string()
  const source = meta?.get('source').value
  const isSubagent = meta?.get('thread_source').value === 'subagent' || (isPlainObject(source) && 'subagent' in source)
  return {
    name,
    session: id,
    agent: ['codex', meta?.get('cli_version').string() ?? ''].join(' ').trim(),
    events: rollout.events,
    unread: [...rollout.unread],
    notes: rollout.abandoned === 0 ? [] : [`left out: ${counted(rollout.abandoned, 'abandoned turn')}`],
    // Codex keeps the work of a subagent in a separate file.
    isSubagent: isSubagent || undefined,
  }
}

/**
 * Returns the messages that the user typed. Other user messages contain additions of Codex, such as its environment.
 */
function typedIn(lines: readonly SafeReader[]): ReadonlySet<string> {
  const messages = lines.map((line) => line.get('payload')).filter((one) => one.get('type').value === 'user_message')
  return new Set(messages.flatMap((one) => one.get('message').string()?.trim() ?? []))
}

function readLine(line: SafeReader, rollout: Rollout): void {
  const type = line.get('type').string() ?? 'unknown'
  const payload = line.get('payload')
  const at = line.get('timestamp').string()
  const add = (event: JournalEvent) => rollout.events.push(at === undefined ? event : { ...event, at })
  const kind = payload.get('type').string() ?? 'unknown'
  if (type === 'turn_context') rollout.model = payload.get('model').string() ?? rollout.model
  else if (type === 'response_item') readItem(payload, kind, rollout, add)
  else if (type === 'event_msg' && kind === 'token_count') readCount(payload, rollout)
  else if (type === 'event_msg' && kind === 'user_message') {
    // A typed message begins a turn.
    endCall(rollout, undefined)
    add({ type: 'prompt', text: payload.get('message').string() ?? '' })
  } else if (type === 'event_msg' && kind === 'thread_rolled_back') rollBack(payload, rollout)
  else if (type === 'event_msg' && repeated.has(kind)) return
  else if (type === 'session_meta') add({ type: 'custom', name: 'codex.session_meta', data: payload.value as Json })
  else keep(type === 'event_msg' ? `event_msg ${kind}` : type, payload, rollout, add)
}

/** Removes the last turns, which the user took back. */
function rollBack(payload: SafeReader, rollout: Rollout): void {
  endCall(rollout, undefined)
  const { events } = rollout
  for (let turns = payload.get('num_turns').number() ?? 0; turns > 0; turns -= 1) {
    const last = events.findLastIndex(({ type }) => type === 'prompt')
    if (last < 0) return
    events.splice(last)
    rollout.abandoned += 1
  }
}

type Add = (event: JournalEvent) => void

function keep(name: string, payload: SafeReader, { unread }: Rollout, add: Add): void {
  unread.add(`lines of the type ${JSON.stringify(name)}`)
  add({ type: 'custom', name: `codex.${name}`, data: (payload.value ?? null) as Json })
}

/** Output of the model. The first such event begins a model call. */
const ofModel: ReadonlySet<JournalEvent['type']> = new Set(['text', 'thinking', 'tool-call'])

function readItem(item: SafeReader, kind: string, rollout: Rollout, add: Add): void {
  const event = kind === 'message' ? messageEvent(item, rollout) : itemEvent(item, kind)
  if (event === undefined) {
    keep(`response_item ${kind}`, item, rollout, add)
    return
  }
  // The event of the typed message has the same content.
  if (event.type === 'custom' && rollout.typed.has(textsOf(item.get('content')).trim())) return
  // Reasoning is encrypted if the model does not show it.
  if (event.type === 'thinking' && event.text === '') return
  if (event.type === 'prompt') endCall(rollout, undefined)
  if (ofModel.has(event.type)) rollout.began ??= rollout.events.length
  add(event)
}

function itemEvent(item: SafeReader, kind: string): JournalEvent | undefined {
  const id = item.get('call_id').string() ?? item.get('id').string() ?? 'unknown'
  const call = (name: string, input: SafeReader): JournalEvent => {
    return { type: 'tool-call', id, name, input: argumentsOf((input.value ?? null) as Json) }
  }
  const name = () => item.get('name').string() ?? 'unknown'
  switch (kind) {
    case 'reasoning':
      return { type: 'thinking', text: textsOf(item.get('summary')) || textsOf(item.get('content')) }
    case 'function_call':
      return call(name(), item.get('arguments'))
    case 'custom_tool_call':
      return call(name(), item.get('input'))
    case 'local_shell_call':
      return call('shell', item.get('action'))
    case 'web_search_call':
      return call('web_search', item.get('action'))
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { type: 'tool-result', id, ...resultOf(item.get('output')) }
    default:
      return undefined
  }
}

function messageEvent(item: SafeReader, { typed }: Rollout): JournalEvent {
  const text = textsOf(item.get('content'))
  const role = item.get('role').string()
  if (role === 'assistant') return { type: 'text', text }
  if (role === 'user' && typed.size === 0 && !injected.test(text)) return { type: 'prompt', text }
  return { type: 'custom', name: 'system', data: { text } }
}

function textsOf(content: SafeReader): string {
  if (!content.present) return ''
  if (typeof content.value === 'string') return content.value
  return content
    .array()
    .map((part) => part.get('text').string() ?? `[${part.get('type').string() ?? 'unknown'}]`)
    .join('\n')
}

/**
 * Returns the output of a tool, and whether Codex marks it as failed, by `success` or by the exit code of a command.
 */
function resultOf(output: SafeReader): { readonly content: string; readonly failed: boolean } {
  const { value } = output
  if (typeof value !== 'string') {
    const inner = output.get('content')
    const content = textsOf(inner.present ? inner : output)
    const isFailure = !Array.isArray(value) && output.get('success').value === false
    return { content, failed: isFailure || exitCodeIn(content) !== 0 }
  }
  const code = readSafely(parseObject(value), []).get('metadata').get('exit_code').number()
  return { content: value, failed: (code ?? exitCodeIn(value)) !== 0 }
}

/** Returns the exit code in the lines that Codex writes before the output of a command; 0 if none exists. */
function exitCodeIn(text: string): number {
  const [head = ''] = text.slice(0, 400).split(/^Output:/m)
  const [, code] = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(head) ?? []
  return Number(code ?? 0)
}

/** A token count ends its model call. */
function readCount(payload: SafeReader, rollout: Rollout): void {
  const info = payload.get('info')
  const total = JSON.stringify(info.get('total_token_usage').value)
  if (!info.present || total === rollout.counted) return
  rollout.counted = total
  const usage = usageFrom(info.get('last_token_usage'), {
    inputTokens: 'input_tokens',
    cacheReadTokens: 'cached_input_tokens',
    outputTokens: 'output_tokens',
    reasoningTokens: 'reasoning_output_tokens',
    totalTokens: 'total_tokens',
  })
  rollout.began ??= rollout.events.length
  endCall(rollout, usage)
}

/** Inserts the model call before its output. */
function endCall(rollout: Rollout, usage: Usage | undefined): void {
  const { began, events, model } = rollout
  if (began === undefined) return
  const at = (events[began] ?? events.at(-1))?.at
  const call: JournalEvent = { type: 'model-call', model, usage }
  events.splice(began, 0, at === undefined ? call : { ...call, at })
  rollout.began = undefined
}
