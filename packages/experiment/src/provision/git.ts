import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { promisify } from 'node:util'
import { JuristError } from '@jurist/core'

const run = promisify(execFile)
const keptStderr = 2048

/** How one git command runs. */
export interface GitOptions {
  readonly cwd?: string
  readonly signal?: AbortSignal
}

/**
 * Runs git without hooks, configuration of the machine, questions and LFS downloads, and returns what it printed.
 *
 * @throws `git-failed` with the end of what git said, user names and passwords of URLs removed
 */
export async function git(args: readonly string[], { cwd, signal }: GitOptions = {}): Promise<string> {
  const safe = ['-c', `core.hooksPath=${devNull}`, '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0', ...args]
  try {
    const { stdout } = await run('git', safe, { cwd, signal, env: surroundings(), maxBuffer: 16 * 1024 * 1024 })
    return stdout
  } catch (thrown) {
    signal?.throwIfAborted()
    throw gitFailed(args, thrown as Error & { readonly stderr?: string })
  }
}

function gitFailed(args: readonly string[], cause: Error & { readonly stderr?: string }): JuristError<'git-failed'> {
  const said = withoutUserInfo(cause.stderr?.trim() || cause.message)
  const stderr = said.slice(-keptStderr)
  const command = args.find((arg) => !arg.startsWith('-')) ?? ''
  return new JuristError('git-failed', `git ${command} failed: ${stderr} Check the repository and the commit.`, {
    stderr,
  })
}

/** A text whose URLs lost their user names and passwords. */
export function withoutUserInfo(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/gi, '$1')
}

function surroundings(): NodeJS.ProcessEnv {
  const { GIT_DIR: _directory, GIT_WORK_TREE: _tree, GIT_INDEX_FILE: _index, ...rest } = process.env
  return {
    ...rest,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  }
}
