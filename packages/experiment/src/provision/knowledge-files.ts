import { realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { containedPath, leavesThroughLink } from '../dataset/contained.js'
import type { ExperimentIssue } from '../errors.js'

/** Files that are put into the workspace before the agent starts. */
export interface Knowledge {
  readonly directory: string
  /** Paths below `directory`. Default, and when `index.md` is among them: everything. */
  readonly files?: readonly string[]
  /** The directory of the workspace that they go to. Default `knowledge`. */
  readonly into?: string
  /** What is left out, in the syntax of `.gitignore`. */
  readonly exclude?: readonly string[]
}

/** The file that stands for the whole of some knowledge. */
const indexFile = 'index.md'

/** The paths of the files that some knowledge consists of, relative to its directory, sorted. */
export async function listKnowledge({ directory, files, exclude = [] }: Knowledge): Promise<readonly string[]> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return refuse([
      { field: 'knowledge.directory', problem: `${directory} is no directory.`, remedy: 'Name one that exists.' },
    ])
  const root = realpathSync(directory)
  const whole = files === undefined || files.includes(indexFile)
  const entries = whole ? (await allFiles(root)).map((path) => ({ path, field: 'knowledge.directory' })) : named(files)
  const issues: ExperimentIssue[] = []
  const found = entries.flatMap(({ path, field }) => {
    const answer = lookUp(root, path)
    if (typeof answer === 'object') return [answer.path]
    issues.push({
      field,
      problem: `${JSON.stringify(path)} ${answer}.`,
      remedy: 'Name files below the knowledge directory.',
    })
    return []
  })
  if (issues.length > 0) return refuse(issues)
  const { default: ignore } = await import('ignore')
  const excluded = ignore().add([...exclude])
  return [...new Set(found)].filter((path) => !excluded.ignores(path)).sort()
}

function named(files: readonly string[]): readonly { readonly path: string; readonly field: string }[] {
  return files.map((path, index) => ({ path, field: `knowledge.files[${index}]` }))
}

/** Files and links below a directory; `.git` is no knowledge. */
async function allFiles(root: string, under = ''): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(join(root, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== '.git') paths.push(...(await allFiles(root, path)))
    } else if (entry.isFile() || entry.isSymbolicLink()) paths.push(path)
  }
  return paths
}

/** The contained form of a path to a file, or what is wrong with it. */
function lookUp(root: string, path: string): { readonly path: string } | string {
  const contained = containedPath(path)
  if (!contained.ok) return contained.reason === 'escapes' ? 'leaves the knowledge directory' : 'is no path'
  const absolute = join(root, contained.path)
  if (leavesThroughLink(root, absolute)) return 'leaves the knowledge directory through a link'
  if (!statSync(absolute, { throwIfNoEntry: false })?.isFile()) return 'is no file'
  return { path: contained.path }
}

function refuse(issues: readonly ExperimentIssue[]): never {
  const lines = issues.map(({ field, problem, remedy }) => `${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `The knowledge cannot be used.\n  ${lines.join('\n  ')}`, { issues })
}
