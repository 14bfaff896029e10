import { answerUsage, blockEvent, contentOf, readSafely, type SafeReader } from '@jurist/bridges/internal'
import type { JournalEvent, Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { counted } from '@jurist/experiment/internal/results'
import type { TraceDocument } from './trace-files.js'
import type { Trajectory } from './trajectory.js'

/** The state while a session is read. */
interface Session {
  readonly events: JournalEvent[]
  /** The last line of each response, which contains its total usage: Claude Code writes a line for each block. */
  readonly lastLines: ReadonlyMap<unknown, SafeReader>
  readonly begun: Set<unknown>
  readonly unread: Set<string>
  subagentLines: number
  /** Whether every line belongs to a subagent. Claude Code keeps the work of a subagent in a separate file. */
  readonly isSubagent: boolean
}

/** Converts the lines of a session file of Claude Code (`~/.claude/projects/*.jsonl`) to events. */
export function readClaudeSession(documents: readonly TraceDocument[], name: string, warnings: string[]): Trajectory {
  const all = documents.map(({ value, place }) => readSafely(value, warnings, place))
  const { lines, abandoned } = conversationOf(all)
  const answers = lines.filter((line) => line.get('type').value === 'assistant')
  const said = lines.filter((line) => ['user', 'assistant'].includes(String(line.get('type').value)))
  const isSubagent = said.length > 0 && said.every((line) => line.get('isSidechain').value === true)
  const session: Session = {
    events: [],
    lastLines: new Map(answers.map((line) => [line.get('message').get('id').value, line])),
    begun: new Set(),
    unread: new Set(),
    subagentLines: 0,
    isSubagent,
  }
  for (const line of lines) readLine(line, session)
  const first = (field: string) =>
    lines
      .map((line) => line.get(field))
      .find(({ present }) => present)
      ?.string()
  const { unread, subagentLines } = session
  return {
    name,
    session: first('sessionId'),
    agent: ['claude-code', first('version') ?? ''].join(' ').trim(),
    events: withoutOwnCommands(session.events),
    unread: [...unread],
    notes: [
      ...(subagentLines === 0 ? [] : ['the work of subagents is in the journal; its tokens and tools do not count']),
      ...(abandoned === 0 ? [] : [`left out: ${counted(abandoned, 'abandoned branch', 'abandoned branches')}`]),
    ],
    isSubagent: isSubagent || undefined,
  }
}

/**
 * Returns the lines of the conversation that ends with the last message. A prompt that was edited or abandoned stays in
 * the file with its answers, on branches that the conversation does not contain.
 */
function conversationOf(all: readonly SafeReader[]): {
  readonly lines: readonly SafeReader[]
  readonly abandoned: number
} {
  const uuidOf = (line: SafeReader) => line.get('uuid').value
  const isMain = (line: SafeReader) => line.get('isSidechain').value !== true && typeof uuidOf(line) === 'string'
  const main = all.filter(isMain)
  const byUuid = new Map(main.map((line) => [uuidOf(line), line]))
  const before = new Map(main.map((line, index) => [line, main[index - 1]]))
  const parentOf = (line: SafeReader): SafeReader | undefined => {
    const parent = line.get('parentUuid').value ?? line.get('logicalParentUuid').value
    const known = byUuid.get(parent)
    // A summary of earlier messages begins a new chain, and so does a session whose beginning was cut off.
    const continues = line.get('isCompactSummary').value === true || line.get('subtype').value === 'compact_boundary'
    return known ?? (continues || typeof parent === 'string' ? before.get(line) : undefined)
  }
  const kept = new Set<SafeReader>()
  const isMessage = (line: SafeReader) => ['user', 'assistant'].includes(String(line.get('type').value))
  for (let line = main.findLast(isMessage); line !== undefined && !kept.has(line); line = parentOf(line)) kept.add(line)
  if (kept.size === 0) return { lines: all, abandoned: 0 }
  // If an answer has several tool calls, only one block or result is on the chain. The others belong to it too.
  const idOf = (line: SafeReader) => line.get('message').get('id').value
  const answers: ReadonlySet<unknown> = new Set(
    [...kept].map(idOf).flatMap((id) => (typeof id === 'string' ? [id] : [])),
  )
  for (const line of main) if (answers.has(idOf(line))) kept.add(line)
  const calls = new Set([...kept].flatMap((line) => blockValues(line, 'tool_use', 'id')))
  for (const line of main)
    if (blockValues(line, 'tool_result', 'tool_use_id').some((id) => calls.has(id))) kept.add(line)
  const branches = new Map<SafeReader, boolean>()
  const isAbandoned = (line: SafeReader): boolean => {
    const chain: SafeReader[] = []
    let at: SafeReader | undefined = line
    for (; at !== undefined && !kept.has(at) && !branches.has(at) && !chain.includes(at); at = parentOf(at))
      chain.push(at)
    // A line that is not a message, such as a note of the program, belongs to the message before it.
    let isLost = at === undefined || branches.get(at) === true
    for (const one of chain.reverse()) {
      isLost ||= isMessage(one)
      branches.set(one, isLost)
    }
    return branches.get(line) === true
  }
  const lost = new Set(main.filter((line) => !kept.has(line) && isAbandoned(line)))
  const roots = [...lost].filter((line) => {
    const parent = parentOf(line)
    return parent === undefined || !lost.has(parent)
  })
  return { lines: all.filter((line) => !lost.has(line)), abandoned: roots.length }
}

/** Returns a field of all blocks of one type in the message of a line. */
function blockValues(line: SafeReader, type: string, field: string): readonly unknown[] {
  const { value } = line.get('message').get('content')
  if (!Array.isArray(value)) return []
  return value.flatMap((block: unknown) => (isPlainObject(block) && block['type'] === type ? [block[field]] : []))
}

/** Matches a user message that is a command, such as `/exit`. */
const command = /<command-name>\s*(\S[^<]*?)\s*<\/command-name>/

/** Matches messages that Claude Code writes in the user's name about terminal commands, tasks and itself. */
const written =
  /^\s*(Caveat: The messages below|<(local-command-|bash-(stdout|stderr)|task-notification|system-reminder))/

/**
 * A command without an answer of a model, such as `/exit` or `/cost`, is handled by Claude Code and does not begin a
 * turn.
 */
function withoutOwnCommands(events: readonly JournalEvent[]): readonly JournalEvent[] {
  let isAnswered = false
  return events
    .toReversed()
    .map((event): JournalEvent => {
      const wasAnswered = isAnswered
      if (event.type === 'prompt' || event.type === 'model-call') isAnswered = event.type === 'model-call'
      if (event.type !== 'prompt' || wasAnswered || !command.test(event.text)) return event
      const { text, at } = event
      return { type: 'custom', name: 'system', data: { text }, at }
    })
    .toReversed()
}

function readLine(line: SafeReader, session: Session): void {
  const type = line.get('type').string() ?? 'unknown'
  const at = line.get('timestamp').string()
  const add = (event: JournalEvent) => session.events.push(at === undefined ? event : { ...event, at })
  if (line.get('isSidechain').value === true && !session.isSubagent) {
    session.subagentLines += 1
    add({ type: 'custom', name: 'claude.subagent', data: line.value as Json })
  } else if (type === 'assistant') readAnswer(line, session, add)
  else if (type === 'user') readUser(line, add)
  else {
    session.unread.add(`lines of the type ${JSON.stringify(type)}`)
    add({ type: 'custom', name: `claude.${type}`, data: line.value as Json })
  }
}

type Add = (event: JournalEvent) => void

function readAnswer(line: SafeReader, { lastLines, begun, unread }: Session, add: Add): void {
  const message = line.get('message')
  const id = message.get('id').value ?? line
  const model = message.get('model').string() ?? 'unknown'
  // Messages that Claude Code makes itself, such as that of an error, are not answers of a model.
  if (!begun.has(id) && model !== '<synthetic>') {
    const usage = answerUsage(lastLines.get(id) ?? line)
    add({ type: 'model-call', model, usage })
  }
  begun.add(id)
  for (const block of message.get('content').array()) {
    const event = blockEvent(block)
    const type = block.get('type').string() ?? 'unknown'
    if (event === undefined) unread.add(`blocks of the type ${JSON.stringify(type)}`)
    add(event ?? { type: 'custom', name: `claude.${type}`, data: block.value as Json })
  }
}

function readUser(line: SafeReader, add: Add): void {
  const content = line.get('message').get('content')
  const isMeta = line.get('isMeta').value === true || line.get('isCompactSummary').value === true
  const blocks = typeof content.value === 'string' ? [] : content.array()
  const ofType = (type: string) => blocks.filter((block) => block.get('type').value === type)
  const results = ofType('tool_result')
  for (const result of results) {
    const content = contentOf(result) ?? ''
    add({
      type: 'tool-result',
      id: result.get('tool_use_id').string() ?? 'unknown',
      failed: result.get('is_error').value === true,
      content: typeof content === 'string' ? content : JSON.stringify(content),
    })
  }
  const text =
    typeof content.value === 'string'
      ? content.value
      : ofType('text')
          .map((block) => block.get('text').string() ?? '')
          .join('\n')
  if (text === '') return
  // Claude Code adds these messages to the context; the user did not write them.
  if (isMeta || results.length > 0 || written.test(text)) add({ type: 'custom', name: 'system', data: { text } })
  else add({ type: 'prompt', text })
}
