import { trialPrompt } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { comparedDirectories, type ReadableDirectories } from './changes.js'
import { unifiedChanges } from './unified-changes.js'

/** A trial as a prompt for a coding agent. */
export interface PromptDocument {
  readonly text: string
}

/** The prompt of a trial, with what the agent changed in its workspace. */
export async function promptDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
): Promise<PromptDocument> {
  const compared = await comparedDirectories(directories, run, item, 'before')
  const changes = 'state' in compared ? compared.reason : await unifiedChanges(compared, maxFiles)
  return { text: trialPrompt(item, { run, changes }) }
}

/** A prompt shows no more files. */
const maxFiles = 50
