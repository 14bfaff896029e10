import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseLines, parseOrUndefined } from '@jurist/kit/json'
import { checkoutOf } from '@jurist/workspace'
import * as v from 'valibot'
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
interface ItemOrigin {
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

/** The text of an issue or a pull request. */
interface Issue {
  readonly title: string
  readonly body: string
}

/** Issues and pull requests by their numbers. */
export type Issues = ReadonlyMap<number, Issue>

/** Lines that say who and how, not what. */
const trailer =
  /^(co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|reported-by|change-id|\(cherry picked from|pr-url|refs?):?\b/i
const mergeLine = /^merge(d)? (pull request|branch|remote-tracking branch|tag|commit)\b.*/i
const squashed = /^squashed commit of the following:?$/i

const fewestWords = 3

/** The end of every task. */
const closing = 'Change the source code accordingly. Tests that you do not see decide whether the change is right.'

/** The text of a task: without author, trailers and patches. `undefined`: it says too little to work on. */
export function taskText(message: string, issues: Issues = new Map()): string | undefined {
  const issue = issueOf(message, issues)
  const text = issue === undefined ? cleaned(message) : `${issue.title}\n\n${withoutPatches(issue.body)}`.trim()
  if (text.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length < fewestWords) return undefined
  return `${text}\n\n${closing}\n`
}

/** The first issue or pull request that a message names and that has a text. */
function issueOf(message: string, issues: Issues): Issue | undefined {
  const numbers = [...message.matchAll(/(?:#|\bgh-|\/(?:issues|pull)\/)(\d{1,9})\b/gi)].map(([, number]) =>
    Number(number),
  )
  return numbers.map((number) => issues.get(number)).find((issue) => issue !== undefined)
}

function cleaned(message: string): string {
  const lines = withoutPatches(message).split('\n')
  const kept = lines.filter(
    (line) => !mergeLine.test(line) && !trailer.test(line.trim()) && !squashed.test(line.trim()),
  )
  return kept
    .join('\n')
    .replace(/\s*\((?:#\d+|https?:\/\/\S+)\)$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** A text without the hunks of patches in it. */
function withoutPatches(text: string): string {
  let within = false
  const kept = text.split('\n').filter((line) => {
    if (/^\s*(diff --git |@@ .* @@|--- a\/|\+\+\+ b\/|index [0-9a-f]{7,}\.\.)/.test(line)) within = true
    else if (within && !/^\s*[ +\-\\]/.test(line)) within = false
    return !within
  })
  return kept.join('\n')
}

const shortestLine = 12

/** What in a task gives away the change: lines of it, and code. */
export function giveaways(task: string, addedLines: readonly string[]): readonly string[] {
  const told = addedLines
    .map((line) => line.trim())
    .filter((line) => line.length >= shortestLine && /[^\w\s]/.test(line) && task.includes(line))
  const asks =
    /\b(return early|instead of|replace\w* .{1,40} (by|with)|by (adding|removing|changing|using|checking))\b.*/i
  const way = asks.exec(task)?.[0].split('\n')[0]
  return [...new Set([...told, ...(way === undefined ? [] : [way.slice(0, 80)])])].slice(0, 3)
}

/**
 * Issues of a file, as `gh issue list --json number,title,body` and `gh pr list` write it: an array, or one object a line.
 * `undefined`: it holds neither.
 */
export function readIssues(text: string): Issues | undefined {
  const whole = parseOrUndefined(text)
  const found = whole === undefined ? parseLines(text) : [whole].flat()
  if (!v.is(issuesSchema, found)) return undefined
  return new Map(
    found.map(({ number, title, body }) => [number, { title, body: typeof body === 'string' ? body : '' }]),
  )
}

const issuesSchema = v.array(v.object({ number: v.number(), title: v.string(), body: v.optional(v.unknown()) }))
