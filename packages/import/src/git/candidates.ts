import type { Git } from '@jurist/workspace/internal'
import type { ProjectPaths } from './project-paths.js'

/** A commit of the main line, with its changes against its first parent. */
export interface Commit {
  readonly hash: string
  /** The first parent; `undefined` for a root commit. */
  readonly parent: string | undefined
  /** The second parent of a merge commit. */
  readonly merged: string | undefined
  /** ISO 8601. */
  readonly date: string
  readonly message: string
  readonly changes: readonly Change[]
}

/** A file that a commit changed. A renamed file counts under both names. */
interface Change {
  readonly path: string
  /** The number of added and removed lines; 0 for a binary file. */
  readonly lines: number
}

/** The number of commits in one call of git. */
const page = 100

/** Separators of commits and of their fields: characters that no message contains. */
const [commitMark, fieldMark] = ['\u0001', '\u0002']

/**
 * Yields the commits of the main line of a branch, newest first. A merge commit counts as one change, with all commits
 * of the merged branch.
 *
 * @throws `git-failed`
 */
export async function* mainLine(
  git: Git,
  { branch = 'HEAD', since }: { readonly branch?: string | undefined; readonly since?: string | undefined },
): AsyncGenerator<Commit> {
  const format = `--format=tformat:%x01${['%H', '%P', '%cI', '%B'].join('%x02')}%x02`
  const what = ['--first-parent', '--diff-merges=first-parent', '--no-renames', '--numstat', '-z', format]
  for (let skip = 0; ; skip += page) {
    const range = [`--max-count=${page}`, `--skip=${skip}`, ...(since === undefined ? [] : [`--since=${since}`])]
    const commits = readCommits(await git(['log', ...what, ...range, '--end-of-options', branch, '--']))
    yield* commits
    if (commits.length < page) return
  }
}

/**
 * Returns the messages of the main line of a branch, newest first.
 *
 * @throws `git-failed`
 */
export async function messages(
  git: Git,
  branch = 'HEAD',
): Promise<readonly { readonly hash: string; readonly message: string }[]> {
  const format = '--format=tformat:%x01%H%x02%B'
  const output = await git(['log', '--first-parent', format, '--end-of-options', branch, '--'])
  return output
    .split(commitMark)
    .slice(1)
    .map((record) => {
      const [hash = '', message = ''] = record.split(fieldMark)
      return { hash, message: message.trim() }
    })
}

/** Reads the output of `git log --numstat -z`. */
export function readCommits(output: string): readonly Commit[] {
  return output
    .split(commitMark)
    .slice(1)
    .map((record) => {
      const [hash = '', parents = '', date = '', message = '', changes = ''] = record.split(fieldMark)
      const [parent, merged] = parents.split(' ').filter((one) => one !== '')
      return { hash, parent, merged, date, message: message.trim(), changes: readChanges(changes) }
    })
}

function readChanges(text: string): readonly Change[] {
  return text.split('\0').flatMap((line) => {
    const [, added, removed, path] = /^\n?(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? []
    if (path === undefined) return []
    return [{ path, lines: (Number(added) || 0) + (Number(removed) || 0) }]
  })
}

/** Returns the paths of all files of a commit. */
export async function treeOf(git: Git, commit: string): Promise<readonly string[]> {
  const names = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit])
  return names.split('\0').filter((name) => name !== '')
}

/** A commit that may become a task, since it changes sources and tests. */
export interface Candidate {
  readonly commit: Commit & { readonly parent: string }
  readonly sources: readonly string[]
  readonly tests: readonly string[]
}

/** The limits for the size of a change. */
export interface SizeLimits {
  readonly maxFiles: number
  readonly maxLines: number
}

/** The caller's choices. A later import keeps them unless its caller chooses otherwise. */
export interface ImportChoices {
  readonly source?: readonly string[] | undefined
  readonly tests?: readonly string[] | undefined
  readonly maxFiles?: number | undefined
  readonly maxLines?: number | undefined
  readonly testCommand?: string | undefined
  readonly setup?: string | undefined
  readonly keep?: readonly string[] | undefined
  readonly sandbox?: string | undefined
  readonly isolate?: boolean | undefined
  readonly issues?: string | undefined
  readonly allowSecret?: readonly string[] | undefined
}

const paths = ['source', 'tests'] as const
const running = [...paths, 'testCommand', 'setup', 'keep', 'sandbox', 'isolate'] as const

/**
 * The reasons why a commit does not become a task, with the choices that decide it: if one of them changes, the commit
 * is looked at again.
 */
const reasons = {
  'first-commit': ['the first commit', []],
  'no-source': ['no source changed', paths],
  'no-tests': ['no test changed', paths],
  'too-many-files': ['too many source files', [...paths, 'maxFiles']],
  'too-many-lines': ['too many lines of source', [...paths, 'maxLines']],
  secrets: ['files that look like secrets', ['allowSecret']],
  'says-too-little': ['the message says too little', ['issues']],
  'tests-gone': ['its tests were only deleted', paths],
  'not-installed': ['its packages could not be installed', running],
  'reference-fails': ['the tests fail with the commit', running],
  'no-named-test': ['the report names no test that the commit makes pass', running],
  'passes-before': ['the tests pass without the commit', running],
  flaky: ['the tests are flaky', running],
  'not-judged': ['the tests could not be run', running],
} as const satisfies Readonly<Record<string, readonly [words: string, decidedBy: readonly (keyof ImportChoices)[]]>>

export type LeftOut = keyof typeof reasons

export function leftOutWords(reason: LeftOut): string {
  return reasons[reason][0]
}

/** Returns the commits that stay left out with other choices. */
export function stillLeftOut(
  leftOut: Readonly<Record<string, LeftOut>>,
  before: ImportChoices,
  now: ImportChoices,
): Readonly<Record<string, LeftOut>> {
  const isSame = (name: keyof ImportChoices) => JSON.stringify(before[name]) === JSON.stringify(now[name])
  return Object.fromEntries(
    Object.entries(leftOut).filter(([, reason]) => Object.hasOwn(reasons, reason) && reasons[reason][1].every(isSame)),
  )
}

/** Returns the commit as a candidate, or the reason why it is left out. */
export function candidateOf(
  commit: Commit,
  { isSource, isTest }: ProjectPaths,
  { maxFiles, maxLines }: SizeLimits,
): Candidate | LeftOut {
  const { parent, changes } = commit
  if (parent === undefined) return 'first-commit'
  const sources = changes.filter(({ path }) => isSource(path))
  const tests = changes.filter(({ path }) => isTest(path))
  if (sources.length === 0) return 'no-source'
  if (tests.length === 0) return 'no-tests'
  if (sources.length > maxFiles) return 'too-many-files'
  if (sources.reduce((sum, { lines }) => sum + lines, 0) > maxLines) return 'too-many-lines'
  return {
    commit: { ...commit, parent },
    sources: sources.map(({ path }) => path),
    tests: tests.map(({ path }) => path),
  }
}
