import { fromRoot } from '../coding/inside.js'
import type { Look } from '../context/look.js'
import { lookInto } from '../context/look.js'
import { toJson } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import type { AnswerRule, Messages } from './messages.js'
import { messagesFor } from './messages.js'
import type { ToolState } from './tool-state.js'
import { hasEnded, inputOf, isNothing, mergedTool, nameOfTool, resultText } from './tool-state.js'

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
