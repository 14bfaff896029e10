import { join } from 'node:path'
import { parseLines, parseOrUndefined } from '@jurist/kit/json'
import { checkoutOf } from '@jurist/workspace'
import * as v from 'valibot'
import { jsonFile, kept, writeFiles } from '../new-project.js'
import type { Candidate } from './candidates.js'

/** The content of an item. */
export interface GitItem {
  readonly id: string
  readonly candidate: Candidate
  readonly task: string
  /** The description of its judge of tests. */
  readonly judge: Readonly<Record<string, unknown>>
}

/** The source of the files of items. */
interface ItemOrigin {
  /** The repository as items name it: a URL, or a path below the dataset. */
  readonly repoPath: string
  /** The place where git finds it now. */
  readonly repository: string
  /** Whether the files are copied into the dataset. */
  readonly copy: boolean
}

function subjectOf(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

const longestSlug = 40

/**
 * Builds a slug from the subject of a commit with letters that every file system and shell accepts. A merge is named
 * after what it merged.
 */
function slugOf(message: string): string {
  const subject = subjectOf(cleaned(message)) || subjectOf(message)
  const words = subject
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  let slug = ''
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`
    if (longer.length > longestSlug) break
    slug = longer
  }
  return slug || words[0]?.slice(0, longestSlug) || 'commit'
}

/**
 * Returns ids for the items of commits: slugs of their subjects. Of several equal slugs, the oldest commit gets the
 * slug itself and the others a number after it, so that later commits change no id.
 *
 * @param commits newest first
 * @param taken ids that other commits have already
 */
export function itemIds(
  commits: readonly { readonly hash: string; readonly message: string }[],
  taken: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const ids = new Map([...taken].map(([id, hash]) => [hash, id]))
  const used = new Set(taken.keys())
  const next = new Map<string, number>()
  for (const { hash, message } of [...commits].reverse()) {
    if (ids.has(hash)) continue
    const slug = slugOf(message)
    let number = next.get(slug) ?? 1
    let id = number === 1 ? slug : `${slug}-${number}`
    while (used.has(id)) id = `${slug}-${++number}`
    next.set(slug, number + 1)
    used.add(id)
    ids.set(hash, id)
  }
  return ids
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
  await writeFiles(directory, { 'task.md': task })
  if (copy) {
    await kept(checkoutOf({ repository, ref: parent }, { to: join(directory, 'before'), signal }))
    await kept(checkoutOf({ repository, ref: hash }, { to: join(directory, 'reference'), signal }))
  }
  await writeFiles(directory, { 'item.json': jsonFile(item) })
}

/** An issue or a pull request. */
interface Issue {
  readonly title: string
  readonly body: string
}

/** Issues and pull requests by number. */
export type Issues = ReadonlyMap<number, Issue>

/** Lines about people and process, not about the change. */
const trailer =
  /^(co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|reported-by|change-id|\(cherry picked from|pr-url|refs?):?\b/i
const mergeLine = /^merge(d)? (pull request|branch|remote-tracking branch|tag|commit)\b.*/i
const squashed = /^squashed commit of the following:?$/i

const fewestWords = 3

/** The end of every task. */
const closing = 'Change the source code accordingly. Tests that you do not see decide whether the change is right.'

/** Returns the text of a task without author, trailers and patches; `undefined` if too little is left to work on. */
export function taskText(message: string, issues: Issues = new Map()): string | undefined {
  const issue = issueOf(message, issues)
  const text = issue === undefined ? cleaned(message) : `${issue.title}\n\n${withoutPatches(issue.body)}`.trim()
  if (text.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length < fewestWords) return undefined
  return `${text}\n\n${closing}\n`
}

/** Returns the first issue or pull request that the message refers to and that has text. */
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

/** Removes the hunks of patches. */
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

/** Finds parts of a task that reveal the change: its added lines, and code. */
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
 * Reads issues from the output of `gh issue list --json number,title,body` or `gh pr list`: an array, or one object per
 * line. Returns `undefined` for anything else.
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
