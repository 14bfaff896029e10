import { type PromptChange, trialPrompt } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { unifiedDiff } from '@jurist/kit/text-diff'
import { type ComparedDirectories, changesBetween, comparedDirectories, type ReadableDirectories } from './changes.js'
import { type FileContent, fileContent } from './contained-files.js'

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
  const changes = 'state' in compared ? compared.reason : await promptChanges(compared)
  return { text: trialPrompt(item, { run, changes }) }
}

/** A prompt shows no more files. */
const maxFiles = 50

async function promptChanges(compared: ComparedDirectories): Promise<readonly PromptChange[] | string> {
  const changes = await changesBetween(compared)
  if (changes.state === 'unknown') return changes.reason
  return Promise.all(
    changes.files.map(async ({ path, sides }, index) => {
      if (index >= maxFiles) return { path, lines: null }
      const before = textOf(sides?.before ?? (await fileContent(compared.before, path)))
      const after = textOf(sides?.after ?? (await fileContent(compared.after, path)))
      return { path, lines: before === undefined || after === undefined ? null : unifiedDiff(before, after) }
    }),
  )
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : content.kind === 'absent' ? '' : undefined
}
