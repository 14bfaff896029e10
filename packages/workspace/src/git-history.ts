import type { Git } from './git.js'

/** Which commit, and where its repository is. */
export interface HistorySource {
  /** The directory of a repository that has the commit. */
  readonly repository: string
  /** Its full hash. */
  readonly commit: string
}

/** So that git gives any commit, also one that no branch leads to. */
const anyCommit = 'git -c uploadpack.allowAnySHA1InWant=true upload-pack'

/**
 * Makes a repository, in the directory where git runs, of a commit and all that led to it: no other commit, branch, tag,
 * remote or log, and no object that belongs to them. Nothing is checked out.
 *
 * @throws `git-failed`
 *
 * @example
 * await withGit({ cwd, timeoutMs }, (git) => makeHistory(git, { repository: '/srv/project.git', commit }))
 */
export async function makeHistory(git: Git, { repository, commit }: HistorySource): Promise<void> {
  await git(['init', '--quiet'])
  const quietly = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    `--upload-pack=${anyCommit}`,
  ]
  await git(['-c', 'protocol.version=2', 'fetch', ...quietly, '--', repository, commit])
}

/** Checks out the commit of such a repository, without a log of it. */
export async function checkOutHistory(git: Git, commit: string): Promise<void> {
  await git(['-c', 'core.logAllRefUpdates=false', 'checkout', '--quiet', '--detach', commit, '--'])
}
