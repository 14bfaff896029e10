import { dirname, join } from 'node:path'
import type { JournalEvent, Turn } from '@jurist/core'
import { type Spent, stepsOfEvents, totalSpent } from '@jurist/core/internal'

/** One run of an agent as a trace recorded it. What a trial stores follows from its events. */
export interface Trajectory {
  /** What the run is of: trajectories with the same name and task are repetitions of one item. */
  readonly name: string
  /** The session or trace, as its format names it. */
  readonly session?: string
  /** The trace that scores of the run belong to: the last one of a conversation. */
  readonly traceId?: string
  /** Such as `codex 0.98`. */
  readonly agent?: string
  /** In order. A `prompt` begins a turn. */
  readonly events: readonly JournalEvent[]
  /** What the trace says of the whole. Used where its events say nothing. */
  readonly total?: Spent
  /** Milliseconds. Default: the time of its turns, from the first event with a time to the last one. */
  readonly elapsedMs?: number
  /** How the run failed. */
  readonly failure?: string
  /** Fields without a counterpart, with their places. They are in the journal. */
  readonly unread: readonly string[]
  /** What else the reader must know. */
  readonly notes: readonly string[]
  /** It is the work of an agent that another one called. */
  readonly isSubagent?: boolean
  /** The files of the subagents that it names, relative to its own. */
  readonly subagentFiles?: readonly string[]
  /** The file in which it continues, relative to its own. */
  readonly nextFile?: string
}

/** The name of events that hold a message of a context that was copied from an earlier session. */
export const copiedMessage = 'copied-message'

/** The events of each turn of the user; those before the first prompt belong to the first turn. */
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

/** What a model answered, in the order in which a journal has it. */
export function answerEvents(
  thoughts: readonly (string | null | undefined)[],
  text: string,
  calls: readonly JournalEvent[],
): readonly JournalEvent[] {
  const thinking = thoughts.flatMap((text): readonly JournalEvent[] => (text ? [{ type: 'thinking', text }] : []))
  return [...thinking, ...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls]
}

/** A content as text: a string, or parts of which those that are not text are named. */
export function contentText(
  content: string | readonly { readonly type: string; readonly text?: string | null }[] | null | undefined,
): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : `[${type}]`)).join('\n')
}

/** The first message of the user. */
export function taskOf({ events }: Trajectory): string {
  const prompt = events.find((event) => event.type === 'prompt' && event.text.trim() !== '')
  return prompt?.type === 'prompt' ? prompt.text : 'The trace has no message of a user.'
}

/** The last thing that the agent said after the last message of the user; `undefined` where it said nothing. */
export function answerOf({ events }: Trajectory): string | undefined {
  return answerIn(turnsOfEvents(events).at(-1) ?? [])
}

function answerIn(events: readonly JournalEvent[]): string | undefined {
  const said = events.findLast((event) => event.type === 'text' && event.text.trim() !== '')
  return said?.type === 'text' ? said.text : undefined
}

/** Tokens and US dollars of the model calls; of the whole, where no call says them. */
export function spendingOf({ events, total }: Trajectory): Spent {
  return { ...total, ...spentIn(events) }
}

function spentIn(events: readonly JournalEvent[]): Spent {
  return totalSpent(events.filter((event) => event.type === 'model-call'))
}

/**
 * Milliseconds that the agent took: of each turn, from what the user said to what the agent did last. How long the user thought in between does not
 * count. `undefined` where no turn has two times.
 */
export function elapsedOf({ events, elapsedMs }: Trajectory): number | undefined {
  if (elapsedMs !== undefined) return elapsedMs
  const spans = turnsOfEvents(events).flatMap(spanOf)
  return spans.length === 0 ? undefined : spans.reduce((sum, span) => sum + span)
}

/** From the message of the user to the last thing that the agent or a tool did. What follows may belong to the next message. */
function spanOf(events: readonly JournalEvent[]): readonly number[] {
  const prompt = events.findIndex(({ type }) => type === 'prompt')
  const turn = events.slice(Math.max(0, prompt), events.findLastIndex(({ type }) => type !== 'custom') + 1)
  const times = turn.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)])).filter(Number.isFinite)
  if (times.length < 2) return []
  const last = times.reduce((most, time) => Math.max(most, time))
  return [last - times.reduce((least, time) => Math.min(least, time))]
}

/** The messages of a conversation; `undefined` where the user said one thing only. */
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

/** What the user said, and what the agent answered; nothing where it answered nothing and called nothing. */
function messagesOf(events: readonly JournalEvent[]): readonly Turn[] {
  const prompt = events.find(({ type }) => type === 'prompt')
  const steps = stepsOfEvents(events)
  const text = answerIn(events)
  const at = events.findLast((event) => event.at !== undefined)?.at
  const user: Turn[] = prompt?.type === 'prompt' ? [{ role: 'user', text: prompt.text, at: prompt.at }] : []
  if (text === undefined && steps === undefined) return user
  return [...user, { role: 'agent', text: text ?? '', steps, at, ...spentIn(events) }]
}

/** A trajectory, and the file that it is of. */
export interface FiledTrajectory {
  readonly path: string
  readonly trajectory: Trajectory
}

/**
 * The trajectories that are items, with the paths of others. Files that another one names as its subagents are left out; a file that
 * another one names as its continuation is a part of that one.
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

/** What a continuation copied was said before: it is kept, and is no part of the conversation. */
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
