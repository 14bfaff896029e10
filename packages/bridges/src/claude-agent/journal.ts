import type { JournalEvent } from '@jurist/core'
import { fromRoot } from '../coding/relative-path.js'
import type { SafeReader } from '../context/safe-reader.js'
import { readSafely } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import { answerUsage, blocksOf, contentOf } from './reading.js'

export interface ClaudeJournal {
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
