import { withGit } from '@jurist/workspace/internal'

/** Milliseconds that git may take. */
export const timeoutMs = 300_000

/**
 * Runs one git command and returns what it printed.
 *
 * @throws `git-failed`
 */
export async function git(
  args: readonly string[],
  { cwd = '.', signal }: { readonly cwd?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  signal?.throwIfAborted()
  return withGit({ cwd, timeoutMs, signal }, (run) => run(args))
}
