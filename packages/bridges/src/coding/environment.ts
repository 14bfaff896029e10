import type { AgentTask } from '@jurist/core'
import { allowedVariables } from '@jurist/core/internal'
import type { AgentEnvironment } from './coding-options.js'

/** Variables by name. */
export interface Variables {
  readonly [name: string]: string
}

/** The variable that every process of a run inherits; by it those are found that left the process group. */
export const markerName = 'JURIST_RUN'

/** What any program needs of its host. */
const base = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM']

/** What the environment of one call is made of. */
export interface EnvironmentParts {
  readonly given: AgentEnvironment
  readonly task: Pick<AgentTask, 'env'>
  /** What keeps the agent quiet, and the places of its settings. */
  readonly quiet: Variables
  /** Its home; absent: that of the host. */
  readonly home?: string | undefined
}

/** The whole environment of a process that is started here. Nothing else of the host is in it. */
export function processEnvironment(parts: EnvironmentParts, marker: string): Variables {
  const home = parts.home ?? process.env['HOME']
  const own = { ...allowedVariables(base, process.env), ...(home === undefined ? {} : { HOME: home }) }
  return { ...own, ...addedVariables(parts), [markerName]: marker }
}

/** What is added to the environment of a command of a workspace, which has base variables and a marker of its own. */
export function addedVariables({ given, task, quiet, home }: EnvironmentParts): Variables {
  const { allow = [], set = {} } = given
  const quieter = { CI: 'true', NO_COLOR: '1', ...quiet, ...(home === undefined ? {} : { HOME: home }) }
  return { ...allowedVariables(allow, process.env), ...quieter, ...set, ...task.env }
}
