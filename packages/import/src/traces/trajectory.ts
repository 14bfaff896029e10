import { dirname, join } from 'node:path'
import type { JournalEvent, Turn } from '@jurist/core'
import { type Spent, stepsOfEvents, totalSpent } from '@jurist/core/internal'

/** A recorded run of an agent. The data of a trial follows from its events. */
export interface Trajectory {
  /** The name of the task. Trajectories with the same name and task are repetitions of one item. */
  readonly name: string
  /** The id of the session or trace in its format. */
  readonly session?: string
  /** The trace that scores of the run belong to: the last one of a conversation. */
  readonly traceId?: string
  /** For example `codex 0.98`. */
  readonly agent?: string
  /** The events in order. A `prompt` begins a turn. */
  readonly events: readonly JournalEvent[]
  /** Totals from the trace, used for what its events do not contain. */
  readonly total?: Spent
  /** Milliseconds. Default: the time of its turns, from the first event with a time to the last one. */
  readonly elapsedMs?: number
  /** The reason why the run failed. */
  readonly failure?: string
  /** Fields without a counterpart, with their places. The journal contains them. */
  readonly unread: readonly string[]
  /** Notes for the user. */
  readonly notes: readonly string[]
  /** Whether it is the work of an agent that another agent called. */
  readonly isSubagent?: boolean
  /** The files of its subagents, relative to its own file. */
  readonly subagentFiles?: readonly string[]
  /** The file in which it continues, relative to its own file. */
  readonly nextFile?: string
}

/** The name of events for messages that were copied from an earlier session. */
export const copiedMessage = 'copied-message'

/** Splits the events into turns of the user. Events before the first prompt belong to the first turn. */
function turnsOfEvents(events: readonly JournalEvent[]): readonly (readonly JournalEvent[])[] {
  const turns: JournalEvent[][] = []
  let hasPrompt = false
  for (const event of events) {
    const last = turns.at(-1)
    if (last === undefined || (event.type === 'prompt' && hasPrompt)) turns.push([event])
    else last.push(event)
    hasPrompt ||= event.type === 'prompt'
  }
  return turns
}

/** Returns the events of a model's answer in the order of a journal. */
export function answerEvents(
  thoughts: readonly (string | null | undefined)[],
  text: string,
  calls: readonly JournalEvent[],
): readonly JournalEvent[] {
  const thinking = thoughts.flatMap((text): readonly JournalEvent[] => (text ? [{ type: 'thinking', text }] : []))
  return [...thinking, ...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls]
}

