import type { JournalEvent } from '@jurist/core'
import { fromRoot } from '../coding/relative-path.js'
import type { Look } from '../context/safe-reader.js'
import { lookInto } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import type { WriteJournal } from '../run/journal.js'
import { answerUsage, blocksOf, contentOf } from './reading.js'

/** Tells messages to the journal as they arrive. */
export interface ClaudeJournal {
  tell(message: unknown): void
  /** Tells what waits for a message that did not come. */
  finish(): void
}

/** A journal of one run. What is strange in a message is named by the reading of the whole run, not here. */
export function claudeJournal(write: WriteJournal, root: string | undefined): ClaudeJournal {
  let answer: Look | undefined
  const finish = () => {
    if (answer !== undefined) write(modelCall(answer))
    answer = undefined
  }
  return {
    tell: (value) => {
      const message = lookInto(value, [])
      const idOf = (one: Look | undefined) => one?.get('message').get('id').value
      switch (message.get('type').value) {
        case 'assistant':
          if (idOf(answer) !== idOf(message)) finish()
          answer = message
          tellAnswer(message, write)
          break
        case 'user':
          finish()
          tellResults(message, write, root)
          break
        case 'result':
          finish()
          for (const _ of message.get('permission_denials').list()) write({ type: 'state', state: 'permission-denied' })
          break
        default:
          tellOther(message, write)
      }
    },
    finish,
  }
}

function modelCall(answer: Look): JournalEvent {
  const usage = answerUsage(answer)
  const inner = answer.get('message')
  const finishReason = inner.get('stop_reason').text()
  return {
    type: 'model-call',
    model: inner.get('model').text() ?? 'unknown',
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason === undefined ? {} : { finishReason }),
  }
}

function tellAnswer(message: Look, write: WriteJournal): void {
  for (const block of blocksOf(message, 'thinking'))
    write({ type: 'thinking', text: block.get('thinking').text() ?? '' })
  for (const block of blocksOf(message, 'text')) write({ type: 'text', text: block.get('text').text() ?? '' })
  for (const block of blocksOf(message, 'tool_use'))
    write({
      type: 'tool-call',
      id: block.get('id').text() ?? 'unknown',
      name: block.get('name').text() ?? 'unknown',
      input: toJson(block.get('input').value),
    })
}

function tellResults(message: Look, write: WriteJournal, root: string | undefined): void {
  for (const result of blocksOf(message, 'tool_result')) {
    const content = contentOf(result)
    write({
      type: 'tool-result',
      id: result.get('tool_use_id').text() ?? 'unknown',
      failed: result.get('is_error').flag() === true,
      content: typeof content === 'string' ? content : JSON.stringify(toJson(content)),
    })
  }
  const file = message.get('tool_use_result')
  const path = typeof file.value === 'object' ? file.get('filePath').text() : undefined
  // Only what was changed has a patch; a file that was read has none.
  if (path === undefined || !file.get('structuredPatch').present) return
  write({
    type: 'file',
    path: fromRoot(root, path),
    change: file.get('type').value === 'create' ? 'added' : 'modified',
  })
}

function tellOther(message: Look, write: WriteJournal): void {
  const [type, subtype] = [message.get('type').text() ?? 'message', message.get('subtype').text()]
  if (subtype === 'init') write({ type: 'state', state: 'session' })
  else write({ type: 'custom', name: `claude.${subtype ?? type}`, data: toJson(message.value) })
}
