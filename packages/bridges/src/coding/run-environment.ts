import type { AgentTask } from '@jurist/core'
import type { AgentEnvironment } from './coding-options.js'
import { scratchDirectory } from './scratch-home.js'

/** The variables of one call, and what has to be taken away after it. */
export interface RunEnvironment extends AsyncDisposable {
  readonly variables: { readonly [name: string]: string }
  /** The folder that `HOME` names; `undefined`: that of the host. */
  readonly home: string | undefined
}

/**
 * The variables that a call through `workspace.run` adds to the base list of the workspace: those of the host that are
 * allowed by name, `CI` and `NO_COLOR`, `HOME`, what is set, those of the task, and `JURIST_RUN`, a random mark by which
 * whatever the call leaves behind can be found. Later ones win.
 *
 * @param quiet variables that keep the agent from asking or reporting, given its home
 */
export async function runEnvironment(
  { allow = [], set = {}, home = 'scratch' }: AgentEnvironment,
  { env = {} }: Pick<AgentTask, 'env'>,
  quiet: (home: string | undefined) => { readonly [name: string]: string } = () => ({}),
): Promise<RunEnvironment> {
  const scratch = home === 'scratch' ? await scratchDirectory('home') : undefined
  const path = scratch?.path ?? (home === 'host' ? undefined : home)
  const host = Object.fromEntries(
    allow.flatMap((name): readonly (readonly [string, string])[] => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    variables: {
      ...host,
      CI: 'true',
      NO_COLOR: '1',
      ...(path === undefined ? {} : { HOME: path }),
      ...quiet(path),
      ...set,
      ...env,
      JURIST_RUN: crypto.randomUUID(),
    },
    home: path,
    async [Symbol.asyncDispose]() {
      await scratch?.[Symbol.asyncDispose]()
    },
  }
}
