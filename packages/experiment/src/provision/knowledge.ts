import { realpathSync, statSync } from 'node:fs'
import { chmod, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError, type WritableWorkspace } from '@jurist/core'
import { containedPath, leavesThroughLink } from '../dataset/contained.js'
import { gitState } from '../dataset/git-state.js'
import { sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import type { ExperimentIssue } from '../errors.js'
import type { KnowledgeManifest } from '../result/records.js'

/** Knowledge files with their hashes, the same for every trial of a run. */
export interface PreparedKnowledge {
  readonly manifest: KnowledgeManifest
  /**
   * Copies the files into a workspace.
   *
   * @throws `provision-failed` if a file has changed since the run began
   */
  placeIn(workspace: WritableWorkspace): Promise<void>
}

/**
 * Finds the files of the knowledge and computes their hashes.
 *
 * @throws `experiment-invalid` naming every entry that is missing or leaves the directory
 */
export async function prepareKnowledge(knowledge: Knowledge): Promise<PreparedKnowledge> {
  const { directory, into = 'knowledge', exclude = [] } = knowledge
  const paths = await listKnowledge(knowledge)
  const root = await realpath(directory)
  const { gitCommit, dirty } = await gitState(root)
  const files: { readonly path: string; readonly bytes: number; readonly sha256: string }[] = []
  for (const path of paths) {
    const content = await readFile(join(root, path))
    files.push(Object.freeze({ path, bytes: content.length, sha256: sha256(content) }))
  }
  const takenAt = new Date().toISOString()
  return {
    manifest: Object.freeze({
      directory,
      gitCommit,
      dirty,
      takenAt,
      files: Object.freeze(files),
      exclude: Object.freeze([...exclude]),
    }),
    async placeIn(workspace) {
      for (const file of files) {
        const content = await readFile(join(root, file.path))
        if (sha256(content) !== file.sha256) return changed(directory, file.path)
        await workspace.write(`${into}/${file.path}`, content)
        const { mode } = await stat(join(root, file.path))
        // A workspace in memory has no modes.
        if (workspace.root !== undefined && (mode & 0o111) !== 0)
          await chmod(join(workspace.root, into, file.path), mode & 0o777)
      }
    },
  }
}

function changed(directory: string, path: string): never {
  const reason = `${path} has changed since the run began`
  const message = `Cannot provide the knowledge in ${directory}: ${reason}. Start another run with it.`
  throw new JuristError('provision-failed', message, { directory, reason })
}

/** Warnings about the `knowledgeRefs` of an item that name no file of the knowledge. */
export function unknownKnowledgeRefs(item: DatasetItem, manifest: KnowledgeManifest): readonly DatasetProblem[] {
  const known = new Set(manifest.files.map(({ path }) => path))
  return item.knowledgeRefs
    .filter((ref) => !known.has(ref))
    .map((ref) => ({
      file: item.path === null ? item.id : `${item.path}/item.json`,
      item: item.id,
      field: 'knowledgeRefs',
      problem: `${JSON.stringify(ref)} is not a knowledge file in ${manifest.directory}.`,
      remedy: 'Add the file, or correct the path, which is relative to the knowledge directory.',
      severity: 'warning',
    }))
}

/** Files that are copied into the workspace before the agent starts. */
export interface Knowledge {
  readonly directory: string
  /** Paths below `directory`. Default, and when `index.md` is among them: everything. */
  readonly files?: readonly string[]
  /** The target directory in the workspace. Default `knowledge`. */
  readonly into?: string
  /** Paths to leave out, in the syntax of `.gitignore`. */
  readonly exclude?: readonly string[]
}

/** The file that represents all knowledge of a directory. */
const indexFile = 'index.md'

/** The paths of the knowledge files, relative to their directory, sorted. */
async function listKnowledge({ directory, files, exclude = [] }: Knowledge): Promise<readonly string[]> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return refuse([
      { field: 'knowledge.directory', problem: `${directory} is not a directory.`, remedy: 'Name one that exists.' },
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

/** Files and links below a directory, without `.git`. */
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

/** The contained form of a path to a file, or its problem. */
function lookUp(root: string, path: string): { readonly path: string } | string {
  const contained = containedPath(path)
  if (!contained.ok) return contained.reason === 'escapes' ? 'leaves the knowledge directory' : 'is not a path'
  const absolute = join(root, contained.path)
  if (leavesThroughLink(root, absolute)) return 'leaves the knowledge directory through a link'
  if (!statSync(absolute, { throwIfNoEntry: false })?.isFile()) return 'is not a file'
  return { path: contained.path }
}

function refuse(issues: readonly ExperimentIssue[]): never {
  const lines = issues.map(({ field, problem, remedy }) => `${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `The knowledge cannot be used.\n  ${lines.join('\n  ')}`, { issues })
}
