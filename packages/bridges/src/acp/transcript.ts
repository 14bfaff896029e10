import type { Json } from '@jurist/core'
import { fromRoot, pathsFromRoot } from '../coding/relative-path.js'
import { readSafely, type SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import type { WriteJournal } from '../run/journal.js'
import type { AcpToolCallUpdate } from './shape.js'

interface FileDiff {
  readonly path: string
  readonly isNew: boolean
}

/** Each message adds to it. */
interface ToolState {
  readonly id: string
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly kind?: string | undefined
  readonly status?: string | undefined
  readonly rawInput?: unknown
  readonly rawOutput?: unknown
  readonly text?: string | undefined
  readonly paths?: readonly string[] | undefined
  readonly diffs?: readonly FileDiff[] | undefined
  readonly isDenied?: boolean
}

/** Parts that the message lacks stay unchanged. */
function mergedTool(id: string, earlier: ToolState | undefined, update: SafeReader): ToolState {
  const content = update.get('content')
  const read = {
    name: update.get('name').string(),
    title: update.get('title').string(),
    kind: update.get('kind').string(),
    status: update.get('status').string(),
    rawInput: update.get('rawInput').value,
    rawOutput: update.get('rawOutput').value,
    text: content.present ? textIn(content) : undefined,
    diffs: content.present ? diffsIn(content) : undefined,
    paths: update.get('locations').present ? locationsIn(update) : undefined,
  }
  const known = Object.entries(read).filter(([, part]) => part !== undefined)
  return { ...earlier, id, ...Object.fromEntries(known) }
}

function textIn(content: SafeReader): string | undefined {
  const texts = content
    .array()
    .flatMap((part) => (part.get('type').value === 'content' ? (part.get('content').get('text').string() ?? []) : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

function diffsIn(content: SafeReader): readonly FileDiff[] | undefined {
  const diffs = content.array().flatMap((part) => {
    const path = part.get('type').value === 'diff' ? part.get('path').string() : undefined
    return path === undefined ? [] : [{ path, isNew: !part.get('oldText').present }]
  })
  return diffs.length === 0 ? undefined : diffs
}

function locationsIn(update: SafeReader): readonly string[] {
  return update
    .get('locations')
    .array()
    .flatMap((location) => location.get('path').string() ?? [])
}

function hasEnded({ status, isDenied }: ToolState): boolean {
  return isDenied === true || status === 'completed' || status === 'failed'
}

/** The arguments, else the title: some agents do not report arguments. */
function inputOf({ rawInput, title }: ToolState): Json {
  return toJson(rawInput ?? { title: title ?? '' })
}

/** Some agents announce a call before its arguments. */
function isNothing(rawInput: unknown): boolean {
  if (rawInput === undefined || rawInput === null) return true
  return typeof rawInput === 'object' && Object.keys(rawInput).length === 0
}

/** The name, else the kind: some agents do not report names. */
export function nameOfTool({ name, kind }: ToolState): string {
  return name ?? kind ?? 'unknown'
}

/** Includes the parts of earlier messages. */
export function asUpdate({ id, title, kind, status, rawInput, paths, diffs }: ToolState): AcpToolCallUpdate {
  const all = [...new Set([...(paths ?? []), ...(diffs ?? []).map(({ path }) => path)])]
  return { toolCallId: id, title, kind, status, rawInput, locations: all.map((path) => ({ path })) }
}

/** In the order of their first messages. */
export function executionsOf(
  tools: Iterable<ToolState>,
  root: string | undefined,
  warnings: string[],
): readonly ToolExecution[] {
  const states = [...tools]
  const calls = states.map((state, step): ToolCall => {
    const paths = [...new Set([...(state.paths ?? []), ...(state.diffs ?? []).map(({ path }) => path)])]
    const { id, kind } = state
    return {
      id,
      name: nameOfTool(state),
      kind,
      step,
      input: inputOf(state),
      paths: pathsFromRoot(root, paths, warnings),
    }
  })
  return joinTools(calls, states.filter(hasEnded).map(outcomeOf))
}

function outcomeOf({ id, rawOutput, text, status, isDenied }: ToolState): ToolOutcome {
  const output = isNothing(rawOutput) ? text : rawOutput
  return { id, output, status: isDenied === true ? 'denied' : status === 'failed' ? 'failed' : 'completed' }
}

/** For the journal. */
function resultText({ rawOutput, text }: ToolState): string {
  if (text !== undefined) return text
  if (isNothing(rawOutput)) return ''
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(toJson(rawOutput))
}

/** Which messages are the output of a run: the last one, or all. */
export type AnswerRule = 'last-message' | 'all'

interface Messages {
  text(chunk: string, messageId: string | undefined): void
  thinking(chunk: string): void
  /** A tool call or plan, which separates messages without ids. */
  boundary(): void
  flush(): void
  answer(rule: AnswerRule): string
}

interface Message {
  readonly id: string | undefined
  text: string
}

function messagesFor(write: WriteJournal): Messages {
  const messages: Message[] = []
  const gathered = { type: 'text' as 'text' | 'thinking', text: '' }
  let isOpen = false
  let isAfterBoundary = false
  let last: Message | undefined
  const flush = () => {
    if (gathered.text !== '') write({ type: gathered.type, text: gathered.text })
    gathered.text = ''
  }
  const gather = (type: 'text' | 'thinking', chunk: string) => {
    if (gathered.type !== type) flush()
    gathered.type = type
    gathered.text += chunk
  }
  return {
    text: (chunk, id) => {
      gather('text', chunk)
      const known = id === undefined ? (isOpen ? last : undefined) : messages.find((one) => one.id === id)
      last = known ?? { id, text: '' }
      if (known === undefined) messages.push(last)
      last.text += chunk
      isOpen = true
      isAfterBoundary = false
    },
    thinking: (chunk) => gather('thinking', chunk),
    boundary: () => {
      isOpen = false
      isAfterBoundary = true
    },
    flush,
    answer: (rule) => {
      if (rule === 'all') return messages.map(({ text }) => text).join('')
      // Without ids, text before the last tool call or plan is not the answer.
      return last === undefined || (last.id === undefined && isAfterBoundary) ? '' : last.text
    },
  }
}

/** Written to the journal as it arrives. */
export interface Transcript {
  update(params: unknown): void
  /** Adds the tool call of a permission request. */
  asked(toolCall: unknown): ToolState
  denied(tool: ToolState): void
  finish(): void
  readonly tools: ReadonlyMap<string, ToolState>
  readonly denials: readonly ToolState[]
  readonly warnings: string[]
  answer(rule: AnswerRule): string
  readonly figures: { readonly costUsd?: number; readonly contextTokens?: number }
}

export function transcriptFor(write: WriteJournal, root: string): Transcript {
  const warnings: string[] = []
  const tools = new Map<string, ToolState>()
  const denials: ToolState[] = []
  const messages = messagesFor(write)
  const figures: Figures = {}
  const progress = progressFor(write, root, messages)
  const merge = (update: SafeReader): ToolState => {
    const id = update.get('toolCallId').string() ?? `call-${tools.size + 1}`
    const state = mergedTool(id, tools.get(id), update)
    tools.set(id, state)
    return state
  }
  return {
    update: (params) => {
      const update = readSafely(params, warnings).get('update')
      switch (update.get('sessionUpdate').value) {
        case 'tool_call':
          messages.boundary()
          progress(merge(update))
          break
        case 'tool_call_update':
          progress(merge(update))
          break
        default:
          hear(update, messages, figures, write)
      }
    },
    asked: (toolCall) => merge(readSafely(toolCall, warnings)),
    denied: (state) => {
      const denied = { ...state, isDenied: true }
      tools.set(state.id, denied)
      denials.push(denied)
      write({ type: 'state', state: 'permission-denied' })
      progress(denied)
    },
    finish: () => {
      messages.flush()
      for (const state of tools.values()) progress(state, 'last')
    },
    tools,
    denials,
    warnings,
    answer: (rule) => messages.answer(rule),
    figures,
  }
}

/**
 * Writes each call when its arguments are known, and each result once. Some agents announce a call before its arguments;
 * calls that never get arguments are written at the end.
 */
function progressFor(write: WriteJournal, root: string, messages: Messages) {
  const written = new Set<string>()
  const isNew = (mark: string) => !written.has(mark) && written.add(mark)
  return (state: ToolState, when?: 'last') => {
    const isReady = hasEnded(state) || !isNothing(state.rawInput) || when === 'last'
    if (isReady && isNew(`call ${state.id}`)) {
      messages.flush()
      write({ type: 'tool-call', id: state.id, name: nameOfTool(state), input: inputOf(state) })
    }
    if (hasEnded(state) && isNew(`result ${state.id}`)) writeResult(write, state, root)
  }
}

interface Figures {
  costUsd?: number
  contextTokens?: number
}

function hear(update: SafeReader, messages: Messages, figures: Figures, write: WriteJournal): void {
  const kind = update.get('sessionUpdate').string()
  switch (kind) {
    case 'agent_message_chunk':
      messages.text(update.get('content').get('text').string() ?? '', update.get('messageId').string())
      break
    case 'agent_thought_chunk':
      messages.thinking(update.get('content').get('text').string() ?? '')
      break
    case 'usage_update':
      figure(update, figures)
      break
    case 'user_message_chunk':
      break
    default:
      if (kind === 'plan') messages.boundary()
      messages.flush()
      write({ type: 'custom', name: `acp.${kind ?? 'update'}`, data: toJson(update.value) })
  }
}

function figure(update: SafeReader, figures: Figures): void {
  const cost = update.get('cost')
  const amount = cost.get('amount').number()
  const currency = cost.get('currency').string()
  if (amount !== undefined && amount >= 0 && currency === 'USD') figures.costUsd = amount
  else if (amount !== undefined) update.warnings.push(`cost-unknown: it is in ${currency ?? 'no currency'}`)
  const used = update.get('used').number()
  if (used !== undefined) figures.contextTokens = used
}

function writeResult(write: WriteJournal, state: ToolState, root: string): void {
  const failed = state.isDenied === true || state.status === 'failed'
  write({ type: 'tool-result', id: state.id, failed, content: resultText(state) })
  if (failed) return
  for (const { path, isNew } of state.diffs ?? [])
    write({ type: 'file', path: fromRoot(root, path), change: isNew ? 'added' : 'modified' })
}
