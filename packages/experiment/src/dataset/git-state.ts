import { realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { readingGit, repositoryAround } from '@jurist/workspace/internal'

/** The commit and the uncommitted changes of some files. */
export interface GitState {
  /** `null` outside git, without git, and before the first commit. */
  readonly gitCommit: string | null
  readonly dirty: boolean
  /** Paths with changes that are not committed (untracked ones too), relative to the repository's root, sorted. */
  readonly dirtyFiles: readonly string[]
}

const outsideGit: GitState = Object.freeze({ gitCommit: null, dirty: false, dirtyFiles: Object.freeze([]) })

const timeoutMs = 300_000

/**
 * The commit a directory is at and the changes below `paths` (files or directories relative to it; default: all of it).
 * Never rejects: outside a repository, or without git, nothing is known.
 */
export async function gitState(directory: string, paths: readonly string[] = ['.']): Promise<GitState> {
  // Looking for a repository takes less time than starting git.
  if (repositoryAround(directory) === null) return outsideGit
  // The state of a submodule would be asked of a git that reads its config.
  const how = ['--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=dirty']
  try {
    return readStatus(
      await readingGit({ cwd: directory, timeoutMs, maxOutputBytes: 256 * 1024 * 1024 }, (git) =>
        git(['--literal-pathspecs', 'status', ...how, '--', ...paths]),
      ),
    )
  } catch {
    return outsideGit
  }
}

/** The state of a directory that was already read. */
export interface AskedState {
  readonly directory: string
  readonly state: Promise<GitState>
}

/**
 * `gitState` of one file or directory, `path` relative to `directory`; taken from `asked` when that is the state of a
 * parent directory in the same repository.
 */
export async function gitStateOf(
  { directory, path }: { readonly directory: string; readonly path: string },
  asked?: AskedState,
): Promise<GitState> {
  const root = repositoryAround(directory)?.tree ?? null
  if (asked === undefined || root === null || repositoryAround(asked.directory)?.tree !== root)
    return gitState(directory, [path])
  const place = join(realpathSync(directory), path)
  const fromAsked = relative(realpathSync(asked.directory), place)
  if (fromAsked === '..' || fromAsked.startsWith(`..${sep}`)) return gitState(directory, [path])
  return below(relative(root, place).split(sep).join('/'), await asked.state)
}

/** The part of a state below one path, relative to the root of the repository. */
function below(path: string, { gitCommit, dirtyFiles }: GitState): GitState {
  const changed = dirtyFiles.filter((file) => path === '' || file === path || file.startsWith(`${path}/`))
  return Object.freeze({ gitCommit, dirty: changed.length > 0, dirtyFiles: Object.freeze(changed) })
}

/** Reads `git status --porcelain=v2 -z`, where names are never quoted and a rename is followed by the old name. */
function readStatus(output: string): GitState {
  const dirtyFiles: string[] = []
  let gitCommit: string | null = null
  const records = output.split('\0')
  for (let index = 0; index < records.length; index++) {
    const record = records[index] ?? ''
    const oid = /^# branch\.oid ([0-9a-f]+)$/.exec(record)?.[1]
    if (oid !== undefined) gitCommit = oid
    const path = changedPath(record)
    if (path === undefined) continue
    dirtyFiles.push(path)
    if (record.startsWith('2 ')) dirtyFiles.push(records[++index] ?? '')
  }
  return Object.freeze({ gitCommit, dirty: dirtyFiles.length > 0, dirtyFiles: Object.freeze(dirtyFiles.sort()) })
}

/** The number of fields before the path, by the kind of record. */
const fieldsBefore: { readonly [kind: string]: number } = { '1': 8, '2': 9, u: 10, '?': 1 }

function changedPath(record: string): string | undefined {
  const count = fieldsBefore[record.split(' ', 1)[0] ?? '']
  return count === undefined ? undefined : record.split(' ').slice(count).join(' ')
}
