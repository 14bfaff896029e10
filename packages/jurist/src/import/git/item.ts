import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkoutOf } from '@jurist/workspace'
import type { Candidate } from './candidates.js'

/** What an item says, and what is beside it. */
export interface GitItem {
  readonly id: string
  readonly candidate: Candidate
  readonly task: string
  /** The description of its judge of tests. */
  readonly judge: Readonly<Record<string, unknown>>
}

/** Where the files of items come from. */
export interface ItemOrigin {
  /** What items call the repository: a URL, or a path below the dataset. */
  readonly repoPath: string
  /** Where git finds it now. */
  readonly repository: string
  /** The files are copied into the dataset. */
  readonly copy: boolean
}

const shortHash = 10

/** The id of the item of a commit. */
export function itemId(hash: string): string {
  return hash.slice(0, shortHash)
}

/** The first line of a commit's message. */
function subjectOf(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

/** Writes the directory of an item. The author of the commit is not kept. */
export async function writeItem(
  directory: string,
  { candidate, task, judge }: GitItem,
  { repoPath, repository, copy }: ItemOrigin,
  signal: AbortSignal,
): Promise<void> {
  const { hash, parent, date, message } = candidate.commit
  const refs = copy ? {} : { beforeRef: { repoPath, commitHash: parent }, referenceRef: { repoPath, commitHash: hash } }
  const item = {
    ...refs,
    judges: { tests: judge },
    metadata: { source: { commit: hash, parent, subject: subjectOf(message), date } },
  }
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'task.md'), task)
  if (copy) {
    await copyCommit(repository, parent, join(directory, 'before'), signal)
    await copyCommit(repository, hash, join(directory, 'reference'), signal)
  }
  await writeFile(join(directory, 'item.json'), `${JSON.stringify(item, null, 2)}\n`)
}

async function copyCommit(repository: string, ref: string, to: string, signal: AbortSignal): Promise<void> {
  const made = await checkoutOf({ repository, ref }, { to, signal })
  made.keep()
  await made[Symbol.asyncDispose]()
}
