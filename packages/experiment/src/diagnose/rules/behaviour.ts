import type { JournalEvent } from '@jurist/core'
import { fileEdits } from '../../journal/file-edits.js'
import { pathIn, toolAction } from '../../journal/tool-calls.js'
import { counted } from '../../result/amounts.js'
import type { DiagnosticRule } from '../diagnosis.js'
import { rule } from './rule.js'

const often = 3

export const repeatedError: DiagnosticRule = rule({
  id: 'repeated-error',
  description: 'The agent hit the same error three times or more.',
  category: 'execution',
  explain({ events = [] }) {
    const [error, times] = mostFrequentError(events)
    return times < often ? null : `The same error ${times} times: ${error}`
  },
  remedy: {
    target: 'agent',
    action: 'change',
    summary: 'Tell the agent how to deal with the error.',
    detail:
      'An error that comes back is a tool used wrongly or a thing that is missing: name the way around it in the prompt.',
    confidence: 'medium',
  },
})

function mostFrequentError(events: readonly JournalEvent[]): readonly [error: string, times: number] {
  const times = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'tool-result' || !event.failed) continue
    const line = event.content.trim().split('\n', 1)[0]?.slice(0, 150) ?? ''
    if (line !== '') times.set(line, (times.get(line) ?? 0) + 1)
  }
  return [...times].reduce<readonly [string, number]>((most, one) => (one[1] > most[1] ? one : most), ['', 0])
}

export const loop: DiagnosticRule = rule({
  id: 'loop',
  description: 'The agent repeated the same calls without making progress.',
  category: 'execution',
  explain({ trajectory }) {
    const found = trajectory?.loops.find(({ kind }) => kind !== 'productive')
    return found === undefined ? null : `${found.repeats} rounds of ${found.pattern.join(', ')} (${found.kind}).`
  },
  remedy: {
    target: 'agent',
    action: 'change',
    summary: 'Stop the agent from repeating what changes nothing.',
    detail: 'Limit how often the same call may be made, or have it say what it learned before it calls again.',
    confidence: 'medium',
  },
})

export const readWithoutWrite: DiagnosticRule = rule({
  id: 'read-without-write',
  description: 'The agent read and searched but changed nothing.',
  category: 'planning',
  explain({ trajectory, item: { detail } }) {
    // The tools of a conversation change a state of their own, which no file shows.
    const isConversation = detail?.kind === 'agent' && (detail.invocation.turns ?? []).length > 0
    if (trajectory === null || trajectory.firstWriteAt !== null || isConversation) return null
    const looked = (trajectory.counts['read'] ?? 0) + (trajectory.counts['search'] ?? 0)
    return looked === 0 ? null : `${counted(looked, 'call')} to read or search, no write.`
  },
  remedy: {
    target: 'prompt',
    action: 'change',
    summary: 'Have the agent plan what to change before it looks around.',
    detail: 'Orientation used up its turns: ask for a plan first, or give a map of the project.',
    confidence: 'medium',
  },
})

/** The agent did not run its changes. */
export const editedUntested: DiagnosticRule = rule({
  id: 'edited-untested',
  description: 'The agent changed files and tried nothing afterwards.',
  category: 'execution',
  explain({ trajectory, events }) {
    if (trajectory === null || trajectory.firstWriteAt === null) return null
    // A tool such as "create_order" is named like one that writes, and changes no file.
    const editsFiles = (event: JournalEvent) =>
      event.type === 'tool-call' &&
      toolAction(event) === 'write' &&
      (pathIn(event.input) !== undefined || fileEdits(event.input).length > 0)
    if (events?.some(editsFiles) === false) return null
    const tries = (state: string) => state === 'test' || state === 'run'
    const after = trajectory.sequence.slice(trajectory.sequence.lastIndexOf('write'))
    return after.some(tries) ? null : 'The last change was never tried.'
  },
  remedy: {
    target: 'prompt',
    action: 'add',
    summary: 'Ask the agent to test its last change.',
    detail: 'Name the command in the prompt, or wrap the agent in selfHealing.',
    confidence: 'medium',
  },
})
