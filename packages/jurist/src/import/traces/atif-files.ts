import { isPlainObject } from '@jurist/core/internal'
import type { Atif } from './atif-schema.js'
import type { Trajectory } from './trajectory.js'

/** The files that a trajectory names. */
export function filesOf({
  steps,
  continued_trajectory_ref: next,
}: Atif): Pick<Trajectory, 'subagentFiles' | 'nextFile'> {
  const results = steps.flatMap(({ observation }) => observation?.results ?? [])
  const references = results.flatMap(({ subagent_trajectory_ref: one }) => (Array.isArray(one) ? one : [one]))
  const paths = references.flatMap((one) => (isPlainObject(one) ? [one['trajectory_path']] : []))
  const subagentFiles = paths.filter((path) => typeof path === 'string')
  return {
    ...(subagentFiles.length === 0 ? {} : { subagentFiles }),
    ...(typeof next === 'string' ? { nextFile: next } : {}),
  }
}
