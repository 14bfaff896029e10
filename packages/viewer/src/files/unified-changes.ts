import type { PromptChange } from '@jurist/experiment/internal/results'
import { unifiedDiff } from '@jurist/kit/text-diff'
import { type ComparedDirectories, changesBetween } from './changes.js'
import { type FileContent, fileContent } from './contained-files.js'

/** The changed files as lines of unified diffs. Of files after the first `most` only the paths are given. */
export async function unifiedChanges(
  compared: ComparedDirectories,
  most: number,
): Promise<readonly PromptChange[] | string> {
  const changes = await changesBetween(compared)
  if (changes.state === 'unknown') return changes.reason
  return Promise.all(
    changes.files.map(async ({ path, sides }, index) => {
      if (index >= most) return { path, lines: null }
      const before = textOf(sides?.before ?? (await fileContent(compared.before, path)))
      const after = textOf(sides?.after ?? (await fileContent(compared.after, path)))
      return { path, lines: before === undefined || after === undefined ? null : unifiedDiff(before, after) }
    }),
  )
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : content.kind === 'absent' ? '' : undefined
}
