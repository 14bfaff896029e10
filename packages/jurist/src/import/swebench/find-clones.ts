import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { withGit } from '@jurist/workspace/internal'

/** Where a clone of `owner/name` may be, below the directory of clones. */
function placesOf(repo: string): readonly string[] {
  const flat = repo.replace('/', '__')
  const name = repo.split('/')[1] ?? repo
  return [repo, flat, name].flatMap((place) => [place, `${place}.git`])
}

/**
 * The clones of repositories below a directory, by the names of the repositories. A clone is at `owner/name`, `owner__name`
 * or `name`, with or without `.git`.
 */
export async function findClones(
  directory: string,
  repos: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const repo of repos)
    for (const place of placesOf(repo)) {
      if (found.has(repo)) break
      const clone = join(directory, place)
      if ((await stat(clone).catch(() => undefined))?.isDirectory() === true && (await isRepository(clone, signal)))
        found.set(repo, clone)
    }
  return found
}

/** Whether a directory is the root of a repository, and not only inside of one. */
async function isRepository(directory: string, signal: AbortSignal): Promise<boolean> {
  const asked = ['rev-parse', '--is-bare-repository', '--show-prefix']
  try {
    const said = await withGit({ cwd: directory, timeoutMs: 60_000, signal }, (git) => git(asked))
    const [bare, prefix = ''] = said.split('\n')
    return bare === 'true' || prefix === ''
  } catch (thrown) {
    if (!JuristError.is(thrown, 'git-failed')) throw thrown
    return false
  }
}
