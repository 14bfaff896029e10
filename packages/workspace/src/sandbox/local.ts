import { join } from 'node:path'
import { optionInvalid } from '@jurist/core/internal'
import { dockerSandbox } from './docker.js'
import { findExecutable, limitingWords, noProgram } from './prerequisites.js'
import type { Launch, Sandbox } from './sandbox.js'

/**
 * Creates a sandbox whose commands run on the machine itself, without any isolation: they may read and write everything
 * that the user may. Use it for agents and material you trust.
 *
 * @example
 * import { localSandbox, localWorkspace } from '@jurist/workspace'
 *
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

const wanted = '"none", "auto", "bubblewrap", "docker:<image>" or "podman:<image>"'

/**
 * Returns the sandbox for a name from a config or a flag: `none`, `auto` (bubblewrap if it works), `bubblewrap`,
 * `docker:<image>` or `podman:<image>`. Whether the sandbox works is only known when it is used; otherwise, that fails
 * with `sandbox-unavailable`.
 *
 * @throws `option-invalid` for any other name
 */
export function namedSandbox(word: string): 'none' | 'auto' | 'bubblewrap' | Sandbox {
  if (word === 'none' || word === 'auto' || word === 'bubblewrap') return word
  const [, cli, image] = /^(docker|podman):(\S+)$/.exec(String(word)) ?? []
  if (cli !== undefined && image !== undefined) return dockerSandbox({ image, cli })
  optionInvalid('sandbox', `sandbox must be ${wanted} (got ${JSON.stringify(word)}).`)
}
