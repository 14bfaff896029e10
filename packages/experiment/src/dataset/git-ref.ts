import { isAbsolute, join } from 'node:path'
import { printed } from '@jurist/core/internal'
import * as v from 'valibot'
import { adds, fields, text } from '../fields.js'
import { containedPath } from './contained.js'
import type { GitSource } from './item.js'
import { checkAt } from './item-fields.js'
import type { Spot } from './problem.js'

/** A git source as it is written, and with a repository that can be found from anywhere. */
export interface GitRef {
  /** The part that the hash of the item covers: the same on every machine. */
  readonly written: GitSource
  readonly source: GitSource
}

/** `https://…`, `ssh://…`, `file://…` and `user@host:path`. */
const url = /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i

export const commitHash: v.GenericSchema<string> = v.pipe(
  v.string('must be a string of hex digits'),
  v.regex(/^[0-9a-f]{4,64}$/, 'must be lowercase hex digits'),
)

const repoPath = v.pipe(
  text,
  adds((path) => {
    if (url.test(path) || (!path.startsWith('-') && containedPath(path).ok)) return []
    const contained = containedPath(path)
    const leaves = !contained.ok && contained.reason === 'escapes'
    const problem = isAbsolute(path) ? 'is absolute' : leaves ? 'leaves the dataset' : 'is not a path'
    return [{ problem: `${printed(path)} ${problem}`, remedy: 'Write a URL, or a path relative to the dataset.' }]
  }),
)

const subDirectory = v.pipe(
  v.string('must be a string'),
  adds((path) => {
    const contained = containedPath(path)
    if (contained.ok) return []
    const problem = contained.reason === 'escapes' ? 'leaves the repository' : 'is not a relative path'
    return [{ problem: `${printed(path)} ${problem}`, remedy: 'Name a directory of the repository, or leave it out.' }]
  }),
)

const schema = fields({ repoPath, commitHash, subDirectory: v.exactOptional(v.nullable(subDirectory), null) })

/**
 * Reads `beforeRef` or `referenceRef` and reports every issue. The path of a repository is relative to `root`, the
 * directory of the dataset.
 */
export function readGitRef(value: unknown, field: string, spot: Spot, root: string): GitRef | undefined {
  const ref = checkAt(schema, value, { ...spot, prefix: field })
  if (ref === undefined) return undefined
  const contained = url.test(ref.repoPath) ? undefined : containedPath(ref.repoPath)
  const directory = ref.subDirectory === null ? undefined : containedPath(ref.subDirectory)
  const rest = {
    commitHash: ref.commitHash,
    subDirectory: directory?.ok && directory.path !== '.' ? directory.path : null,
  }
  return {
    written: Object.freeze({ type: 'git', repoPath: ref.repoPath, ...rest }),
    source: Object.freeze({
      type: 'git',
      repoPath: contained?.ok ? join(root, contained.path) : ref.repoPath,
      ...rest,
    }),
  }
}
