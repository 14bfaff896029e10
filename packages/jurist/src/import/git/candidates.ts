import type { Commit } from './commits.js'
import type { ProjectPaths } from './project-paths.js'

/** A commit that may become a task: it changes sources and tests. */
export interface Candidate {
  readonly commit: Commit & { readonly parent: string }
  readonly sources: readonly string[]
  readonly tests: readonly string[]
}

/** Why a commit becomes no task. */
export type LeftOut =
  | 'first-commit'
  | 'no-source'
  | 'no-tests'
  | 'too-many-files'
  | 'too-many-lines'
  | 'secrets'
  | 'says-too-little'
  | 'tests-gone'
  | 'reference-fails'
  | 'no-named-test'
  | 'passes-before'
  | 'flaky'
  | 'not-judged'

/** What each reason means, for people. */
export const leftOutWords: Readonly<Record<LeftOut, string>> = {
  'first-commit': 'the first commit',
  'no-source': 'no source changed',
  'no-tests': 'no test changed',
  'too-many-files': 'too many source files',
  'too-many-lines': 'too many lines of source',
  secrets: 'files that look like secrets',
  'says-too-little': 'the message says too little',
  'tests-gone': 'its tests were only deleted',
  'reference-fails': 'the tests fail with the commit',
  'no-named-test': 'the report names no test that the commit makes pass',
  'passes-before': 'the tests pass without the commit',
  flaky: 'the tests are flaky',
  'not-judged': 'the tests could not be run',
}

/** How large a change may be. */
export interface SizeLimits {
  readonly maxFiles: number
  readonly maxLines: number
}

/** The commit as a candidate, or why it cannot be one. */
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
