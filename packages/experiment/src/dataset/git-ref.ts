import { isAbsolute, join } from 'node:path'
import { isPlainObject, printed } from '@jurist/core/internal'
import { checkKeys } from './check-fields.js'
import { containedPath } from './contained.js'
import type { ItemSource } from './item.js'
import type { Spot } from './problem.js'

type GitSource = Extract<ItemSource, { readonly type: 'git' }>

/** A git source as it was written, and with a repository that can be found from anywhere. */
export interface GitRef {
  /** What the item's hash knows of it: the same on every machine. */
  readonly written: GitSource
  readonly source: GitSource
}

/** `https://…`, `ssh://…`, `file://…` and `user@host:path`. */
const url = /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i
const hash = /^[0-9a-f]{4,64}$/
const remedy = 'Write {"repoPath": …, "commitHash": …}, or leave it out.'

/** Reads `beforeRef` or `referenceRef`, reporting every fault. Relative repositories are below `root`, the dataset. */
export function readGitRef(value: unknown, field: string, spot: Spot, root: string): GitRef | undefined {
  const { file, item, report } = spot
  const refuse = (problem: string, remedy: string): void => report({ file, item, field, problem, remedy })
  if (!isPlainObject(value)) return refuse(`must be an object, not ${printed(value)}.`, remedy) as undefined
  checkKeys(value, ['repoPath', 'commitHash', 'subDirectory'], { ...spot, prefix: field })
  const { repoPath, commitHash, subDirectory = null } = value
  const repository = readRepository(repoPath, root, refuse)
  const commit = readCommit(commitHash, refuse)
  const directory = readSubDirectory(subDirectory, refuse)
  if (repository === undefined || commit === undefined || directory === undefined) return undefined
  const rest = { commitHash: commit, subDirectory: directory }
  return {
    written: Object.freeze({ type: 'git', repoPath: String(repoPath), ...rest }),
    source: Object.freeze({ type: 'git', repoPath: repository, ...rest }),
  }
}

type Refuse = (problem: string, remedy: string) => void

function readRepository(value: unknown, root: string, refuse: Refuse): string | undefined {
  const wanted = 'Write a URL, or a path relative to the dataset.'
  if (typeof value !== 'string' || value.trim() === '') {
    refuse(value === undefined ? 'repoPath is missing.' : `repoPath must be a text, not ${printed(value)}.`, wanted)
    return undefined
  }
  if (url.test(value)) return value
  const contained = value.startsWith('-') ? undefined : containedPath(value)
  if (contained?.ok) return join(root, contained.path)
  const problem = isAbsolute(value)
    ? 'is absolute'
    : contained?.reason === 'escapes'
      ? 'leaves the dataset'
      : 'is no path'
  refuse(`repoPath ${printed(value)} ${problem}.`, wanted)
  return undefined
}

function readCommit(value: unknown, refuse: Refuse): string | undefined {
  if (typeof value === 'string' && hash.test(value)) return value
  const problem =
    value === undefined ? 'is missing' : typeof value === 'string' ? 'is not hex' : 'must be a text of hex digits'
  const shown = typeof value === 'string' ? ` ${printed(value)}` : ''
  refuse(`commitHash${shown} ${problem}.`, 'Write the full commit hash in lowercase.')
  return undefined
}

function readSubDirectory(value: unknown, refuse: Refuse): string | null | undefined {
  if (value === null) return null
  const contained = typeof value === 'string' ? containedPath(value) : undefined
  if (contained?.ok) return contained.path === '.' ? null : contained.path
  const problem = contained?.reason === 'escapes' ? 'leaves the repository' : 'is no relative path'
  refuse(`subDirectory ${printed(value)} ${problem}.`, 'Name a directory of the repository, or leave it out.')
  return undefined
}
