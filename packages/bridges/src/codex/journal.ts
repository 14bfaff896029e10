import type { JournalEvent } from '@jurist/core'
import type { SafeReader } from '../context/safe-reader.js'
import { readSafely } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { joinTools } from '../context/tool-execution.js'
import { toolResultOf } from '../run/invocation.js'
import type { WriteJournal } from '../run/journal.js'
import { changesIn, toolIn, usageOf } from './reading.js'

export type RecordCodex = (event: unknown) => void

/** Malformed events add no warnings here; `readCodex` adds them. */
export function codexJournal(write: WriteJournal, root: string | undefined, model: string | undefined): RecordCodex {
  const called = new Set<unknown>()
  return (value) => {
    const event = readSafely(value, [])
    const item = event.get('item')
    switch (event.get('type').value) {
      case 'thread.started':
        write({ type: 'state', state: 'session' })
        break
      case 'turn.completed':
        write(modelCall(event.get('usage'), model))
        break
      case 'item.started':
      case 'item.updated':
        writeCall(item, write, called, root)
        break
      case 'item.completed':
        writeCall(item, write, called, root)
        writeEnd(item, write, root)
        break
      case 'turn.started':
        break
      default:
        write({ type: 'custom', name: `codex.${event.get('type').string() ?? 'event'}`, data: toJson(value) })
    }
  }
}

function modelCall(usage: SafeReader, model = 'unknown'): JournalEvent {
  const counted = usageOf(usage)
  return { type: 'model-call', model, usage: counted }
}

function writeCall(item: SafeReader, write: WriteJournal, called: Set<unknown>, root: string | undefined): void {
  const tool = toolIn(item, 0, root)
  if (tool === undefined || called.has(tool.call.id)) return
  called.add(tool.call.id)
  const [execution] = joinTools([tool.call], [])
  if (execution !== undefined)
    write({ type: 'tool-call', id: execution.id, name: execution.name, input: execution.input })
}

function writeEnd(item: SafeReader, write: WriteJournal, root: string | undefined): void {
  const type = item.get('type').string()
  switch (type) {
    case 'agent_message':
      write({ type: 'text', text: item.get('text').string() ?? '' })
      break
    case 'reasoning':
      write({ type: 'thinking', text: item.get('text').string() ?? '' })
      break
    case 'todo_list':
    case 'error':
      write({ type: 'custom', name: `codex.${type}`, data: toJson(item.value) })
      break
    default:
      writeResult(item, write, root)
  }
}

const changes: { readonly [kind: string]: 'added' | 'modified' | 'removed' } = {
  add: 'added',
  update: 'modified',
  delete: 'removed',
}

function writeResult(item: SafeReader, write: WriteJournal, root: string | undefined): void {
  const tool = toolIn(item, 0, root)
  if (tool?.outcome === undefined) return
  const [execution] = joinTools([tool.call], [tool.outcome])
  const result = execution && toolResultOf(execution)
  if (result !== undefined)
    write({ type: 'tool-result', id: result.toolUseId, failed: result.failed, content: result.content })
  if (item.get('type').value !== 'file_change' || execution?.status !== 'completed') return
  const { paths } = changesIn(item, root)
  for (const [index, change] of item.get('changes').array().entries())
    write({ type: 'file', path: paths[index] ?? '', change: changes[change.get('kind').string() ?? ''] ?? 'modified' })
}
