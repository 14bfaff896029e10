import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { WritableWorkspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { gitState } from '../dataset/git-state.js'
import { sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import type { KnowledgeManifest } from '../result/records.js'
import { type Knowledge, listKnowledge } from './knowledge-files.js'

export type { Knowledge } from './knowledge-files.js'

/** Knowledge that was found and measured, the same for every trial of a run. */
export interface PreparedKnowledge {
  readonly manifest: KnowledgeManifest
  /**
   * Copies the files into a workspace.
   *
   * @throws `provision-failed` when a file is not what it was when the run began
   */
  placeIn(workspace: WritableWorkspace): Promise<void>
}

/**
 * Finds the files of some knowledge and takes their hashes.
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
      }
    },
  }
}

function changed(directory: string, path: string): never {
  const reason = `${path} has changed since the run began`
  const message = `Cannot provide the knowledge in ${directory}: ${reason}. Start another run with it.`
  throw new JuristError('provision-failed', message, { directory, reason })
}

/** The `knowledgeRefs` of an item that no file of the knowledge answers to, as warnings. */
export function unknownKnowledgeRefs(item: DatasetItem, manifest: KnowledgeManifest): readonly DatasetProblem[] {
  const known = new Set(manifest.files.map(({ path }) => path))
  return item.knowledgeRefs
    .filter((ref) => !known.has(ref))
    .map((ref) => ({
      file: item.path === null ? item.id : `${item.path}/item.json`,
      item: item.id,
      field: 'knowledgeRefs',
      problem: `${JSON.stringify(ref)} is not among the knowledge in ${manifest.directory}.`,
      remedy: 'Add the file, or correct the path, which is relative to the knowledge directory.',
      severity: 'warning',
    }))
}
