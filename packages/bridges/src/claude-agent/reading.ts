import type { AgentOutput, Failure, JournalEvent, Usage } from '@jurist/core'
import { endFailure } from '../coding/failures.js'
import { fromRoot, pathsFromRoot } from '../coding/relative-path.js'
import { anthropicReasons, dataOutcome, finishOf, type RunOutcome, textOutcome } from '../context/outcome.js'
import { isReadableArray, readSafely, type SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { anthropicUsage, reportedUsage, sumSteps } from '../context/usage.js'
import { isInfrastructureStatus } from '../run/classify-error.js'
import type { WriteJournal } from '../run/journal.js'

/**
 * Malformed parts are left out and add warnings.
 *
 * @param root the directory of the workspace, for paths
 */
export function readClaude(value: unknown, root?: string): RunOutcome {
  const warnings: string[] = []
  const all = isReadableArray(value) ? readSafely(value, warnings).array() : [readSafely(value, warnings)]
  const messages = all.filter((message) => typeof message.value === 'object')
  const named = (type: string) => messages.filter((message) => message.get('type').value === type)
  const nothing = readSafely(undefined, warnings)
  const result = named('result').at(-1) ?? nothing
  const init = named('system').find((message) => message.get('subtype').value === 'init') ?? nothing
  const { status, failure, truncated } = endingOf(result, messages)
  const denials = result.get('permission_denials').array()
  const denied = new Set(denials.map((denial) => denial.get('tool_use_id').value))
  const costUsd = result.get('total_cost_usd').number()
  return {
    status,
    failure,
    output: outputOf(result, named('assistant')),
    facts: {
      model: init.get('model').string(),
      sessionId: (result.present ? result : init).get('session_id').string(),
      frameworkVersion: init.get('claude_code_version').string(),
      finishReason: result.get('stop_reason').string(),
      rawFinishReason: result.get('subtype').string(),
      truncated,
      turns: result.get('num_turns').number(),
      usage: result.present ? anthropicUsage(result.get('usage')) : partialUsage(named('assistant'), warnings),
      usageReported: reportedUsage([result.get('usage')]),
      ...(costUsd === undefined ? {} : { costUsd, costBasis: 'list' as const }),
      toolExecutions: messages.length > 0 ? toolsIn(messages, denied, root) : undefined,
      permissionDenials: denials.map((denial) => ({
        tool: denial.get('tool_name').string() ?? 'unknown',
        id: denial.get('tool_use_id').string() ?? 'unknown',
      })),
      warnings,
    },
    own: {
      modelUsage: reportedUsage([result.get('modelUsage')]),
      apiMs: result.get('duration_api_ms').number(),
    },
  }
}

function outputOf(result: SafeReader, answers: readonly SafeReader[]): AgentOutput | undefined {
  const structured = result.get('structured_output')
  if (structured.present) return dataOutcome(structured.value)
  // The text of an error is not an answer.
  if (result.get('subtype').value === 'success' && result.get('is_error').value !== true)
    return textOutcome(result.get('result').string())
  const texts = answers.map((answer) =>
    blocksOf(answer, 'text')
      .map((block) => block.get('text').string() ?? '')
      .join(''),
  )
  return result.get('is_error').value === true && result.get('subtype').value === 'success'
    ? undefined
    : textOutcome(texts.findLast((text) => text !== ''))
}

/** A response is split into several messages with the same id; the last one has the full usage. */
function partialUsage(answers: readonly SafeReader[], warnings: string[]): Usage | undefined {
  const byId = new Map(
    answers.map((answer) => [answer.get('message').get('id').value, answer.get('message').get('usage')]),
  )
  if (byId.size === 0) return undefined
  warnings.push('usage-partial')
  return sumSteps([...byId.values()].map(anthropicUsage), warnings)
}

/** For the journal. */
export function answerUsage(answer: SafeReader): Usage | undefined {
  return anthropicUsage(answer.get('message').get('usage'))
}

/** Endings caused by the service, not by the agent. */
const serviceReasons: ReadonlySet<unknown> = new Set(['api_error', 'model_error', 'turn_setup_failed'])

type Ending = Pick<RunOutcome, 'status' | 'failure'> & { readonly truncated?: true }

/** `unknown` without a result message. */
function endingOf(result: SafeReader, messages: readonly SafeReader[]): Ending {
  const subtype = result.get('subtype').string()
  if (subtype === 'success' && result.get('is_error').boolean() !== true) return finished(result)
  if (subtype === 'success') return { status: 'failed', failure: serviceFailure(result, messages) }
  if (subtype === undefined || !subtype.startsWith('error_')) return { status: 'unknown' }
  if (result.get('api_error_status').present) return { status: 'failed', failure: serviceFailure(result, messages) }
  const errors = result
    .get('errors')
    .array()
    .flatMap((error) => error.string() ?? [])
  const code = subtype.slice('error_'.length).replaceAll('_', '-')
  return { status: 'failed', failure: endFailure(code, errors.join('; ') || code) }
}

function finished(result: SafeReader): Ending {
  const reason = result.get('stop_reason').string()
  return reason === undefined ? { status: 'success' } : finishOf(reason, anthropicReasons, {})
}

function serviceFailure(result: SafeReader, messages: readonly SafeReader[]): Failure {
  const reported = result.get('result').string() ?? 'no reason was given'
  const status = result.get('api_error_status').number() ?? loginStatus(messages)
  if (status !== undefined) return endFailure(`http-${status}`, reported, isInfrastructureStatus(status))
  const reason = result.get('terminal_reason').string()
  return endFailure(reason ?? 'agent-failed', reported, serviceReasons.has(reason))
}

/** Without a login no request is sent, so there is no HTTP status. */
function loginStatus(messages: readonly SafeReader[]): number | undefined {
  const isLogin = messages.some((message) => message.get('error').value === 'authentication_failed')
  return isLogin ? 401 : undefined
}

function blocksOf(message: SafeReader, type: string): readonly SafeReader[] {
  const content = message.get('message').get('content')
  return isReadableArray(content.value) ? content.array().filter((block) => block.get('type').value === type) : []
}

/** `denied` contains the ids of calls that were not allowed. */
function toolsIn(
  messages: readonly SafeReader[],
  denied: ReadonlySet<unknown>,
  root?: string,
): readonly ToolExecution[] {
  const steps = new Map<unknown, number>()
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  for (const message of messages) {
    const type = message.get('type').value
    if (type === 'assistant') {
      const id = message.get('message').get('id').value
      if (!steps.has(id)) steps.set(id, steps.size)
      for (const use of blocksOf(message, 'tool_use')) calls.push(callIn(use, message, steps.get(id) ?? 0, root))
    }
    if (type === 'user') for (const result of blocksOf(message, 'tool_result')) outcomes.push(outcomeIn(result, denied))
  }
  const answered = new Set(outcomes.map(({ id }) => id))
  const unanswered = calls.filter(({ id }) => id !== undefined && denied.has(id) && !answered.has(id))
  return joinTools(calls, [...outcomes, ...unanswered.map(({ id }) => ({ id, status: 'denied' as const }))])
}

function callIn(use: SafeReader, message: SafeReader, step: number, root: string | undefined): ToolCall {
  const input = use.get('input')
  return {
    id: use.get('id').string(),
    name: use.get('name').string(),
    kind: message.get('parent_tool_use_id').present ? 'subagent' : undefined,
    step,
    input: input.value ?? null,
    paths: pathsFromRoot(root, pathsIn(input), use.warnings),
  }
}

function pathsIn(input: SafeReader): readonly string[] {
  if (typeof input.value !== 'object') return []
  return [input.get('file_path').value, input.get('notebook_path').value].filter(
    (path): path is string => typeof path === 'string',
  )
}

function outcomeIn(result: SafeReader, denied: ReadonlySet<unknown>): ToolOutcome {
  const id = result.get('tool_use_id').string()
  const failed = result.get('is_error').boolean() === true
  const status = denied.has(id) ? 'denied' : failed ? 'failed' : 'completed'
  return { id, output: contentOf(result), status }
}

/** A string if all parts are text. */
export function contentOf(result: SafeReader): unknown {
  const content = result.get('content')
  if (!isReadableArray(content.value)) return content.value
  const parts = content.array()
  if (!parts.every((part) => part.get('type').value === 'text')) return content.value
  return parts.map((part) => part.get('text').string() ?? '').join('\n')
}

interface ClaudeJournal {
  record(message: unknown): void
  /** Writes the parts that were held back for a message that did not arrive. */
  finish(): void
}

/**
 * Malformed messages add no warnings here; `readClaude` adds them. An answer is split into several messages, of which
 * the last one has its tokens. Its parts are held back until then, with their times: in a journal the model call comes
 * first, since the steps after it are those of its turn.
 */
export function claudeJournal(write: WriteJournal, root: string | undefined): ClaudeJournal {
  let answer: SafeReader | undefined
  let held: JournalEvent[] = []
  const hold: WriteJournal = (event) => void held.push({ at: new Date().toISOString(), ...event })
  const finish = () => {
    const at = held[0]?.at
    if (answer !== undefined) write({ at, ...modelCall(answer) })
    for (const event of held) write(event)
    ;[answer, held] = [undefined, []]
  }
  return {
    record: (value) => {
      const message = readSafely(value, [])
      const idOf = (one: SafeReader | undefined) => one?.get('message').get('id').value
      switch (message.get('type').value) {
        case 'assistant':
          if (idOf(answer) !== idOf(message)) finish()
          answer = message
          writeAnswer(message, hold)
          break
        case 'user':
          finish()
          writeResults(message, write, root)
          break
        case 'result':
          finish()
          for (const _ of message.get('permission_denials').array())
            write({ type: 'state', state: 'permission-denied' })
          break
        default:
          writeOther(message, answer === undefined ? write : hold)
      }
    },
    finish,
  }
}

function modelCall(answer: SafeReader): JournalEvent {
  const usage = answerUsage(answer)
  const inner = answer.get('message')
  const finishReason = inner.get('stop_reason').string()
  return { type: 'model-call', model: inner.get('model').string() ?? 'unknown', usage, finishReason }
}

function writeAnswer(message: SafeReader, write: WriteJournal): void {
  for (const type of ['thinking', 'text', 'tool_use'])
    for (const block of blocksOf(message, type)) {
      const event = blockEvent(block)
      if (event !== undefined) write(event)
    }
}

/** `undefined` for blocks of other types. */
export function blockEvent(block: SafeReader): JournalEvent | undefined {
  switch (block.get('type').value) {
    case 'thinking':
      return { type: 'thinking', text: block.get('thinking').string() ?? '' }
    case 'text':
      return { type: 'text', text: block.get('text').string() ?? '' }
    case 'tool_use': {
      const id = block.get('id').string() ?? 'unknown'
      return {
        type: 'tool-call',
        id,
        name: block.get('name').string() ?? 'unknown',
        input: toJson(block.get('input').value),
      }
    }
    default:
      return undefined
  }
}

function writeResults(message: SafeReader, write: WriteJournal, root: string | undefined): void {
  for (const result of blocksOf(message, 'tool_result')) {
    const content = contentOf(result)
    write({
      type: 'tool-result',
      id: result.get('tool_use_id').string() ?? 'unknown',
      failed: result.get('is_error').boolean() === true,
      content: typeof content === 'string' ? content : JSON.stringify(toJson(content)),
    })
  }
  // Claude Code hands over the instructions of a skill in a message of the user.
  for (const block of blocksOf(message, 'text'))
    write({ type: 'custom', name: 'claude.user', data: block.get('text').string() ?? '' })
  const file = message.get('tool_use_result')
  const path = typeof file.value === 'object' ? file.get('filePath').string() : undefined
  // Only a change has a patch; a read does not.
  if (path === undefined || !file.get('structuredPatch').present) return
  write({
    type: 'file',
    path: fromRoot(root, path),
    change: file.get('type').value === 'create' ? 'added' : 'modified',
  })
}

function writeOther(message: SafeReader, write: WriteJournal): void {
  const [type, subtype] = [message.get('type').string() ?? 'message', message.get('subtype').string()]
  if (subtype === 'init') write({ type: 'state', state: 'session' })
  write({ type: 'custom', name: `claude.${subtype ?? type}`, data: toJson(message.value) })
}