/** Converts a content to text: a string, or parts, of which non-text ones appear by their type. */
export function contentText(
  content: string | readonly { readonly type: string; readonly text?: string | null }[] | null | undefined,
): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`)).join('\n')
}

/** Returns the first message of the user. */
export function taskOf({ events }: Trajectory): string {
  const prompt = events.find((event) => event.type === 'prompt' && event.text.trim() !== '')
  return prompt?.type === 'prompt' ? prompt.text : 'The trace has no message of a user.'
}

/** Returns the agent's last text after the last message of the user; `undefined` if none exists. */
export function answerOf({ events }: Trajectory): string | undefined {
  return answerIn(turnsOfEvents(events).at(-1) ?? [])
}

function answerIn(events: readonly JournalEvent[]): string | undefined {
  const said = events.findLast((event) => event.type === 'text' && event.text.trim() !== '')
  return said?.type === 'text' ? said.text : undefined
}

/** The tokens and US dollars of the model calls. The totals are used if no call has any. */
export function spendingOf({ events, total }: Trajectory): Spent {
  return { ...total, ...spentIn(events) }
}

function spentIn(events: readonly JournalEvent[]): Spent {
  return totalSpent(events.filter((event) => event.type === 'model-call'))
}

/**
 * The milliseconds that the agent took: for each turn, from the user's message to the agent's last action. The user's
 * thinking time does not count. `undefined` if no turn has two times.
 */
export function elapsedOf({ events, elapsedMs }: Trajectory): number | undefined {
  if (elapsedMs !== undefined) return elapsedMs
  const spans = turnsOfEvents(events).flatMap(spanOf)
  return spans.length === 0 ? undefined : spans.reduce((sum, span) => sum + span)
}

/** From the user's message to the last action of the agent or a tool. Later events may belong to the next message. */
function spanOf(events: readonly JournalEvent[]): readonly number[] {
  const prompt = events.findIndex(({ type }) => type === 'prompt')
  const turn = events.slice(Math.max(0, prompt), events.findLastIndex(({ type }) => type !== 'custom') + 1)
  const times = turn.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)])).filter(Number.isFinite)
  if (times.length < 2) return []
  const last = times.reduce((most, time) => Math.max(most, time))
  return [last - times.reduce((least, time) => Math.min(least, time))]
}

/** Returns the messages of a conversation; `undefined` if the user wrote only one. */
export function conversationOf({ events }: Trajectory): readonly Turn[] | undefined {
  const history = events.flatMap(historyTurn)
  const turns = turnsOfEvents(events)
  if (turns.length < 2 && history.length === 0) return undefined
  return [...history, ...turns.flatMap(messagesOf)]
}

function historyTurn(event: JournalEvent): readonly Turn[] {
  if (event.type !== 'custom' || event.name !== copiedMessage) return []
  const { role, text } = event.data as { readonly role?: unknown; readonly text?: unknown }
  if (typeof text !== 'string' || (role !== 'user' && role !== 'agent')) return []
  return [{ role, text, isHistory: true }]
}

/** Returns the user's message and the agent's answer, if it answered or called a tool. */
function messagesOf(events: readonly JournalEvent[]): readonly Turn[] {
  const prompt = events.find(({ type }) => type === 'prompt')
  const steps = stepsOfEvents(events)
  const text = answerIn(events)
  const at = events.findLast((event) => event.at !== undefined)?.at
  const user: Turn[] = prompt?.type === 'prompt' ? [{ role: 'user', text: prompt.text, at: prompt.at }] : []
  if (text === undefined && steps === undefined) return user
  return [...user, { role: 'agent', text: text ?? '', steps, at, ...spentIn(events) }]
}

/** A trajectory with its file. */
export interface FiledTrajectory {
  readonly path: string
  readonly trajectory: Trajectory
}

/**
 * Returns the trajectories that are items, and the paths of subagents' files. A file that another one names as its
 * subagent is left out; a file that another one names as its continuation becomes part of it.
 */
export function joinedTrajectories(filed: readonly FiledTrajectory[]): {
  readonly trajectories: readonly Trajectory[]
  readonly subagents: ReadonlySet<string>
} {
  const byPath = new Map(filed.map((one) => [one.path, one]))
  const named = ({ path }: FiledTrajectory, reference: string | undefined) =>
    reference === undefined ? undefined : byPath.get(join(dirname(path), reference))
  const [subagents, continued] = [new Set<string>(), new Set<string>()]
  for (const one of filed) {
    for (const reference of one.trajectory.subagentFiles ?? []) {
      const subagent = named(one, reference)
      if (subagent !== undefined && subagent !== one) subagents.add(subagent.path)
    }
    const next = named(one, one.trajectory.nextFile)
    if (next !== undefined && next !== one) continued.add(next.path)
  }
  const whole = (first: FiledTrajectory): Trajectory => {
    const seen = new Set<FiledTrajectory>()
    let [last, joined]: [FiledTrajectory, Trajectory] = [first, first.trajectory]
    for (;;) {
      seen.add(last)
      const next = named(last, last.trajectory.nextFile)
      if (next === undefined || seen.has(next)) return withNote(joined, last.trajectory.nextFile)
      joined = joinedWith(joined, next.trajectory)
      last = next
    }
  }
  const own = filed.filter(({ path }) => !subagents.has(path) && !continued.has(path))
  return { trajectories: own.map(whole), subagents }
}

function withNote(trajectory: Trajectory, next: string | undefined): Trajectory {
  if (next === undefined) return trajectory
  const note = `it continues in ${next}, which is not among the files`
  return { ...trajectory, notes: [...trajectory.notes, note] }
}

/** Messages that a continuation copied are already known: they are kept, but do not become part of the conversation. */
function joinedWith(first: Trajectory, next: Trajectory): Trajectory {
  const events = next.events.map((event) =>
    event.type === 'custom' && event.name === copiedMessage ? { ...event, name: 'continued-context' } : event,
  )
  return {
    ...first,
    total: next.total ?? first.total,
    events: [...first.events, ...events],
    unread: [...new Set([...first.unread, ...next.unread])],
    notes: [...new Set([...first.notes, ...next.notes])],
  }
}
