import { join } from 'node:path'
import { findExecutable } from './executable.js'
import { limitingWords, noProgram } from './resource-limits.js'
import type { Launch, Sandbox } from './sandbox.js'

/**
 * Commands run on the machine itself, without any isolation: they may read and write whatever the user may. Use it for
 * agents and material you trust.
 *
 * @example
 * localWorkspace('project', { sandbox: localSandbox() })
 */
export function localSandbox(): Sandbox {
  return Object.freeze<Sandbox>({
    name: 'none',
    isolation: 'none',
    probe: async () => {},
    launch: async ({ file, args, root, cwd, env, limits }): Promise<Launch> => {
      const directory = join(root, cwd)
      if (findExecutable(file, directory, env.PATH) === undefined) throw noProgram(file)
      const [program = file, ...words] = [...limitingWords('none', limits), file, ...args]
      return { file: program, args: words, cwd: directory, env, stop: async () => {} }
    },
  })
}
