import { dirname, join } from 'node:path'
import { copiedMessage, type Trajectory } from './trajectory.js'

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
    ...(next.total === undefined ? {} : { total: next.total }),
    events: [...first.events, ...events],
    unread: [...new Set([...first.unread, ...next.unread])],
    notes: [...new Set([...first.notes, ...next.notes])],
  }
}
