import { fromRoot } from '../coding/relative-path.js'
import { type Look, lookInto } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import { hasEnded, inputOf, isNothing, mergedTool, nameOfTool, resultText, type ToolState } from './tool-calls.js'

/** What the answer of a run is: its last message, or all that was said. */
export type AnswerRule = 'last-message' | 'all'

/** What an agent said. */
interface Messages {
  text(chunk: string, messageId: string | undefined): void
  thinking(chunk: string): void
  /** A tool call or a plan stands between messages that have no ids. */
  boundary(): void
  /** Tells the journal what has been gathered. */
  flush(): void
  answer(rule: AnswerRule): string
}

interface Message {
  readonly id: string | undefined
  text: string
}

/** Gathers the pieces in which an agent talks. */
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
      // Without ids, what was said before the last tool call or plan is no answer.
      return last === undefined || (last.id === undefined && isAfterBoundary) ? '' : last.text
    },
  }
}

/** What was heard of one session; it is told to the journal while it is heard. */
export interface Transcript {
  /** One `session/update`. */
  update(params: unknown): void
  /** Adds what a question for permission tells of its tool. */
  asked(toolCall: unknown): ToolState
  denied(tool: ToolState): void
  /** Tells what is still to be told. */
  finish(): void
  readonly tools: ReadonlyMap<string, ToolState>
  readonly denials: readonly ToolState[]
  readonly warnings: string[]
  answer(rule: AnswerRule): string
  readonly figures: { readonly costUsd?: number; readonly contextTokens?: number }
}

/** Begins to listen. */
export function transcriptFor(write: WriteJournal, root: string): Transcript {
  const warnings: string[] = []
  const tools = new Map<string, ToolState>()
  const denials: ToolState[] = []
  const messages = messagesFor(write)
  const figures: Figures = {}
  const progress = progressFor(write, root, messages)
  const merge = (update: Look): ToolState => {
    const id = update.get('toolCallId').text() ?? `call-${tools.size + 1}`
    const state = mergedTool(id, tools.get(id), update)
    tools.set(id, state)
    return state
  }
  return {
    update: (params) => {
      const update = lookInto(params, warnings).get('update')
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
    asked: (toolCall) => merge(lookInto(toolCall, warnings)),
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
 * Tells each call once its arguments are there, and each result once. Some agents announce a call before they know its
 * arguments; what never got any is told at the end.
 */
function progressFor(write: WriteJournal, root: string, messages: Messages) {
  const told = new Set<string>()
  const isNew = (mark: string) => !told.has(mark) && told.add(mark)
  return (state: ToolState, when?: 'last') => {
    const isReady = hasEnded(state) || !isNothing(state.rawInput) || when === 'last'
    if (isReady && isNew(`call ${state.id}`)) {
      messages.flush()
      write({ type: 'tool-call', id: state.id, name: nameOfTool(state), input: inputOf(state) })
    }
    if (hasEnded(state) && isNew(`result ${state.id}`)) tellResult(write, state, root)
  }
}

interface Figures {
  costUsd?: number
  contextTokens?: number
}

/** Anything but tools. */
function hear(update: Look, messages: Messages, figures: Figures, write: WriteJournal): void {
  const kind = update.get('sessionUpdate').text()
  switch (kind) {
    case 'agent_message_chunk':
      messages.text(update.get('content').get('text').text() ?? '', update.get('messageId').text())
      break
    case 'agent_thought_chunk':
      messages.thinking(update.get('content').get('text').text() ?? '')
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

function figure(update: Look, figures: Figures): void {
  const cost = update.get('cost')
  const amount = cost.get('amount').number()
  const currency = cost.get('currency').text()
  if (amount !== undefined && amount >= 0 && currency === 'USD') figures.costUsd = amount
  else if (amount !== undefined) update.warnings.push(`cost-unknown: it is in ${currency ?? 'no currency'}`)
  const used = update.get('used').number()
  if (used !== undefined) figures.contextTokens = used
}

function tellResult(write: WriteJournal, state: ToolState, root: string): void {
  const failed = state.isDenied === true || state.status === 'failed'
  write({ type: 'tool-result', id: state.id, failed, content: resultText(state) })
  if (failed) return
  for (const { path, isNew } of state.diffs ?? [])
    write({ type: 'file', path: fromRoot(root, path), change: isNew ? 'added' : 'modified' })
}
